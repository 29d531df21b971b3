import { createHash } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import { isLifeSafety } from "../domain/incident-class.ts";
import { isOrWillBeRecorded, type Timestamp } from "../domain/trip.ts";
import type { Zone } from "../domain/zone.ts";
import { messageOf } from "../domain/errors.ts";
import type { Journal } from "../store/journal.ts";

export interface RepeatedOpeningsOptions {
  readonly zones: readonly Zone[];
  readonly journal: Pick<Journal, "openings" | "trips" | "afterCommit">;
  readonly clock: Clock;
  readonly bootId: string;
  readonly incidentWindowMs: number;
  readonly log: Log;
  /** Takes an entry for the event log. */
  readonly record: (event: NewEvent) => void;
}

/** The last repetition of a zone in the event log, and how often it was there since. */
interface Noted {
  readonly occasion: string;
  readonly atMs: number;
  readonly times: number;
}

/** One event that goes on is an entry of the event log at most this often. */
const NOTED_EVERY_MS = 60_000;
/** Characters of a value that are kept as they are; a longer one is kept as its hash. */
const OCCASION_LENGTH_MAX = 64;

/**
 * Openings that are part of an earlier one, such as the updates of a camera's review that the zone has tripped for.
 * An opening is left out only while the trip that it repeats is dispatched: what was bypassed, gated or refused has told
 * the centre nothing. A life-safety zone repeats nothing: its trips are counted in the record that is open.
 */
export class RepeatedOpenings {
  readonly #options: RepeatedOpeningsOptions;
  #lifeSafety: ReadonlySet<string>;
  readonly #noted = new Map<string, Noted>();

  constructor(options: RepeatedOpeningsOptions) {
    this.#options = options;
    const { zones, journal, log } = options;
    this.#lifeSafety = lifeSafetyOf(zones);
    try {
      journal.openings.keepOnly(zones.map(({ id }) => id));
    } catch (error) {
      log.warn("openings-not-pruned", { reason: messageOf(error) });
    }
  }

  /** Goes on with other zones. */
  exchange(zones: readonly Zone[]): void {
    this.#lifeSafety = lifeSafetyOf(zones);
  }

  /**
   * Whether an opening is part of one that was dispatched within the incident window; then that is noted.
   * @param occasion the value that identifies the event
   */
  isRepeated(zoneId: string, occasion: string): boolean {
    if (this.#lifeSafety.has(zoneId)) return false;
    const { journal, incidentWindowMs } = this.#options;
    const trip = journal.openings.tripOf(zoneId, keyOf(occasion));
    if (!trip || !isOrWillBeRecorded(trip)) return false;
    const sinceMs = this.#sinceMs(trip.moment);
    if (sinceMs < 0 || sinceMs > incidentWindowMs) return false;
    journal.afterCommit(() => this.#note(zoneId, occasion, trip.moment.wallMs));
    return true;
  }

  /**
   * Takes an opening by `read`, and keeps which one it was with whatever that writes.
   * @throws whatever `read` or the journal threw
   */
  take(zoneId: string, occasion: string, read: () => void): void {
    const { journal } = this.#options;
    if (this.#lifeSafety.has(zoneId)) return read();
    const before = journal.trips.lastSeq();
    read();
    journal.openings.keep(zoneId, keyOf(occasion), before + 1);
  }

  /** Behind a clock that was set back over a reboot the time is not known, and the opening counts. */
  #sinceMs({ bootId, monotonicMs, wallMs }: Timestamp): number {
    const { clock } = this.#options;
    return bootId === this.#options.bootId ? clock.monotonicMs() - monotonicMs : clock.wallMs() - wallMs;
  }

  #note(zoneId: string, occasion: string, openedWallMs: number): void {
    const { clock, record } = this.#options;
    const nowMs = clock.monotonicMs();
    const noted = this.#noted.get(zoneId);
    const earlier = noted?.occasion === occasion ? noted : undefined;
    const times = (earlier?.times ?? 0) + 1;
    const isDue = earlier === undefined || nowMs - earlier.atMs >= NOTED_EVERY_MS;
    this.#noted.set(zoneId, { occasion, atMs: isDue ? nowMs : earlier.atMs, times });
    if (!isDue) return;
    record({
      who: "santinela",
      from: "itself",
      event: "opening-repeated",
      subject: `zone ${zoneId}`,
      detail: {
        value: occasion.slice(0, 200),
        openedAt: new Date(openedWallMs).toISOString(),
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
