import { isFaultKept, sensorOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import type { ZoneContext } from "./zone-context.ts";

/** Interval at which long silences are stored: each write wears an SD card. */
const SAVE_INTERVAL_MS = 3_600_000;

/**
 * When each zone last gave a sign of life. How long a supervised zone has been silent is stored, so that its supervision
 * time continues after a restart. The time in which the daemon did not run does not count: it could not hear the sensor.
 */
export class SignsOfLife {
  readonly #options: Pick<ZoneContext, "journal" | "clock" | "log">;
  /** Monotonic, by zone id. */
  readonly #lastMs = new Map<string, number>();
  /** Zones with a silence in the journal. */
  readonly #stored: TransactionalMap<string, "stored">;
  #zones: readonly Zone[];
  #savedMs: number;
  #hasFailed = false;

  constructor(options: Pick<ZoneContext, "zones" | "journal" | "clock" | "log">) {
    this.#options = options;
    this.#zones = options.zones;
    const { journal } = options;
    this.#savedMs = this.#nowMs;
    this.#stored = new TransactionalMap(journal);
    const silences = journal.silences.all();
    for (const zoneId of silences.keys()) this.#stored.set(zoneId, "stored");
    for (const zone of options.zones) {
      const stored = silences.get(zone.id);
      const isOfSensor = stored?.sensor === sensorOf(zone);
      this.#lastMs.set(zone.id, this.#nowMs - (isOfSensor ? stored.silentMs : 0));
    }
  }

  /** Whether the zone is one of those whose signs of life are counted. */
  has(zoneId: string): boolean {
    return this.#lastMs.has(zoneId);
  }

  /** Notes a sign of life now. A journal that cannot be written does not keep the message of the sensor from being read. */
  note(zoneId: string): void {
    this.#lastMs.set(zoneId, this.#nowMs);
    if (!this.#stored.has(zoneId)) return;
    this.#write(() => {
      this.#options.journal.silences.forget(zoneId);
      this.#stored.delete(zoneId);
    });
  }

  /** Whether a zone's supervision time has passed since its last sign of life. */
  isSilent({ id, supervisionTimeoutMs }: Zone): boolean {
    return supervisionTimeoutMs !== null && this.#silentMs(id) >= supervisionTimeoutMs;
  }

  /** Stores long silences; to be called every few seconds. */
  tick(): void {
    if (this.#nowMs - this.#savedMs >= SAVE_INTERVAL_MS) this.#save(SAVE_INTERVAL_MS);
  }

  /** Stores the silence of each supervised zone. */
  stop(): void {
    this.#save(0);
  }

  /** Uses other zones. The supervision time of one that is new, or has another sensor, begins now. */
  exchange(zones: readonly Zone[]): void {
    const before = new Map(this.#zones.map((zone) => [zone.id, zone]));
    const lastMs = new Map(this.#lastMs);
    this.#lastMs.clear();
    for (const zone of zones) {
      const old = before.get(zone.id);
      const isKept = old !== undefined && isFaultKept("supervision", old, zone);
      this.#lastMs.set(zone.id, (isKept ? lastMs.get(zone.id) : undefined) ?? this.#nowMs);
    }
    this.#zones = zones;
  }

  /** @param minMs shorter silences are not stored */
  #save(minMs: number): void {
    this.#savedMs = this.#nowMs;
    const silences = this.#zones.flatMap((zone) => {
      const silentMs = this.#silentMs(zone.id);
      const isStored = zone.supervisionTimeoutMs !== null && silentMs >= minMs;
      return isStored ? [{ zoneId: zone.id, sensor: sensorOf(zone), silentMs }] : [];
    });
    if (silences.length === 0 && this.#stored.size === 0) return;
    this.#write(() => {
      this.#options.journal.silences.replace(silences);
      this.#stored.clear();
      for (const { zoneId } of silences) this.#stored.set(zoneId, "stored");
    });
  }

  #silentMs(zoneId: string): number {
    return this.#nowMs - (this.#lastMs.get(zoneId) ?? this.#nowMs);
  }

  #write(write: () => void): void {
    const { journal, log } = this.#options;
    try {
      write();
      this.#hasFailed = false;
    } catch (error) {
      // Once, not at each message.
      if (!this.#hasFailed) log.error("silence-write-failed", { error });
      this.#hasFailed = true;
      journal.noteError(error);
    }
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }
}
