import type { EffectiveOption } from "./config/effective.ts";

/** What the daemon is given by the process that it runs in. */
export interface DaemonOptions {
  /** Takes one finished log line. */
  readonly write: (line: string) => void;
  /** Is told the first administrator's password, which nobody can read again and which must not stand in the log. */
  readonly tell: (account: { email: string; password: string }) => void;
  /** Every option in force, and where it was said. */
  readonly effectiveOptions: () => readonly EffectiveOption[];
  /** Log lines carry journald's priorities. */
  readonly forJournald: boolean;
  /** A failpoint's specification, for tests. */
  readonly failpoint: string | undefined;
  /** Ends the process at once, for failpoints. */
  readonly kill: () => void;
  /** Called when everything has started, before the daemon says that it is ready. */
  readonly onStarted: () => void;
  /** What is wrong with the configuration file, when its last good copy runs instead. */
  readonly configurationFault: string | undefined;
}
