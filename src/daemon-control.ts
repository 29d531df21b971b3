import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { DaemonOptions } from "./daemon-options.ts";
import type { Clock } from "./domain/clock.ts";
import type { Conditions } from "./domain/condition.ts";
import type { JsonLog } from "./ops/log.ts";
import { backupFolder } from "./ops/backups.ts";
import { acceptMachine } from "./ops/machine-identity.ts";
import { restore } from "./ops/restore.ts";
import type { DaemonControl } from "./site/settings.ts";

interface DaemonControlParts extends Pick<DaemonOptions, "effectiveOptions" | "restart"> {
  readonly config: Pick<Config, "dataDir">;
  readonly clock: Clock;
  readonly log: JsonLog;
  readonly conditions: Conditions;
  readonly reload: DaemonControl["reload"];
  readonly applyConfiguration: DaemonControl["applyConfiguration"];
}

/** Actions of administrators on the whole daemon. */
export function daemonControl({
  effectiveOptions,
  restart,
  config: { dataDir },
  clock,
  log,
  conditions,
  reload,
  applyConfiguration,
}: DaemonControlParts): DaemonControl {
  // Of a process that ended before the restore, as in a power cut or because of a thread that could not be ended.
  if (existsSync(orderedBackup(dataDir))) conditions.raise("restore-failed", UNFINISHED_RESTORE);
  rmSync(orderedBackup(dataDir), { force: true });
  return {
    configuration: () => effectiveOptions(),
    enableDebugLog: (forMs) => log.enableDebug(forMs),
    reload,
    applyConfiguration,
    restart: () => restart(() => {}),
    acceptMachine: () => acceptMachine(dataDir),
    restore: ({ path, by, plan }) => {
      // A front that is started again meanwhile removes uploads.
      const ordered = orderedBackup(dataDir);
      renameSync(path, ordered);
      restart(() => {
        try {
          restore(dataDir, ordered, clock.wallMs(), by, plan);
        } finally {
          rmSync(ordered, { force: true });
        }
      });
    },
  };
}

const UNFINISHED_RESTORE =
  "the daemon ended before the restore of the uploaded backup was complete. If the event log does not show the restore, upload the backup again.";

/** The uploaded backup whose restore was ordered. */
function orderedBackup(dataDir: string): string {
  return join(backupFolder(dataDir), "being-restored.db");
}
