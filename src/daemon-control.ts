import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config/config.ts";
import type { DaemonOptions } from "./daemon-options.ts";
import type { Clock } from "./domain/clock.ts";
import type { JsonLog } from "./ops/log.ts";
import { backupFolder } from "./ops/backups.ts";
import { acceptMachine } from "./ops/machine-identity.ts";
import { restore } from "./ops/restore.ts";
import type { DaemonControl } from "./site/settings.ts";

interface DaemonControlParts extends Pick<DaemonOptions, "effectiveOptions" | "restart"> {
  readonly config: Pick<Config, "dataDir">;
  readonly clock: Clock;
  readonly log: JsonLog;
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
  reload,
  applyConfiguration,
}: DaemonControlParts): DaemonControl {
  // Of a run that ended before the restore: the user has seen no result.
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

/** The uploaded backup whose restore was ordered. */
function orderedBackup(dataDir: string): string {
  return join(backupFolder(dataDir), "being-restored.db");
}
