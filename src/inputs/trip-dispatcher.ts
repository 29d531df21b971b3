import type { ApiClient, Reply } from "../client/api-client.ts";
import { parseJson } from "../client/token-cache.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { cleanBody, plainestBody, type Trip } from "../domain/trip.ts";
import { backOffMs } from "../domain/waits.ts";
import type { InterventionCreate } from "../generated/types.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";
import type { TripStore } from "../store/trips.ts";

export interface TripDispatcherOptions {
  readonly trips: TripStore;
  /** Speaks to our own API over the loopback. */
  readonly client: ApiClient;
  /** A token of the device account. */
  readonly token: () => string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint?: (name: string) => void;
}

const BACK_OFF_BASE_MS = 100;
const BACK_OFF_CAP_MS = 30_000;
/** So many failures in a row are told to people. */
const FAILURES_TOLD = 3;
/** The journal is looked at so often even if nobody calls. */
const LOOK_EVERY_MS = 60_000;

/** Turns the journal's trips into interventions, oldest first, through the API like everybody else. */
export class TripDispatcher {
  readonly #options: TripDispatcherOptions;
  #running: Promise<void> | undefined;
  #isKicked = false;
  #cancelTimer: CancelTimer | undefined;
  #failures = 0;
  #token: string | undefined;
  #isStopped = false;

  constructor(options: TripDispatcherOptions) {
    this.#options = options;
  }

  /** Begins with what was refused before: the objective may have been imported since, or the daemon been updated. */
  start(): void {
    const { trips, log } = this.#options;
    const refused = trips.retryRefused();
    if (refused > 0) log.info("refused-trips-tried-again", { trips: refused });
    this.kick();
  }

  /** Says that there may be something to do; a hint, for the journal is looked at from time to time anyway. */
  kick(): void {
    if (this.#isStopped) return;
    this.#isKicked = true;
    this.#running ??= this.#drain();
  }

  /** Finishes the trip that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    await this.#running;
  }

  async #drain(): Promise<void> {
    this.#cancelTimer?.();
    let isClear = true;
    while (this.#isKicked && !this.#isStopped) {
      this.#isKicked = false;
      isClear = await this.#dispatchWaiting();
    }
    // No await from here on, so that a kick either was seen above or starts the next drain.
    this.#running = undefined;
    if (this.#isStopped) return;
    const { clock, random } = this.#options;
    const delayMs = isClear
      ? LOOK_EVERY_MS
      : backOffMs(this.#failures - 1, random(), BACK_OFF_BASE_MS, BACK_OFF_CAP_MS);
    this.#cancelTimer = clock.after(delayMs, () => this.kick());
  }

  /** @returns whether no trip is left waiting */
  async #dispatchWaiting(): Promise<boolean> {
    const { trips } = this.#options;
    try {
      let isClear = true;
      for (let trip = trips.nextWaiting(0); trip && !this.#isStopped; trip = trips.nextWaiting(trip.seq)) {
        const dispatched = await this.#dispatch(trip);
        if (dispatched === "unanswered") return false;
        // An API that answers has trouble with this one trip; the alarms behind it must not wait for it.
        if (dispatched === "failed") isClear = false;
      }
      return isClear;
    } catch (error) {
      // A journal that cannot be read or marked now: the same key makes the next POST harmless.
      this.#options.log.error("trip-dispatch-failed", { error });
      this.#countFailure(`the journal or the device account cannot be used (${messageOf(error)})`);
      return false;
    }
  }

