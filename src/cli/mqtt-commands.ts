import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `zones discover`, `zones import-check` and `doctor`: from a broker full of messages to zones that lose none. */
export function addMqttCommands(root: Command, terminal: Terminal): void {
  const zones =
    root.commands.find((command) => command.name() === "zones") ??
    root.command("zones").description("the zones: what they listen to and what they would do");
  withConfig(
    zones
      .command("discover")
      .description(
        "print zones for the sensors that announce themselves at the broker (Home Assistant discovery)",
      ),
  )
    .option("--prefix <levels>", "first levels of the announcements' topics", "homeassistant")
    .option("--wait <seconds>", "how long to listen", "3")
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
      .command("import-check")
      .description("run recorded messages through the zones and print what each would do"),
  )
    .argument("<file>", "one JSON object a line: topic, payload, and perhaps retain and tst")
    .option("--json", "print one JSON object a line")
    .addHelpText("after", "\nRecord with: mosquitto_sub -h <broker> -t '#' -F %J > recording.jsonl")
    .action(async (file: string, { config, json }: ConfigOption & { json?: boolean }) => {
      const { importCheck } = await import("./replay.ts");
      importCheck(await load(terminal, config), file, { json: json === true }, terminal);
    });
  withConfig(root.command("doctor").description("look for what would lose a trip, and say what mends it"))
    .option("--listen <seconds>", "how long to listen to the sensors", "5")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nIt tries out with a session of its own whether the broker keeps messages while the daemon is away. That the broker\nkeeps them over its own power cut cannot be tried out; systemd/mosquitto/santinela.conf has the settings for it.",
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
