import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `zones discover`, `zones replay` and `doctor`. */
export function addMqttCommands(root: Command, terminal: Terminal): void {
  const zones =
    root.commands.find((command) => command.name() === "zones") ??
    root.command("zones").description("the zones and their inputs");
  withConfig(
    zones
      .command("discover")
      .description("print zones for the sensors announced on the broker (Home Assistant discovery)"),
  )
    .option("--prefix <levels>", "topic prefix of the announcements", "homeassistant")
    .option("--wait <seconds>", "how long to listen, in seconds", "3")
    .option("--json", "print JSON")
    .action(
      async ({
        config,
        prefix,
        wait,
        json,
      }: ConfigOption & { prefix: string; wait: string; json?: boolean }) => {
        const { discoverZones } = await import("./zones-discover.ts");
        const options = { prefix, waitS: secondsOf("--wait", wait), json: json === true };
        await discoverZones(await load(terminal, config), options, terminal);
      },
    );
  withConfig(
    zones
      .command("replay")
      .description("run recorded messages through the zones and print the effect of each"),
  )
    .argument("<file>", "one JSON object per line: topic, payload, optional retain and tst")
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nRecord with: mosquitto_sub -h <broker> -t '#' -F %J > recording.jsonl")
    .action(async (file: string, { config, json }: ConfigOption & { json?: boolean }) => {
      const { replay } = await import("./replay.ts");
      replay(await load(terminal, config), file, { json: json === true }, terminal);
    });
  withConfig(root.command("doctor").description("check the installation for problems that would lose a trip"))
    .option("--listen <seconds>", "how long to listen to the sensors, in seconds", "5")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nIt tests with a separate session whether the broker queues messages while the daemon is offline. Whether the broker\nkeeps them over its own power cut cannot be tested; systemd/mosquitto/santinela.conf has the settings for it.",
    )
    .action(async ({ config, listen, json }: ConfigOption & { listen: string; json?: boolean }) => {
      const { doctor } = await import("./doctor.ts");
      const options = { listenS: secondsOf("--listen", listen), json: json === true };
      await doctor(await load(terminal, config), options, terminal);
    });
}

function secondsOf(option: string, text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new AppError("usage", `${option} takes seconds, 0 to 999, not ${text}`);
  return Number(text);
}
