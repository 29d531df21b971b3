import { TOO_LARGE } from "../client/response-body.ts";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { ALARM_WAIT_MS_MAX, alarmBackOffMs, backOffMs } from "../domain/backoff.ts";
import type { LinkCause } from "../domain/link-status.ts";
import { linkCause } from "./link-cause.ts";
import type { LinkFault, ReadOutcome, WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { itemsOf } from "./wrapped-body.ts";

export interface LinkOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** The state of the link to the dispatch centre. */
export interface LinkState {
  readonly state: "unknown" | "up" | "down";
  readonly reason: string | null;
  readonly cause: LinkCause | null;
  /** Milliseconds until the next attempt; 0 if requests may be sent now. */
  readonly waitMs: number;
  /** The same for an alarm. */
  readonly alarmWaitMs: number;
  /** Milliseconds since the last good response; null if there was none since the start. */
  readonly answeredAgoMs: number | null;
}

type Fault = Exclude<LinkFault, "ok">;
type FailedOutcome = Pick<WriteOutcome, "code" | "reason" | "retryAfterMs">;

/** The condition and the minimum delay of each fault. */
const FAULTS: Readonly<Record<Fault, FaultRules>> = {
  unreachable: { condition: "upstream-unreachable", minDelayMs: 0, what: "cannot be reached" },
  busy: { condition: "upstream-unreachable", minDelayMs: 0, what: "is too busy" },
  // Repeated sign-ins with a wrong password only lock the account.
  "signed-out": {
    condition: "upstream-authentication-failed",
    minDelayMs: 60_000,
    what: "rejects the sign-in",
  },
  forbidden: {
    condition: "upstream-authentication-failed",
    minDelayMs: 900_000,
    what: "denies this account access",
  },
  "not-the-interface": {
    condition: "upstream-unexpected-service",
    minDelayMs: 30_000,
    what: "is not the service that responds",
  },
};

interface FaultRules {
  readonly condition:
    | "upstream-unreachable"
    | "upstream-authentication-failed"
    | "upstream-unexpected-service";
  /** Minimum wait for faults that a person must fix; other faults use full jitter only. */
  readonly minDelayMs: number;
  readonly what: string;
}

/** Circuit breaker of the link: after a fault nothing is sent until the wait is over. */
export class Link {
  readonly #options: LinkOptions;
  #state: "unknown" | "up" | "down" = "unknown";
  #reason: string | null = null;
  #cause: LinkCause | null = null;
  #failures = 0;
  #retryAtMs = 0;
  /** The same for an alarm, which waits a minute at most. */
  #alarmRetryAtMs = 0;
  #fault: Fault | undefined;
  #isSignInRejected = false;
  #answeredAtMs: number | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    const nowMs = this.#options.clock.monotonicMs();
    const waitMs = this.#state === "down" ? Math.max(0, this.#retryAtMs - nowMs) : 0;
    const { alarmWaitMs } = this;
    const answeredAgoMs = this.#answeredAtMs === undefined ? null : nowMs - this.#answeredAtMs;
    return {
      state: this.#state,
      reason: this.#reason,
      cause: this.#cause,
      waitMs,
      alarmWaitMs,
      answeredAgoMs,
    };
  }

  /** Milliseconds until the next attempt for an alarm; 0 if it may be sent now. */
  get alarmWaitMs(): number {
    const waitMs = this.#alarmRetryAtMs - this.#options.clock.monotonicMs();
    return this.#state === "down" ? Math.max(0, waitMs) : 0;
  }

  /** Why the link is down; undefined if it is not. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** Allows the next request at once, on a user's order. */
  probeNow(): void {
    this.#retryAtMs = 0;
    this.#alarmRetryAtMs = 0;
  }

  /** Allows the next request at once for an alarm, unless the sign-in was rejected. */
  probeForAlarm(): void {
    if (!this.#isSignInRejected) this.probeNow();
  }

  /** Updates the link from the outcome of a request. */
  note(outcome: FailedOutcome & { readonly link: LinkFault }): void {
    if (outcome.link === "ok") this.#up();
    else this.#down(outcome.link, outcome);
  }

  #up(): void {
    const { log, conditions } = this.#options;
    if (this.#state !== "up") log.info("link-up");
    this.#state = "up";
    this.#answeredAtMs = this.#options.clock.monotonicMs();
    this.#reason = null;
    this.#cause = null;
    this.#fault = undefined;
    this.#failures = 0;
    for (const { condition } of Object.values(FAULTS)) conditions.clear(condition);
  }

  #down(fault: Fault, { code, reason, retryAfterMs = 0 }: FailedOutcome): void {
    const { baseUrl, clock, random, log, conditions } = this.#options;
    const { condition, minDelayMs, what } = FAULTS[fault];
    const nowMs = clock.monotonicMs();
    // Several requests in flight can fail together: that is one outage and one wait.
    const isSameOutage = this.#state === "down" && nowMs < this.#retryAtMs;
    const jitter = random();
    const backOff = isSameOutage ? 0 : backOffMs(this.#failures, jitter);
    const retryAtMs = nowMs + Math.max(retryAfterMs, minDelayMs, backOff);
    // An alarm is tried several times while the others wait: each of its attempts has its own back-off.
    const isSameAttempt = this.#state === "down" && nowMs < this.#alarmRetryAtMs;
    const busy = fault === "busy" ? { retryAfterMs } : undefined;
    const alarmBackOff = isSameAttempt ? 0 : alarmBackOffMs(this.#failures, jitter, busy);
    const leastMs = Math.min(Math.max(retryAfterMs, minDelayMs), ALARM_WAIT_MS_MAX);
    const alarmDelayMs = Math.max(leastMs, alarmBackOff);
    this.#alarmRetryAtMs = Math.max(isSameAttempt ? this.#alarmRetryAtMs : 0, nowMs + alarmDelayMs);
    this.#fault = fault;
    this.#isSignInRejected = fault === "signed-out";
    this.#failures += isSameOutage ? 0 : 1;
    this.#retryAtMs = isSameOutage ? Math.max(this.#retryAtMs, retryAtMs) : retryAtMs;
    // Once the others may be sent, so may an alarm: otherwise work would be due that cannot be done.
    this.#alarmRetryAtMs = Math.min(this.#alarmRetryAtMs, this.#retryAtMs);
    if (this.#state !== "down") log.warn("link-down", { fault, reason });
    this.#state = "down";
    this.#reason = `${what}: ${reason}`;
    this.#cause = linkCause(fault, code);
    for (const other of Object.values(FAULTS))
      if (other.condition !== condition) conditions.clear(other.condition);
    conditions.raise(condition, { centre: baseUrl, what, answer: reason });
  }
}

/** Records in a row with a fault that counts as a link fault, even if a read succeeds; refusals of single records do not count. */
const SUSPECT_RECORDS_MAX = 3;

/** Decides from the responses if the link is at fault. */
export class LinkFaultDetector {
  readonly #link: Link;
  readonly #centre: UpstreamClient;
  /** Records with a suspect response since the last good one. The same one again shows nothing about the link. */
  readonly #suspects = new Set<number>();
  #probe: Promise<ReadOutcome> | undefined;

  constructor({ link, centre }: { link: Link; centre: UpstreamClient }) {
    this.#link = link;
    this.#centre = centre.urgent;
  }

  /** Whether requests may be sent now. */
  get isOpen(): boolean {
    return this.#link.state.waitMs === 0;
  }

  /** Whether the last response was good. */
  get isUp(): boolean {
    return this.#link.state.state === "up";
  }

  /** Whether alarms may be sent now. */
  get isOpenForAlarms(): boolean {
    return this.#link.alarmWaitMs === 0;
  }

  /**
   * Handles the outcome of a read of the list, which can fail each time while the link is up: only a simple read tells.
   * @returns whether requests may be sent
   */
  async noteList(outcome: ReadOutcome): Promise<boolean> {
    await this.note({ ...outcome, readDecides: true });
    return this.isOpen;
  }

  /**
   * Handles the outcome of one record's request. A fault that the record may have caused is checked with a
   * read. A record that a gateway rejects must not delay the alarms behind it, and neither must any number of records
   * that the account may not delete or that a full disk does not take.
   * @param interventionId the record; undefined for a request of none
   */
  async note(outcome: WriteOutcome | ReadOutcome, interventionId?: number): Promise<void> {
    const isSuspect = outcome.mayBeRecordSpecific === true;
    const readDecides = isSuspect && outcome.readDecides === true;
    if (!isSuspect) this.#suspects.clear();
    else if (!readDecides && !this.#isProven) this.#suspects.add(interventionId ?? 0);
    if (!isSuspect || (!readDecides && this.#isProven)) return this.#link.note(outcome);
    this.#probe ??= this.#centre
      .read("/interventii?_start=0&_end=1")
      .finally(() => (this.#probe = undefined));
    const result = await this.#probe;
    // Concurrent requests had the same fault: the link is already down.
    if (!readDecides && this.#isProven) return;
    const isList = itemsOf(result.value) !== undefined || result.code === TOO_LARGE;
    this.#link.note(result.link === "ok" && isList ? result : outcome);
  }

  get #isProven(): boolean {
    return this.#suspects.size >= SUSPECT_RECORDS_MAX;
  }
}
