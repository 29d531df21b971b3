import type { Command } from "commander";
import { AppError } from "../domain/errors.ts";
import { addZoneCommands } from "./zone-commands.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `status`, `zones`, `test`, `trip`, `interventions`, `events` and `metrics`: they use the running daemon. */
export function addSiteCommands(root: Command, terminal: Terminal): void {
  withConfig(
    root
      .command("status")
      .description(
        "show the state of the site (alarm, fault, attention or well) and the reasons; needs a running daemon",
      ),
  )
    .option("--json", "print JSON, as /site/status")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { showStatus } = await import("./status.ts");
      await showStatus(await load(terminal, config), { json: json === true }, terminal);
    });
  addZoneCommands(root, terminal);
  addInterventionCommands(root, terminal);
  const events = root
    .command("events")
    .description("show the event log and the trips, newest last; needs a running daemon");
  withConfig(events)
    .option("--limit <number>", "maximum number of entries", "50")
    .option(
      "--since <time>",
      "only entries since this time: 30m, 2h, 1d or a timestamp; searches the newest 1000",
    )
    .option("--zone <id>", "only trips of this zone; searches the newest 1000")
    .option("--follow", "keep printing new entries, until Ctrl-C")
    .option("--json", "print JSON; with --follow one entry per line")
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
      .description("print the metrics in the Prometheus text format; needs a running daemon"),
  ).action(async ({ config }: ConfigOption) => {
    const { showMetrics } = await import("./metrics.ts");
    await showMetrics(await load(terminal, config), terminal);
  });
}

/** `events verify` and `events export`: the audit trail. */
function addAuditCommands(events: Command, terminal: Terminal): void {
  withConfig(
    events
      .command("verify")
      .description("verify the hash chain of the audit trail; exit code 1 if it is broken"),
  ).action(async (_options: ConfigOption, command: Command) => {
    const { verifyAudit } = await import("./audit.ts");
    verifyAudit(await load(terminal, command.optsWithGlobals<ConfigOption>().config), terminal);
  });
  withConfig(
    events
      .command("export")
      .description("print the audit trail with its hashes, one JSON object per line, oldest first"),
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
    .description("the interventions of this site; needs a running daemon");
  withConfig(interventions.command("list").description("list the newest interventions"))
    .option("--limit <number>", "maximum number of interventions", "20")
    .option("--status <status>", "only interventions that are planned, in_progress or done")
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
    .argument("<id>", "intervention id")
    .option("--json", "print JSON")
    .action(async (id: string, { config, json }: ConfigOption & { json?: boolean }) => {
      const { showIntervention } = await import("./interventions.ts");
      await showIntervention(await load(terminal, config), { id, json: json === true }, terminal);
    });
  withConfig(interventions.command("set").description("change the status of an intervention"))
    .argument("<id>", "intervention id")
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
