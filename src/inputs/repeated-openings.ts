import { createHash } from "node:crypto";
import { isoTime } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import { isLifeSafety } from "../domain/incident.ts";
import { isOrWillBeRecorded, type Timestamp } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneContext } from "./zone-context.ts";

export interface RepeatedOpeningsOptions extends Pick<
  ZoneContext,
  "zones" | "journal" | "clock" | "bootId" | "log" | "record"
> {
  readonly incidentWindowMs: number;
}

/** The last recorded repetition of a zone, and the number of repetitions. */
interface Repetition {
  /** Short also for a long value. */
  readonly key: string;
  readonly atMs: number;
  readonly times: number;
}

/** A repeated event is added to the event log at most once in this time. */
const RECORD_INTERVAL_MS = 60_000;
/** A longer value is stored as its hash. */
const OCCASION_LENGTH_MAX = 64;

/**
 * Suppresses openings that are part of an earlier one, such as the updates of a camera review for which the zone has
 * tripped. An opening is suppressed only if the trip that it repeats was dispatched: a bypassed, gated or rejected trip
 * has not reached the dispatch centre. Life safety zones are exempt: their trips are counted in the open record.
 */
export class RepeatedOpenings {
  readonly #options: RepeatedOpeningsOptions;
  #lifeSafety: ReadonlySet<string>;
  readonly #recorded = new Map<string, Repetition>();

  constructor(options: RepeatedOpeningsOptions) {
    this.#options = options;
    const { zones, journal, log } = options;
    this.#lifeSafety = lifeSafetyOf(zones);
    try {
      journal.openings.keepOnly(zones.map(({ id }) => id));
    } catch (error) {
      log.warn("openings-purge-failed", { reason: messageOf(error) });
    }
  }

  /** Uses other zones. */
  exchange(zones: readonly Zone[]): void {
    this.#lifeSafety = lifeSafetyOf(zones);
  }

  /**
   * Whether an opening is part of one that was dispatched within the incident window; if so, it is recorded.
   * @param occasion the value that identifies the event
   */
  isRepeated(zoneId: string, occasion: string): boolean {
    if (this.#lifeSafety.has(zoneId)) return false;
    const { journal, incidentWindowMs } = this.#options;
    const trip = journal.openings.tripOf(zoneId, keyOf(occasion));
    if (!trip || !isOrWillBeRecorded(trip)) return false;
    const sinceMs = this.#sinceMs(trip.moment);
    if (sinceMs < 0 || sinceMs > incidentWindowMs) return false;
    journal.afterCommit(() => this.#recordRepetition(zoneId, occasion, trip.moment.wallMs));
    return true;
  }

  /**
   * Processes an opening with `read`, and stores its value in the same transaction.
   * @throws any error of `read` or of the journal
   */
  take(zoneId: string, occasion: string, read: () => void): void {
    const { journal } = this.#options;
    if (this.#lifeSafety.has(zoneId)) return read();
    const before = journal.trips.lastSeq();
    read();
    journal.openings.keep(zoneId, keyOf(occasion), before + 1);
  }

  /** Time since the trip; negative if the clock was set back over a reboot, and then the opening counts. */
  #sinceMs({ bootId, monotonicMs, wallMs }: Timestamp): number {
    const { clock } = this.#options;
    return bootId === this.#options.bootId ? clock.monotonicMs() - monotonicMs : clock.wallMs() - wallMs;
  }

  #recordRepetition(zoneId: string, occasion: string, openedWallMs: number): void {
    const { clock, record } = this.#options;
    const nowMs = clock.monotonicMs();
    const recorded = this.#recorded.get(zoneId);
    const key = keyOf(occasion);
    const earlier = recorded?.key === key ? recorded : undefined;
    const times = (earlier?.times ?? 0) + 1;
    const isDue = earlier === undefined || nowMs - earlier.atMs >= RECORD_INTERVAL_MS;
    this.#recorded.set(zoneId, { key, atMs: isDue ? nowMs : earlier.atMs, times });
    if (!isDue) return;
    record({
      who: "santinela",
      from: "itself",
      event: "opening-repeated",
      subject: `zone ${zoneId}`,
      detail: {
        value: occasion.slice(0, 200),
        openedAt: isoTime(openedWallMs),
        times,
        reason: "the message carries the value of an opening that was dispatched",
      },
    });
  }
}

function keyOf(occasion: string): string {
  return occasion.length <= OCCASION_LENGTH_MAX
    ? occasion
    : createHash("sha256").update(occasion).digest("base64url");
}

function lifeSafetyOf(zones: readonly Zone[]): ReadonlySet<string> {
  return new Set(zones.filter(({ kind }) => isLifeSafety(kind)).map(({ id }) => id));
}