  async #dispatch(trip: Trip): Promise<Dispatched> {
    const reply = await this.#post(trip.key, cleanBody(trip.body));
    const verdict = verdictOf(reply);
    if (verdict.type === "posted") return this.#posted(trip, verdict.id);
    if (verdict.type === "again") return this.#failed(trip, reply, verdict.reason);
    // The key was used with another body, so an intervention of this trip is there: a second one would be too many.
    if (verdict.type === "known") return this.#refused(trip, verdict.reason);
    // Refused: a crew with a poor text is better than none.
    const plainReply = await this.#post(`${trip.key}-plain`, plainestBody(cleanBody(trip.body)));
    const plain = verdictOf(plainReply);
    if (plain.type === "posted") return this.#posted(trip, plain.id);
    if (plain.type === "again") return this.#failed(trip, plainReply, plain.reason);
    return this.#refused(trip, verdict.reason);
  }

  async #post(key: string, body: InterventionCreate): Promise<Reply> {
    const send = (token: string): Promise<Reply> =>
      this.#options.client.request({
        method: "POST",
        path: "/interventii",
        token,
        body: JSON.stringify(body),
        headers: { "Idempotency-Key": `"${key}"` },
      });
    this.#token ??= this.#options.token();
    const reply = await send(this.#token);
    if (reply.kind !== "answered" || reply.status !== 401) return reply;
    this.#token = this.#options.token();
    return send(this.#token);
  }

  #posted(trip: Trip, interventionId: number): Dispatched {
    const { trips, log, conditions, failpoint } = this.#options;
    failpoint?.("trip-posted");
    trips.markPosted(trip.key, interventionId);
    this.#failures = 0;
    conditions.clear("dispatch-failing");
    conditions.clear("trip-refused", trip.zoneId);
    log.info("trip-posted", { zone: trip.zoneId, key: trip.key, interventionId });
    return "settled";
  }

  #failed(trip: Trip, reply: Reply, reason: string): Dispatched {
    const { trips, log } = this.#options;
    log.warn("trip-post-failed", { zone: trip.zoneId, key: trip.key, reason, failures: this.#failures + 1 });
    trips.markFailed(trip.key, reason);
    this.#countFailure(`the local API does not take the trip of zone ${trip.zoneId} (${reason})`);
    // 500 and odd answers speak of this trip; a busy API (429, 503) would say the same to the next.
    const isBusy = reply.kind !== "answered" || reply.status === 429 || reply.status === 503;
    return isBusy ? "unanswered" : "failed";
  }

  #countFailure(what: string): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_TOLD)
      this.#options.conditions.raise(
        "dispatch-failing",
        `${what}; it is kept in the journal and tried again by itself`,
      );
  }

  #refused(trip: Trip, reason: string): Dispatched {
    const { trips, log, conditions } = this.#options;
    trips.markRefused(trip.key, reason);
    log.error("trip-refused", { zone: trip.zoneId, key: trip.key, reason });
    conditions.raise(
      "trip-refused",
      `the trip of zone ${trip.zoneId} was refused: ${reason}. Check the zone's objective.`,
      trip.zoneId,
    );
    return "settled";
  }
}

/** `settled`: the next may go. `failed`: trouble with this one, asked again later. `unanswered`: trouble with all. */
type Dispatched = "settled" | "failed" | "unanswered";

type Verdict =
  | { readonly type: "posted"; readonly id: number }
  | { readonly type: "again"; readonly reason: string }
  | { readonly type: "known"; readonly reason: string }
  | { readonly type: "refused"; readonly reason: string };

function verdictOf(reply: Reply): Verdict {
  if (reply.kind !== "answered") return { type: "again", reason: `${reply.code}: ${reply.error}` };
  const body = parseJson(reply.body);
  if (reply.status === 201 && validateUpstreamIntervention(body)) return { type: "posted", id: body.id };
  const message = (body as { message?: unknown } | undefined)?.message;
  const reason = `${reply.status} ${typeof message === "string" ? message : "without a reason"}`;
  if (reply.status === 422) return { type: "known", reason };
  const willNeverDo =
    reply.status >= 400 && reply.status < 500 && ![401, 403, 408, 409, 425, 429].includes(reply.status);
  return { type: willNeverDo ? "refused" : "again", reason };
}
