import { randomUUID } from "node:crypto";
import type { EffectiveOption } from "./config/effective.ts";
import type { Config } from "./config/config.ts";
import type { LoadOptions } from "./config/load.ts";
import type { ConfigurationText } from "./config/parsed-text.ts";
import type { Clock } from "./domain/clock.ts";
import type { ZoneChanges } from "./domain/zone-changes.ts";
import type { SimulatedLines } from "./inputs/gpio/gpio-port.ts";
import type { DamageRestarts } from "./ops/damage-restart.ts";
import { hostOf, type Host } from "./ops/host.ts";
import { offDiskFile } from "./ops/off-disk-file.ts";
import type { BeforeLongWork } from "./ops/start-work.ts";
import { SystemClock } from "./ops/system-clock.ts";

/** Callbacks of a reload: for the systemd notifier and for the last good configuration. */
export interface ReloadHooks {
  readonly onReloading: () => void;
  readonly onReloaded: () => void;
  /**
   * @param config the configuration in force now
   * @param needsRestart options whose new value needs a restart
   */
  readonly onApplied: (config: Config, source: ConfigurationText, needsRestart: readonly string[]) => void;
  /** Called when a change that was applied on trial is proven. */
  readonly onProven: () => void;
}

/**
 * Configuration in force. A reload replaces its sections in place, and alarm panels add zones; components read it on each
 * use.
 */
export type RunningConfig = { -readonly [Section in keyof Config]: Config[Section] };

/** What the process gives the daemon. */
export interface DaemonOptions {
  /** Writes one complete log line. */
  readonly write: (line: string) => void;
  /** Shows the initial administrator's password once. It is not stored in readable form and must not be logged. */
  readonly announceInitialPassword: (account: { email: string; password: string }) => void | Promise<void>;
  /** Every option in force with its source. */
  readonly effectiveOptions: () => readonly EffectiveOption[];
  /** How the configuration was located. */
  readonly load: LoadOptions;
  /** Prefix log lines with journald priorities. */
  readonly forJournald: boolean;
  /** The next unused file descriptor of the listening socket that systemd passes; undefined to open one. */
  readonly nextDescriptor: () => number | undefined;
  /** Whether a port that cannot be opened is a condition instead of an error, as after a power cut; by default not. */
  readonly waitsForPort?: boolean;
  /** Called before long work on the databases during the start; optional. */
  readonly beforeLongWork?: BeforeLongWork;
  /** Directory in memory for changes that a full or failing disk does not take; set by systemd for RuntimeDirectory=. */
  readonly runtimeDirectory?: string | undefined;
  /** Of the boot of the machine, set by the unit of the package, whose /proc has only processes; the kernel's if undefined. */
  readonly bootId?: string | undefined;
  /** Failpoint specification, for tests. */
  readonly failpoint: string | undefined;
  /** Kills the process, for failpoints. */
  readonly kill: () => void;
  /** Called with the HTTP address when everything has started, before the daemon reports that it is ready. */
  readonly onStarted: (address: { readonly host: string; readonly port: number }) => void;
  /** Error of the configuration file when the last good configuration runs instead. */
  readonly configurationFault: string | undefined;
  /** Why the backup for which the previous run ended could not be restored. */
  readonly restoreFault: string | undefined;
  /** Zones that differ from those of the former run; optional. */
  readonly zonesEdited?: ZoneChanges | undefined;
  /** Called at each reload. */
  readonly reload: ReloadHooks;
  /** Stops this run cleanly, calls `betweenRuns` while no file is open, and starts a new run. */
  readonly restart: (betweenRuns: () => void) => void;
  /** The restarts of this process because of a damaged database; by default there was none. */
  readonly damageRestarts?: DamageRestarts;
  /** Stops this run cleanly and powers the machine off; a new run follows if that fails. By default nothing happens. */
  readonly powerOff?: () => void;
  /** Why the machine could not be powered off after the previous run. */
  readonly powerOffFault?: string | undefined;
  /** Default: the real machine. */
  readonly machine?: Machine;
}

/** Clock, host, GPIO lines and randomness; tests replace them. */
export interface Machine {
  readonly clock: Clock;
  readonly host: Host;
  /** Lines for `gpio: { backend: simulated }`; they keep their levels between runs. */
  readonly lines: SimulatedLines | undefined;
  /** Directory before the paths of converters in /sys; a real machine has none. */
  readonly root?: string;
  /** Random number in [0, 1). */
  readonly random: () => number;
}

/** The machine that this process runs on. @param bootId from systemd, where the kernel's is hidden */
export function thisMachine(bootId?: string): Machine {
  const clock = new SystemClock();
  return { clock, host: hostOf(clock, randomUUID, "", bootId), lines: undefined, random: Math.random };
}

/** File for changes that the disk does not take. */
export function offDiskFileOf(
  { runtimeDirectory }: Pick<DaemonOptions, "runtimeDirectory">,
  { dataDir }: Pick<Config, "dataDir">,
): string | undefined {
  return runtimeDirectory === undefined ? undefined : offDiskFile(runtimeDirectory, dataDir);
}
