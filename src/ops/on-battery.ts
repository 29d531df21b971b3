import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { OnBatteryConfig } from "../domain/on-battery.ts";
import type { Contact } from "../domain/zone.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

interface OnBatteryOptions {
  /** Read at each check; a reload may change it. Null: off. */
  readonly config: () => OnBatteryConfig | null;
  /** `unknown` for a zone that has not reported since the start, or cannot be read now. */
  readonly contactOf: (zoneId: string) => Contact;
  /** Trips and records that are not at the dispatch centre. @throws Error if a database cannot be read */
  readonly waiting: () => number;
  /** Why an earlier run could not power the machine off; it is not tried again until mains was there. */
  readonly fault: string | undefined;
  /** Uptime of the machine now, in milliseconds. */
  readonly hostUpMs: number;
  /** Ends the run in order and powers the machine off. */
  readonly powerOff: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly record: (event: NewEvent) => void;
}

const CHECK_INTERVAL_MS = 1_000;
/**
 * No power-off earlier after a boot: a machine that boots with an empty battery must stay reachable for long enough to change
 * the configuration.
 */
const UP_MS_MIN = 120_000;
/** How long records may delay it: a battery that is nearly empty lasts for about as long. */
const SEND_MS_MAX = 20_000;
/**
 * No power-off by time earlier after the zone of mains could be read again: the first value may be one that a broker has
 * kept, from before mains returned.
 */
const READ_MS_MIN = 60_000;

/** Powers the machine off before a battery is empty, so that the last minutes are written in order and sent. */
export class OnBattery {
  readonly #options: OnBatteryOptions;
  /** Boot of the machine, monotonic. */
  readonly #bootMs: number;
  /** Since when mains is lost and the battery is low, monotonic. */
  #lostMs: number | undefined;
  #lowMs: number | undefined;
  /** How long the zone of mains was read as open since then; it does not grow while the zone cannot be read. */
  #openMs = 0;
  /** The last check if it has read the zone as open, monotonic. */
  #openCheckMs: number | undefined;
  #hasFailed: boolean;
  #isOrdered = false;
  #cancel: CancelTimer = () => {};

  constructor(options: OnBatteryOptions) {
    this.#options = options;
    this.#bootMs = options.clock.monotonicMs() - options.hostUpMs;
    this.#hasFailed = options.fault !== undefined;
  }

  /** Begins to watch. @returns ends it */
  start(): () => void {
    const { fault, conditions } = this.#options;
    if (fault !== undefined) conditions.raise("power-off-failed", { reason: fault });
    this.#check();
    return () => this.#cancel();
  }

  #check(): void {
    const { config, clock } = this.#options;
    this.#cancel = clock.after(CHECK_INTERVAL_MS, () => this.#check());
    const now = config();
    if (!now) return this.#reset();
    if (!this.#isLost(now)) return;
    const nowMs = clock.monotonicMs();
    const dueMs = this.#dueMs(now);
    if (this.#isOrdered || this.#hasFailed || nowMs < dueMs) return;
    if (nowMs < dueMs + SEND_MS_MAX && this.#isWaiting()) return;
    this.#order(nowMs);
  }

  /** Notes since when mains is lost and the battery is low, and shows it. */
  #isLost(config: OnBatteryConfig): boolean {
    const { contactOf, clock, conditions } = this.#options;
    const { batteryLow } = config;
    const contact = contactOf(config.mains);
    if (contact === "normal") this.#reset();
    const nowMs = clock.monotonicMs();
    if (contact === "open") {
      if (this.#lostMs === undefined) conditions.raise("on-battery", { since: isoTime(clock.wallMs()) });
      this.#lostMs ??= nowMs;
      this.#countOpen(config, nowMs);
    } else this.#openCheckMs = undefined;
    if (this.#lostMs === undefined) return false;
    if (batteryLow === null || contactOf(batteryLow) !== "open") this.#lowMs = undefined;
    else this.#lowMs ??= nowMs;
    return true;
  }

  #countOpen({ powerOffAfterMs }: OnBatteryConfig, nowMs: number): void {
    const isReadAgain = this.#openCheckMs === undefined && this.#openMs > 0;
    if (isReadAgain && powerOffAfterMs !== null)
      this.#openMs = Math.min(this.#openMs, Math.max(0, powerOffAfterMs - READ_MS_MIN));
    this.#openMs += nowMs - (this.#openCheckMs ?? nowMs);
    this.#openCheckMs = nowMs;
  }

  #reset(): void {
    const { conditions } = this.#options;
    this.#lostMs = this.#lowMs = this.#openCheckMs = undefined;
    this.#openMs = 0;
    this.#hasFailed = false;
    conditions.clear("on-battery");
    conditions.clear("power-off-failed");
  }

  #dueMs({ powerOffAfterMs }: OnBatteryConfig): number {
    const openCheckMs = this.#openCheckMs;
    const isByTime = powerOffAfterMs !== null && openCheckMs !== undefined;
    const byTimeMs = isByTime ? openCheckMs - this.#openMs + powerOffAfterMs : Infinity;
    return Math.max(this.#bootMs + UP_MS_MIN, Math.min(byTimeMs, this.#lowMs ?? Infinity));
  }

  #isWaiting(): boolean {
    try {
      return this.#options.waiting() > 0;
    } catch {
      return false;
    }
  }

  #order(nowMs: number): void {
    const { record, log, powerOff } = this.#options;
    this.#isOrdered = true;
    const detail = {
      onBatteryS: Math.round((nowMs - (this.#lostMs ?? nowMs)) / 1000),
      isBatteryLow: this.#lowMs !== undefined,
    };
    log.warn("power-off-ordered", detail);
    try {
      record({ event: "power-off-ordered", who: "santinela", from: "itself", subject: "machine", detail });
    } catch (error) {
      log.error("power-off-event-write-failed", { reason: messageOf(error) });
    }
    powerOff();
  }
}

/** logind answers at once; without an answer the daemon goes on monitoring before the watchdog of systemd (30 s) ends it. */
const ANSWER_MS_MAX = 10_000;

/**
 * Asks systemd to power this machine off, without a shell and as the user of the daemon: the machine's own rules decide
 * whether it may.
 * @returns why it was refused; undefined once the machine is being powered off
 */
export async function powerOffMachine(): Promise<string | undefined> {
  try {
    await promisify(execFile)("systemctl", ["--no-ask-password", "poweroff"], { timeout: ANSWER_MS_MAX });
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    return stderr?.trim() || messageOf(error);
  }
}
