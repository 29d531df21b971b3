import type { Command } from "commander";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `backup` and `restore`: the database on this disk and elsewhere. */
export function addStorageCommands(root: Command, terminal: Terminal): void {
  withConfig(
    root.command("backup").description("copy the database, also while the daemon runs, and check the copy"),
  )
    .option("--out <file>", "the copy; without it one of the regular copies in dataDir/backups")
    .addHelpText(
      "after",
      "\nKept of the regular copies are the newest three and the last one of an earlier week.\nTo a second medium: santinela backup --out /media/usb/santinela.db",
    )
    .option("--json", "print JSON")
    .action(async ({ config, out, json }: ConfigOption & { out?: string; json?: boolean }) => {
      const { makeBackup } = await import("./backup.ts");
      await makeBackup(await load(terminal, config), { out, json: json === true }, terminal);
    });
  withConfig(root.command("restore").description("put a copy back; the daemon must be stopped"))
    .argument("<file>", "a copy made by santinela backup")
    .option("--dry-run", "check the copy and say what would change")
    .option("--json", "print JSON")
    .addHelpText("after", "\nNothing is lost: the database until now is kept in dataDir/quarantine.")
    .action(
      async (file: string, { config, dryRun, json }: ConfigOption & { dryRun?: boolean; json?: boolean }) => {
        const { restoreBackup } = await import("./backup.ts");
        const how = { dryRun: dryRun === true, json: json === true };
        restoreBackup(await load(terminal, config), file, how, terminal);
      },
    );
}
