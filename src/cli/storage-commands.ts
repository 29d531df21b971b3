import type { Command } from "commander";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `backup` and `restore`. */
export function addStorageCommands(root: Command, terminal: Terminal): void {
  withConfig(root.command("backup").description("create a backup, also while the daemon runs, and check it"))
    .option("--out <file>", "the backup file (default: a regular backup in dataDir/backups)")
    .addHelpText(
      "after",
      "\nThe newest three regular backups and the last one of an earlier week are kept.\nTo a second medium: santinela backup --out /media/usb/santinela.db",
    )
    .option("--json", "print JSON")
    .action(async ({ config, out, json }: ConfigOption & { out?: string; json?: boolean }) => {
      const { makeBackup } = await import("./backup.ts");
      await makeBackup(await load(terminal, config), { out, json: json === true }, terminal);
    });
  withConfig(root.command("restore").description("restore a backup; the daemon must be stopped"))
    .argument("<file>", "a file created by santinela backup")
    .option("--dry-run", "check the backup and print what would change")
    .option("--json", "print JSON")
    .addHelpText("after", "\nThe previous database is kept in dataDir/quarantine.")
    .action(
      async (file: string, { config, dryRun, json }: ConfigOption & { dryRun?: boolean; json?: boolean }) => {
        const { restoreBackup } = await import("./backup.ts");
        const options = { dryRun: dryRun === true, json: json === true };
        restoreBackup(await load(terminal, config), file, options, terminal);
      },
    );
}
