import type { Command } from "commander";
import type { SyncAction } from "../http/site/sync-port.ts";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import { confirm } from "./confirm.ts";
import type { Terminal } from "./terminal.ts";

/** `sync`: where the records are on their way to the centre, and what people can do about it. */
export function addSyncCommands(root: Command, terminal: Terminal): void {
  const sync = root.command("sync").description("the way to the dispatch centre; needs the running daemon");
  for (const [name, description] of [
    ["status", "show what waits, since when and why"],
    ["now", "try everything now, and show what is left"],
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
  withConfig(sync.command("dead").description("show what will not reach the centre by itself, and why"))
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { syncDead } = await import("./sync.ts");
      await syncDead(await load(terminal, config), { json: json === true }, terminal);
    });
  const recordsCommand = (action: SyncAction, whose: string, description: string): Command =>
    withConfig(sync.command(action).description(description))
      .argument(whose, "numbers as in sync status")
      .option("--json", "print JSON, what is left to do for each")
      .action(async (ids: string[], { config, json, yes }: RecordsOptions) => {
        if (action === "drop") await confirm(dropQuestion(ids), { yes: yes === true }, terminal);
        const { syncRecords } = await import("./sync.ts");
        await syncRecords(await load(terminal, config), { action, ids, json: json === true }, terminal);
      });
  recordsCommand(
    "retry",
    "[intervention...]",
    "try records again now, all of `sync dead` where none is named",
  );
  recordsCommand(
    "drop",
    "<intervention...>",
    "give up bringing records to the centre; they stay here",
  ).option("--yes", "do not ask");
  recordsCommand(
    "reassert",
    "<intervention...>",
    "make records at the centre what they are here, after it was restored from a backup",
  );
}

interface RecordsOptions extends ConfigOption {
  readonly json?: boolean;
  readonly yes?: boolean;
}

function dropQuestion(ids: readonly string[]): string {
  return `The centre will never learn of ${ids.join(", ")}. Give up?`;
}
