import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { backOffMs } from "../domain/backoff.ts";
import type { LinkFault } from "./reply-classification.ts";

export interface LinkOptions {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** How the link to the centre stands. */
export interface LinkState {
  readonly state: "unknown" | "up" | "down";
  readonly reason: string | null;
  /** How long until it is tried again; 0 when it may be used now. */
  readonly waitMs: number;
  /** How long ago the centre has answered well for the last time; null when it has not since the start. */
  readonly answeredAgoMs: number | null;
}

type Fault = Exclude<LinkFault, "ok">;

/** Each fault: the condition people see, and how patient it makes us. */
const FAULTS: Readonly<Record<Fault, FaultRules>> = {
  unreachable: { condition: "upstream-unreachable", minDelayMs: 0, what: "cannot be reached" },
  busy: { condition: "upstream-unreachable", minDelayMs: 0, what: "is too busy" },
  // Knocking on a door that does not open helps nobody and locks the account.
  "signed-out": {
    condition: "upstream-authentication-failed",
    minDelayMs: 60_000,
    what: "refuses the sign-in",
  },
  forbidden: {
    condition: "upstream-authentication-failed",
    minDelayMs: 900_000,
    what: "gives this account no rights",
  },
  "not-the-interface": {
    condition: "upstream-unexpected-service",
    minDelayMs: 30_000,
    what: "is not what answers",
  },
};

interface FaultRules {
  readonly condition:
    | "upstream-unreachable"
    | "upstream-authentication-failed"
    | "upstream-unexpected-service";
  /** A fault that people must mend waits at least so long; one that passes by itself is tried with full jitter. */
  readonly minDelayMs: number;
  readonly what: string;
}

/** The breaker between us and the centre: after a fault nothing is sent until its wait is over. */
export class Link {
  readonly #options: LinkOptions;
  #state: "unknown" | "up" | "down" = "unknown";
  #reason: string | null = null;
  #failures = 0;
  #retryAtMs = 0;
  #needsPerson = false;
  #answeredAtMs: number | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get state(): LinkState {
    const nowMs = this.#options.clock.monotonicMs();
    const waitMs = this.#state === "down" ? Math.max(0, this.#retryAtMs - nowMs) : 0;
    const answeredAgoMs = this.#answeredAtMs === undefined ? null : nowMs - this.#answeredAtMs;
    return { state: this.#state, reason: this.#reason, waitMs, answeredAgoMs };
  }

  /** Lets the next request through at once, whatever the wait: a person asked for it. */
  probeNow(): void {
    this.#retryAtMs = 0;
  }

  /** The same for an alarm, unless it would only knock once more with a refused password. */
  probeForAlarm(): void {
    if (!this.#needsPerson) this.#retryAtMs = 0;
  }

  /** Takes note of what an answer says about the link. */
  note(outcome: { link: LinkFault; code: string; reason: string; retryAfterMs?: number }): void {
    if (outcome.link === "ok") this.#good();
    else this.#fault(outcome.link, outcome.reason, outcome.retryAfterMs ?? 0);
  }

  #good(): void {
    const { log, conditions } = this.#options;
    if (this.#state !== "up") log.info("link-up");
    this.#state = "up";
    this.#answeredAtMs = this.#options.clock.monotonicMs();
    this.#reason = null;
    this.#failures = 0;
    for (const { condition } of Object.values(FAULTS)) conditions.clear(condition);
  }

  #fault(fault: Fault, reason: string, retryAfterMs: number): void {
    const { baseUrl, clock, random, log, conditions } = this.#options;
    const { condition, minDelayMs, what } = FAULTS[fault];
    const nowMs = clock.monotonicMs();
    // Several requests were on the wire when it broke: that is one outage and one wait.
    const isSameOutage = this.#state === "down" && nowMs < this.#retryAtMs;
    const backOff = isSameOutage ? 0 : backOffMs(this.#failures, random());
    const retryAtMs = nowMs + Math.max(retryAfterMs, minDelayMs, backOff);
    this.#needsPerson = fault === "signed-out";
    this.#failures += isSameOutage ? 0 : 1;
    this.#retryAtMs = isSameOutage ? Math.max(this.#retryAtMs, retryAtMs) : retryAtMs;
    if (this.#state !== "down") log.warn("link-down", { fault, reason });
    this.#state = "down";
    this.#reason = `${what}: ${reason}`;
    for (const other of Object.values(FAULTS))
      if (other.condition !== condition) conditions.clear(other.condition);
    conditions.raise(condition, { centre: baseUrl, what, answer: reason });
  }
}
