import { rmSync } from "node:fs";
import type { Config } from "./config/config.ts";
import type { DaemonOptions } from "./daemon-options.ts";
import type { Clock } from "./domain/clock.ts";
import type { JsonLog } from "./ops/log.ts";
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
  return {
    configuration: () => effectiveOptions(),
    enableDebugLog: (forMs) => log.enableDebug(forMs),
    reload,
    applyConfiguration,
    restart: () => restart(() => {}),
    acceptMachine: () => acceptMachine(dataDir),
    restore: ({ path, by, plan }) =>
      restart(() => {
        try {
          restore(dataDir, path, clock.wallMs(), by, plan);
        } finally {
          rmSync(path, { force: true });
        }
      }),
  };
}
