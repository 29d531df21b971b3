import type { EffectiveOption } from "./config/effective.ts";
import type { LoadOptions } from "./config/load.ts";
import type { Clock } from "./domain/clock.ts";
import type { SimulatedLines } from "./inputs/gpio/simulated-lines.ts";
import type { Host } from "./ops/host.ts";

/** What the daemon is given by the process that it runs in. */
export interface DaemonOptions {
  /** Takes one finished log line. */
  readonly write: (line: string) => void;
  /** Is told the first administrator's password, which nobody can read again and which must not stand in the log. */
  readonly tell: (account: { email: string; password: string }) => void;
  /** Every option in force, and where it was said. */
  readonly effectiveOptions: () => readonly EffectiveOption[];
  /** Where the configuration was looked for. */
  readonly load: LoadOptions;
  /** Log lines carry journald's priorities. */
  readonly forJournald: boolean;
  /** A listening socket for the network side that is kept over restarts; undefined to make one. */
  readonly httpDescriptor: number | undefined;
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
  /** Has this run ended in order, then does something while no file is open, and runs a daemon again. */
  readonly runAgain: (meanwhile: () => void) => void;
  /** The machine that it runs on; the real one where none is given. */
  readonly machine?: Machine;
}

/** A machine that a test plays: its clocks, its boot, its wires, its chance. */
export interface Machine {
  readonly clock: Clock;
  readonly host: Host;
  /** What `gpio: { backend: simulated }` reads; the wires keep their levels while no daemon runs. */
  readonly lines: SimulatedLines;
  /** A number in [0, 1). */
  readonly random: () => number;
}
