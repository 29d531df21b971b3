import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `zones`, `test` and `trip`. */
export function addZoneCommands(root: Command, terminal: Terminal): void {
  const zones = root.command("zones").description("the zones and their contacts; needs a running daemon");
  withConfig(zones.command("list").description("list all zones with their contacts"))
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { listZones } = await import("./zones.ts");
      await listZones(await load(terminal, config), { json: json === true }, terminal);
    });
  withConfig(zones.command("watch").description("show changes of the zones live, until Ctrl-C"))
    .option("--json", "print JSON, one changed zone per line")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { watchZones } = await import("./zones.ts");
      await watchZones(await load(terminal, config), { json: json === true }, terminal);
    });
  withConfig(zones.command("bypass").description("take a zone out of service for a limited time"))
    .requiredOption("--zone <id>", "the zone")
    .requiredOption("--reason <text>", "reason, kept in the event log")
    .option("--minutes <number>", "duration in minutes (default 8 hours, maximum 7 days)")
    .action(async ({ config, zone, reason, minutes }: ConfigOption & BypassFlags) => {
      const { bypassZone } = await import("./zones.ts");
      const request = { zone, reason, minutes: wholeNumber("--minutes", minutes) };
      await bypassZone(await load(terminal, config), request, terminal);
    });
  withConfig(
    zones.command("restore").description("return a zone to service after a bypass or swinger shutdown"),
  )
    .requiredOption("--zone <id>", "the zone")
    .action(async ({ config, zone }: ConfigOption & { zone: string }) => {
      const { restoreZone } = await import("./zones.ts");
      await restoreZone(await load(terminal, config), { zone }, terminal);
    });
  addTestCommands(root, terminal);
  withConfig(
    root.command("trip").description("open a zone's contact as its sensor would; needs a running daemon"),
  )
    .requiredOption("--zone <id>", "the zone")
    .option("--restore", "restore the contact instead")
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
    .description("tests of the zones and of the alarm path; needs a running daemon");
  withConfig(
    test
      .command("walk")
      .description("run a walk test: suppress dispatch and list the zones that trip, until Ctrl-C"),
  )
    .option("--minutes <number>", "duration in minutes (default 30)")
    .option("--status", "show the running test, or the last one")
    .option("--end", "end the running test")
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
    test.command("signal").description("send a test intervention to the dispatch centre and show each step"),
  )
    .option("--zone <id>", "the zone of the test (default: the first)")
    .option("--wait <seconds>", "how long to wait for its arrival, in seconds", "60")
    .option("--json", "print JSON, one step per line")
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

/** @throws AppError `usage` if the text is not a whole number */
function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new AppError("usage", `${option} takes a whole number, not ${text}`);
  return Number(text);
}
