import type { Command } from "commander";
import type { SyncAction } from "../site/sync-view.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import { confirm } from "./confirm.ts";
import type { Terminal } from "./terminal.ts";

/** `sync`: state of the sync and actions on single records. */
export function addSyncCommands(root: Command, terminal: Terminal): void {
  const sync = root
    .command("sync")
    .description("synchronisation with the dispatch centre; needs a running daemon");
  for (const [name, description] of [
    ["status", "show queued records, since when and why"],
    ["now", "retry everything now and show what is left"],
  ] as const) {
    withConfig(sync.command(name).description(description))
      .option("--json", "print JSON")
      .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
        const { syncStatus } = await import("./sync.ts");
        await syncStatus(
          await load(terminal, config),
          { now: name === "now", json: json === true },
          terminal,
        );
      });
  }
  withConfig(sync.command("dead").description("list records that need attention, with the reason"))
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { syncDead } = await import("./sync.ts");
      await syncDead(await load(terminal, config), { json: json === true }, terminal);
    });
  const recordsCommand = (action: SyncAction, argument: string, description: string): Command =>
    withConfig(sync.command(action).description(description))
      .argument(argument, "intervention ids as in sync status")
      .option("--json", "print JSON with the remaining work of each record")
      .action(async (ids: string[], { config, json, yes }: RecordsOptions) => {
        if (action === "drop") await confirm(dropQuestion(ids), { yes: yes === true }, terminal);
        const { syncRecords } = await import("./sync.ts");
        await syncRecords(await load(terminal, config), { action, ids, json: json === true }, terminal);
      });
  recordsCommand("retry", "[intervention...]", "retry records now; all records of `sync dead` by default");
  recordsCommand(
    "drop",
    "<intervention...>",
    "stop sending records to the dispatch centre; they stay local",
  ).option("--yes", "do not ask for confirmation");
  recordsCommand(
    "reassert",
    "<intervention...>",
    "overwrite records at the dispatch centre with the local values, after it was restored from a backup",
  );
}

interface RecordsOptions extends ConfigOption {
  readonly json?: boolean;
  readonly yes?: boolean;
}

function dropQuestion(ids: readonly string[]): string {
  return `Never send to the dispatch centre: ${ids.join(", ")}. Continue?`;
}
