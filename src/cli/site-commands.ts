import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { addZoneCommands } from "./zone-commands.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** What goes on at the site, asked of the running daemon. */
export function addSiteCommands(root: Command, terminal: Terminal): void {
  withConfig(
    root
      .command("status")
      .description(
        "the state of the site: alarm, fault, attention or well, and why; needs the running daemon",
      ),
  )
    .option("--json", "print JSON, as /site/status has it")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { showStatus } = await import("./status.ts");
      await showStatus(await load(terminal, config), { json: json === true }, terminal);
    });
  addZoneCommands(root, terminal);
  addInterventionCommands(root, terminal);
  const events = root
    .command("events")
    .description("who did what, and what the zones saw; the newest last; needs the running daemon");
  withConfig(events)
    .option("--limit <number>", "how many entries", "50")
    .option("--since <time>", "only since then: 30m, 2h, 1d or a time; looks at the newest 1000")
    .option("--zone <id>", "only trips of this zone; looks at the newest 1000")
    .option("--follow", "go on with what happens, until Ctrl-C")
    .option("--json", "print JSON; with --follow an entry a line")
    .action(async ({ config, limit, json, follow, since, zone }: ConfigOption & EventsFlags) => {
      const { showEvents } = await import("./events.ts");
      await showEvents(
        await load(terminal, config),
        { limit: numberOf(limit), json: json === true, follow: follow === true, since, zone },
        terminal,
      );
    });
  addAuditCommands(events, terminal);
  withConfig(
    root
      .command("metrics")
      .description("the daemon in numbers, as Prometheus reads them; needs the running daemon"),
  ).action(async ({ config }: ConfigOption) => {
    const { showMetrics } = await import("./metrics.ts");
    await showMetrics(await load(terminal, config), terminal);
  });
}

/** `events verify` and `events export`: the part of the event log that is kept by age. */
function addAuditCommands(events: Command, terminal: Terminal): void {
  withConfig(
    events
      .command("verify")
      .description("whether the audit trail is as it was written; ends with 1 when a link is broken"),
  ).action(async (_options: ConfigOption, command: Command) => {
    const { verifyAudit } = await import("./audit.ts");
    verifyAudit(await load(terminal, command.optsWithGlobals<ConfigOption>().config), terminal);
  });
  withConfig(
    events
      .command("export")
      .description("print the audit trail with its hashes, one JSON object a line, the oldest first"),
  ).action(async (_options: ConfigOption, command: Command) => {
    const { exportAudit } = await import("./audit.ts");
    exportAudit(await load(terminal, command.optsWithGlobals<ConfigOption>().config), terminal);
  });
}

interface EventsFlags {
  readonly limit: string;
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly since?: string;
  readonly zone?: string;
}

function addInterventionCommands(root: Command, terminal: Terminal): void {
  const interventions = root
    .command("interventions")
    .description("the records of this site; needs the running daemon");
  withConfig(interventions.command("list").description("list the newest interventions"))
    .option("--limit <number>", "how many", "20")
    .option("--status <status>", "only planned, in_progress or done ones")
    .option("--json", "print JSON")
    .action(
      async ({
        config,
        limit,
        status,
        json,
      }: ConfigOption & { limit: string; status?: string; json?: boolean }) => {
        const { listInterventions } = await import("./interventions.ts");
        await listInterventions(
          await load(terminal, config),
          { limit: numberOf(limit), status, json: json === true },
          terminal,
        );
      },
    );
  withConfig(interventions.command("show").description("show one intervention"))
    .argument("<id>", "its number")
    .option("--json", "print JSON")
    .action(async (id: string, { config, json }: ConfigOption & { json?: boolean }) => {
      const { showIntervention } = await import("./interventions.ts");
      await showIntervention(await load(terminal, config), { id, json: json === true }, terminal);
    });
  withConfig(interventions.command("set").description("change the status of an intervention"))
    .argument("<id>", "its number")
    .requiredOption("--status <status>", "planned, in_progress or done")
    .action(async (id: string, { config, status }: ConfigOption & { status: string }) => {
      const { setIntervention } = await import("./interventions.ts");
      await setIntervention(await load(terminal, config), { id, status }, terminal);
    });
}

function numberOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new AppError("usage", `--limit takes a number up to 1000, not ${text}`);
  return Math.min(Number(text), 1000);
}
