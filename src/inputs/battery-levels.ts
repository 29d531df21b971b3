import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { canonical } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import type { StoredBatteryLevel } from "../store/messages.ts";
import type { Journal } from "../store/journal.ts";
import { TransactionalMap } from "../store/transactional-map.ts";

interface BatteryLevelsOptions {
  readonly journal: Pick<Journal, "onRollback" | "noteError" | "batteryLevels">;
  readonly clock: Pick<Clock, "wallMs">;
  readonly log: Log;
}

/**
 * Nearly the same charge again within this time changes nothing: a sensor may send it with each message, and one that measures
 * finely another one each time, which would be a write each.
 */
const REPEATED_MS = 3_600_000;
/** Percent; less is not shown. */
const STEP = 1;

/**
 * The last charge that each sensor has reported, for a person who plans a visit; `low` decides about the fault. It is stored, because
 * many sensors report once a day.
 */
export class BatteryLevels {
  readonly #options: BatteryLevelsOptions;
  readonly #levels: Map<string, StoredBatteryLevel>;
  /** Where each zone reads it. */
  #places: ReadonlyMap<string, string> = new Map();
  #hasFailed = false;

  constructor(options: BatteryLevelsOptions) {
    this.#options = options;
    this.#levels = new TransactionalMap(options.journal);
    for (const [zoneId, level] of options.journal.batteryLevels.all()) this.#levels.set(zoneId, level);
  }

  /** Undefined before the first report, and for a zone that reads no charge. */
  of(zoneId: string): StoredBatteryLevel | undefined {
    const level = this.#levels.get(zoneId);
    return level?.place === this.#places.get(zoneId) ? level : undefined;
  }

  /** @param isLive whether it was reported now, and not before the daemon listened */
  take(zoneId: string, percent: number, isLive: boolean): void {
    const place = this.#places.get(zoneId);
    if (place === undefined) return;
    const before = this.of(zoneId);
    const atWallMs = this.#options.clock.wallMs();
    const isRepeated = !isLive || Math.abs(atWallMs - (before?.atWallMs ?? 0)) < REPEATED_MS;
    const isNear = before !== undefined && Math.abs(before.percent - percent) < STEP;
    if (isNear && isRepeated) return;
    const level = { percent, atWallMs, place };
    this.#levels.set(zoneId, level);
    this.#store(() => this.#options.journal.batteryLevels.save(zoneId, level));
  }

  /** Reads for these zones from now on, and forgets the charge of those that are gone. */
  exchange(zones: readonly Zone[]): void {
    this.#places = placesOf(zones);
    for (const zoneId of this.#levels.keys()) {
      if (this.#places.has(zoneId)) continue;
      this.#levels.delete(zoneId);
      this.#store(() => this.#options.journal.batteryLevels.forget(zoneId));
    }
  }

  /** A charge that cannot be stored must not keep the message, which may be a trip, from being read. */
  #store(write: () => void): void {
    const { log, journal } = this.#options;
    try {
      write();
      this.#hasFailed = false;
    } catch (error) {
      // Once, not at each message.
      if (!this.#hasFailed) log.error("battery-level-write-failed", { error });
      this.#hasFailed = true;
      journal.noteError(error);
    }
  }
}

function placesOf(zones: readonly Zone[]): ReadonlyMap<string, string> {
  return new Map(
    zones.flatMap(({ id, statusSources: { battery } }) =>
      battery ? [[id, canonical([battery.mqtt, battery.path, battery.where])] as const] : [],
    ),
  );
}
