import { createHash, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import type { EffectiveOption } from "./config/effective.ts";
import type { Config } from "./config/config.ts";
import type { LoadOptions } from "./config/load.ts";
import type { ConfigurationText } from "./config/parsed-text.ts";
import type { Clock } from "./domain/clock.ts";
import type { SimulatedLines } from "./inputs/gpio/simulated-lines.ts";
import { hostOf, type Host } from "./ops/host.ts";
import { SystemClock } from "./ops/system-clock.ts";

/** Called at each reload: for the process's supervision, and to keep the text. */
export interface ReloadHooks {
  readonly onReloading: () => void;
  readonly onReloaded: () => void;
  /** @param config what is in force now. @param needsRestart options that are not in force as the text says */
  readonly onTaken: (config: Config, source: ConfigurationText, needsRestart: readonly string[]) => void;
}

/** What the daemon is given by the process that it runs in. */
export interface DaemonOptions {
  /** Takes one finished log line. */
  readonly write: (line: string) => void;
  /** Is told the first administrator's password, which nobody can read again and which must not stand in the log. */
  readonly announceInitialPassword: (account: { email: string; password: string }) => void;
  /** Every option in force, and where it was said. */
  readonly effectiveOptions: () => readonly EffectiveOption[];
  /** Where the configuration was looked for. */
  readonly load: LoadOptions;
  /** Log lines carry journald's priorities. */
  readonly forJournald: boolean;
  /** A listening socket for the network side that is kept over restarts; undefined to make one. */
  readonly httpDescriptor: number | undefined;
  /** A folder in memory, for what the disk does not take; without one nothing is kept there. */
  readonly runtimeDirectory?: string | undefined;
  /** A failpoint's specification, for tests. */
  readonly failpoint: string | undefined;
  /** Ends the process at once, for failpoints. */
  readonly kill: () => void;
  /** Called when everything has started, before the daemon says that it is ready. */
  readonly onStarted: () => void;
  /** What is wrong with the configuration file, when its last good copy runs instead. */
  readonly configurationFault: string | undefined;
  /** Why the copy that the run before was ended for could not be put back. */
  readonly restoreFault: string | undefined;
  /** Called at each reload. */
  readonly reload: ReloadHooks;
  /** Has this run ended in order, then does something while no file is open, and runs a daemon again. */
  readonly restart: (meanwhile: () => void) => void;
  /** The machine that it runs on; the real one where none is given. */
  readonly machine?: Machine;
}

/** A machine: its clocks, its boot, its wires, its chance. Tests play one. */
export interface Machine {
  readonly clock: Clock;
  readonly host: Host;
  /** What `gpio: { backend: simulated }` reads; played wires keep their levels while no daemon runs. */
  readonly lines: SimulatedLines | undefined;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** The machine that this process runs on. */
export function thisMachine(): Machine {
  const clock = new SystemClock();
  return { clock, host: hostOf(clock, randomUUID), lines: undefined, random: Math.random };
}

/** The file for changes that the disk does not take. A folder in memory may serve several installations, each with a file of its own. */
export function offDiskFileOf(
  { runtimeDirectory }: Pick<DaemonOptions, "runtimeDirectory">,
  { dataDir }: Pick<Config, "dataDir">,
): string | undefined {
  if (runtimeDirectory === undefined) return undefined;
  const which = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 12);
  return join(runtimeDirectory, `trips-${which}.ndjson`);
}
