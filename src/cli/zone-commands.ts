import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** The zones, what they would do, and the tests of them. */
export function addZoneCommands(root: Command, terminal: Terminal): void {
  const zones = root.command("zones").description("the zones and their contacts; needs the running daemon");
  withConfig(zones.command("list").description("show every zone and its contact"))
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { listZones } = await import("./zones.ts");
      await listZones(await load(terminal, config), { json: json === true }, terminal);
    });
  withConfig(zones.command("watch").description("show the zones as they change, until Ctrl-C"))
    .option("--json", "print JSON, a zone that has changed a line")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { watchZones } = await import("./zones.ts");
      await watchZones(await load(terminal, config), { json: json === true }, terminal);
    });
  withConfig(zones.command("bypass").description("take a zone out of service for a while"))
    .requiredOption("--zone <id>", "the zone")
    .requiredOption("--reason <text>", "why, for whoever comes next")
    .option("--minutes <number>", "for how long (else 8 hours; 7 days at most)")
    .action(async ({ config, zone, reason, minutes }: ConfigOption & BypassFlags) => {
      const { bypassZone } = await import("./zones.ts");
      const order = { zone, reason, minutes: wholeNumber("--minutes", minutes) };
      await bypassZone(await load(terminal, config), order, terminal);
    });
  withConfig(
    zones.command("restore").description("put a zone back into service, after a bypass or a shutdown"),
  )
    .requiredOption("--zone <id>", "the zone")
    .action(async ({ config, zone }: ConfigOption & { zone: string }) => {
      const { restoreZone } = await import("./zones.ts");
      await restoreZone(await load(terminal, config), { zone }, terminal);
    });
  addTestCommands(root, terminal);
  withConfig(
    root.command("trip").description("open a zone's contact, as its sensor would; needs the running daemon"),
  )
    .requiredOption("--zone <id>", "the zone")
    .option("--restore", "close it instead")
    .action(async ({ config, zone, restore }: ConfigOption & { zone: string; restore?: boolean }) => {
      const { trip } = await import("./trip.ts");
      await trip(await load(terminal, config), { zone, restore: restore === true }, terminal);
    });
}

interface BypassFlags {
  readonly zone: string;
  readonly reason: string;
  readonly minutes?: string;
}

function addTestCommands(root: Command, terminal: Terminal): void {
  const test = root
    .command("test")
    .description("tests of the zones and of the way to the centre; needs the running daemon");
  withConfig(
    test.command("walk").description("hold everything back and tell which zones have tripped, until Ctrl-C"),
  )
    .option("--minutes <number>", "ends by itself after so long (else 30)")
    .option("--status", "show the one that runs, or the last one")
    .option("--end", "end the one that runs")
    .option("--json", "print JSON")
    .action(async ({ config, minutes, ...flags }: ConfigOption & WalkFlags) => {
      const { walkTest } = await import("./field-tests.ts");
      const options = {
        minutes: wholeNumber("--minutes", minutes),
        status: flags.status === true,
        end: flags.end === true,
        json: flags.json === true,
      };
      await walkTest(await load(terminal, config), options, terminal);
    });
  withConfig(
    test.command("signal").description("send one marked intervention the whole way, and tell each step"),
  )
    .option("--zone <id>", "the zone that it is sent for (else the first)")
    .option("--wait <seconds>", "how long to wait for its arrival", "60")
    .option("--json", "print JSON, a step a line")
    .action(
      async ({
        config,
        zone,
        wait,
        json,
      }: ConfigOption & { zone?: string; wait: string; json?: boolean }) => {
        const { signalTest } = await import("./field-tests.ts");
        const options = { zone, waitS: wholeNumber("--wait", wait) ?? 60, json: json === true };
        await signalTest(await load(terminal, config), options, terminal);
      },
    );
}

interface WalkFlags {
  readonly minutes?: string;
  readonly status?: boolean;
  readonly end?: boolean;
  readonly json?: boolean;
}

/** @throws AppError `usage` for what is no whole number */
function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new AppError("usage", `${option} takes a whole number, not ${text}`);
  return Number(text);
}
