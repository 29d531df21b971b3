import type { CommandGroup } from "./command-group.ts";

/** `doctor`, `backup`, `restore`, `machine` and `gpio`: the machine and its files. */
export function addMaintenanceCommands(root: CommandGroup): void {
  root
    .addUnloaded(
      "doctor",
      "check the installation for problems that could lose trips",
      async () => (await import("./doctor.ts")).doctor,
    )
    .option("--listen <seconds>", "how long to listen to the sensors, in seconds", "5")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nIt tests with a separate session whether the broker queues messages while the daemon is offline. Whether the broker\nkeeps them over its own power cut cannot be tested; the example of settings for Mosquitto keeps them\n(/usr/share/doc/santinela/docs/sensors.md).",
    );
  root
    .addWithoutPasswords(
      "backup",
      "create a backup and check it; works while the daemon runs",
      async () => (await import("./backup.ts")).makeBackup,
    )
    .option("--out <file>", "the backup file (default: a regular backup in dataDir/backups)")
    .addHelpText(
      "after",
      "\nThe newest three regular backups and the last one of an earlier week are kept.\nTo a second medium: santinela backup --out /media/usb/santinela.db",
    )
    .option("--json", "print JSON");
  root
    .add(
      "restore",
      "restore a backup; the daemon must be stopped",
      async () => (await import("./backup.ts")).restoreBackup,
    )
    .argument("<file>", "a file created by santinela backup")
    .option("--dry-run", "check the backup and print what would change")
    .option("--other-site", "restore it although it is of another site")
    .option("--json", "print JSON")
    .addHelpText("after", "\nThe previous database is kept in dataDir/quarantine.");
  root
    .group("machine", "the machine on which the data was created")
    .add(
      "confirm",
      "confirm that this machine replaces the one on which the data was created; needs a running daemon",
      async () => (await import("./machine.ts")).confirmMachine,
    )
    .option("--yes", "do not ask for confirmation");
  root
    .group("gpio", "the GPIO lines of this machine")
    .add(
      "list",
      "list GPIO chips and lines, with the level of each and the program that uses it; read-only",
      async () => (await import("./gpio.ts")).gpioList,
    )
    .option("--all", "include unnamed, unused lines")
    .option("--json", "print JSON");
}
