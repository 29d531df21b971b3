import { writeSync } from "node:fs";
import type { CancelTimer, Clock } from "../domain/clock.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The first descriptor that systemd passes to a service (sd_listen_fds(3)). */
const FIRST_DESCRIPTOR = 3;
/** sd_watchdog_enabled(3) recommends half the period; a third allows one late turn of the event loop. */
const PINGS_PER_PERIOD = 3;
/** Extended timeout: twice the time in which a slow SD card checks and copies a database of 256 MB. */
const EXTENDED_WATCHDOG_MS = 600_000;
const EXTENDED_BYTES = 256 * 1_048_576;
/** As TimeoutStartSec= in the unit: what remains of the start after its work on the databases. */
const START_MS = 180_000;

/**
 * The descriptors that systemd passes to a service under a name (FileDescriptorName=, sd_listen_fds(3)).
 * @returns none if they are for another process (LISTEN_PID)
 */
export function inheritedDescriptors(env: Environment, pid: number, name: string): number[] {
  if (!isOurs(env, "LISTEN_PID", pid)) return [];
  const names = (env["LISTEN_FDNAMES"] ?? "").split(":");
  return names.flatMap((each, index) => (each === name ? [FIRST_DESCRIPTOR + index] : []));
}

function isOurs(env: Environment, variable: string, pid: number): boolean {
  return env[variable] === undefined || env[variable] === String(pid);
}

/**
 * Notifies systemd about this process (sd_notify(3)): ready, alive, stopping. Node has no local datagram sockets,
 * so a connected one is inherited as a descriptor named `notify`; without it nothing is sent.
 */
export class SystemdNotifier {
  readonly #descriptor: number | undefined;
  readonly #watchdogMs: number | undefined;
  #isExtended = false;
  #isStopping = false;

  /**
   * @param descriptor receives the messages; undefined outside a service
   * @param watchdogMs systemd restarts the service after this time without a keep-alive; undefined for no watchdog
   */
  constructor(descriptor: number | undefined, watchdogMs: number | undefined) {
    this.#descriptor = descriptor;
    this.#watchdogMs = watchdogMs;
  }

  /** Creates a notifier from the environment of a service; values for another process (WATCHDOG_PID) are ignored. */
  static of(env: Environment, pid: number): SystemdNotifier {
    const microseconds = isOurs(env, "WATCHDOG_PID", pid) ? Number(env["WATCHDOG_USEC"] ?? 0) : 0;
    return new SystemdNotifier(
      inheritedDescriptors(env, pid, "notify")[0],
      microseconds > 0 ? microseconds / 1000 : undefined,
    );
  }

  /**
   * Call it when the databases are writable, the API responds and the inputs run.
   * @param status one line for `systemctl status`
   */
  ready(status?: string): void {
    if (!this.#isStopping) this.#send(status === undefined ? "READY=1" : `READY=1\nSTATUS=${status}`);
  }

  /**
   * Reports that the configuration is being reloaded, until `ready`. Type=notify-reload (systemd 253) requires it;
   * Type=notify accepts it.
   */
  reloading(clock: Pick<Clock, "monotonicMs">): void {
    this.#send(`RELOADING=1\nMONOTONIC_USEC=${Math.floor(clock.monotonicMs() * 1000)}`);
  }

  /** Call it first when stopping, so that missing keep-alives do not count as a hang. */
  stopping(): void {
    this.#isStopping = true;
    this.#send("STOPPING=1");
  }

  /**
   * Call it before the event loop blocks for longer than usual, as during a restore from backup, which must not be
   * killed. Ends with the next `watch`.
   */
  extendWatchdog(): void {
    if (this.#watchdogMs === undefined) return;
    this.#isExtended = true;
    this.#send(`WATCHDOG_USEC=${EXTENDED_WATCHDOG_MS * 1000}`);
  }

  /**
   * Call it before a start works on this many bytes of databases. systemd moves the limit of the start, or the next
   * one of the watchdog, to the given time from now, and never to an earlier time.
   */
  extendStart(bytes: number): void {
    const ms = START_MS + Math.ceil((bytes / EXTENDED_BYTES) * EXTENDED_WATCHDOG_MS);
    this.#send(`EXTEND_TIMEOUT_USEC=${ms * 1000}`);
  }

  /**
   * Sends keep-alives from the event loop while the daemon works. A daemon with stalled trips is restarted like one
   * that hangs.
   * @returns a function that ends the keep-alives
   */
  watch(clock: Clock, isStalled: () => boolean): CancelTimer {
    const watchdogMs = this.#watchdogMs;
    if (watchdogMs === undefined) return () => {};
    if (this.#isExtended) this.#send(`WATCHDOG_USEC=${watchdogMs * 1000}`);
    this.#isExtended = false;
    let cancel: CancelTimer = () => {};
    const keepAlive = (): void => {
      cancel = clock.after(watchdogMs / PINGS_PER_PERIOD, keepAlive);
      if (!isStalled()) this.#send("WATCHDOG=1");
    };
    keepAlive();
    return () => cancel();
  }

  #send(message: string): void {
    if (this.#descriptor === undefined) return;
    try {
      writeSync(this.#descriptor, message);
    } catch {
      // systemd is restarting: it keeps its state, and another keep-alive follows.
    }
  }
}
