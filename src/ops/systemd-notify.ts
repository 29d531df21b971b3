import { writeSync } from "node:fs";
import type { CancelTimer, Clock } from "../domain/clock.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The first descriptor that systemd hands to a service (sd_listen_fds(3)). */
const FIRST_DESCRIPTOR = 3;
/** sd_watchdog_enabled(3) asks for half the period; a third leaves room for one late turn of the loop. */
const PINGS_PER_PERIOD = 3;
/** A poor card checks and copies a database of 256 MB within half of it. */
const PATIENCE_MS = 600_000;

/**
 * The descriptor that systemd hands to a service under a name (FileDescriptorName=, sd_listen_fds(3)).
 * @returns undefined when there is none, or when they were meant for another process (LISTEN_PID)
 */
export function inheritedDescriptor(env: Environment, pid: number, name: string): number | undefined {
  const index = isOurs(env, "LISTEN_PID", pid) ? (env["LISTEN_FDNAMES"] ?? "").split(":").indexOf(name) : -1;
  return index < 0 ? undefined : FIRST_DESCRIPTOR + index;
}

function isOurs(env: Environment, variable: string, pid: number): boolean {
  return env[variable] === undefined || env[variable] === String(pid);
}

/**
 * What systemd is told about this process (sd_notify(3)): ready, alive, stopping. Node has no datagram sockets of the
 * local kind, so a connected one comes as a handed-over descriptor named `notify`; without it nothing is told.
 */
export class SystemdNotifier {
  readonly #descriptor: number | undefined;
  readonly #watchdogMs: number | undefined;
  #isPatient = false;
  #isStopping = false;

  /**
   * @param descriptor where messages are written to; undefined outside a service
   * @param watchdogMs systemd restarts the service after so long without a sign of life; undefined: it does not watch
   */
  constructor(descriptor: number | undefined, watchdogMs: number | undefined) {
    this.#descriptor = descriptor;
    this.#watchdogMs = watchdogMs;
  }

  /** As the environment of a service says; what was meant for another process (WATCHDOG_PID) is not ours. */
  static of(env: Environment, pid: number): SystemdNotifier {
    const microseconds = isOurs(env, "WATCHDOG_PID", pid) ? Number(env["WATCHDOG_USEC"] ?? 0) : 0;
    return new SystemdNotifier(
      inheritedDescriptor(env, pid, "notify"),
      microseconds > 0 ? microseconds / 1000 : undefined,
    );
  }

  /** To be said when the databases are writable, the API answers and the sensors are heard. */
  ready(): void {
    if (!this.#isStopping) this.#tell("READY=1");
  }

  /**
   * Reports that the configuration is being loaded, until `ready`. A unit of Type=notify-reload (systemd 253) needs it;
   * one of Type=notify accepts it.
   */
  reloading(clock: Pick<Clock, "monotonicMs">): void {
    this.#tell(`RELOADING=1\nMONOTONIC_USEC=${Math.floor(clock.monotonicMs() * 1000)}`);
  }

  /** To be said first when stopping, so that the silence that follows is no hang. */
  stopping(): void {
    this.#isStopping = true;
    this.#tell("STOPPING=1");
  }

  /**
   * To be said before the loop stands still for longer than usual, as while a database is put back: killed in the
   * middle it would have to begin anew. Over with the next `watch`.
   */
  extendWatchdog(): void {
    if (this.#watchdogMs === undefined) return;
    this.#isPatient = true;
    this.#tell(`WATCHDOG_USEC=${PATIENCE_MS * 1000}`);
  }

  /**
   * Gives signs of life from the main loop, for as long as the daemon does its work: a loop that turns beside trips
   * that do not move is restarted like one that hangs.
   * @returns ends the signs
   */
  watch(clock: Clock, isStalled: () => boolean): CancelTimer {
    const watchdogMs = this.#watchdogMs;
    if (watchdogMs === undefined) return () => {};
    if (this.#isPatient) this.#tell(`WATCHDOG_USEC=${watchdogMs * 1000}`);
    this.#isPatient = false;
    let cancel: CancelTimer = () => {};
    const sign = (): void => {
      cancel = clock.after(watchdogMs / PINGS_PER_PERIOD, sign);
      if (!isStalled()) this.#tell("WATCHDOG=1");
    };
    sign();
    return () => cancel();
  }

  #tell(message: string): void {
    if (this.#descriptor === undefined) return;
    try {
      writeSync(this.#descriptor, message);
    } catch {
      // systemd is restarting itself: it takes over what it knew, and a sign of life that is lost is followed by another.
    }
  }
}
