import { devicePlaceOf } from "../domain/device-list.ts";
import { unlistedOf } from "../domain/fault.ts";
import { sensorOf } from "../domain/zone-changes.ts";
import { bridgeOf } from "../domain/zone-rules.ts";
import type { Zone } from "../domain/zone.ts";
import type { Loss } from "../store/faults.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import type { ZoneContext } from "./zone-context.ts";

/**
 * If the grace period ended before the start, the loss counts after this time: the broker first sends its retained
 * messages, and the sensor may be available again.
 */
const RESUME_DELAY_MS = 5_000;

/** Unavailable sensors and bridges with their grace periods, which continue over restarts and power cuts. */
export class UnavailableSources {
  readonly #options: ZoneContext;
  /** Monotonic start time, by zone id, bridge name, or what `unlistedOf` returns. */
  readonly #sinceMs: TransactionalMap<string, number>;
  readonly #zonesOf = new Map<string, Zone[]>();
  readonly #startedAtMs: number;

  /** @param before those under the earlier configuration, at a reload; undefined at the start of the daemon */
  constructor(options: ZoneContext, before?: UnavailableSources) {
    this.#options = options;
    const { zones, journal, clock } = options;
    this.#sinceMs = new TransactionalMap(journal);
    this.#startedAtMs = clock.monotonicMs();
    for (const zone of zones) {
      this.#addZone(zone.id, zone);
      this.#addZone(unlistedOf(zone.id), zone);
      const bridge = bridgeOf(zone);
      if (bridge !== undefined) this.#addZone(bridge, zone);
    }
    for (const loss of journal.losses.list()) {
      // The journal has already removed what a reload ends.
      const sinceMs = before ? before.#sinceMs.get(loss.of) : this.#resumedMs(loss);
      if (sinceMs !== undefined) this.#sinceMs.set(loss.of, sinceMs);
    }
  }

  has(of: string): boolean {
    return this.#sinceMs.has(of);
  }

  /** Whether a zone's sensor is unavailable, by what itself or its bridge reports. */
  hasSensor({ id }: Zone): boolean {
    return this.has(id) || this.has(unlistedOf(id));
  }

  /** Whether a zone's sensor, or the bridge that it is behind, is unavailable. */
  affects(zone: Zone): boolean {
    const bridge = bridgeOf(zone);
    return this.hasSensor(zone) || (bridge !== undefined && this.has(bridge));
  }

  /** The zones that depend on a source. */
  zonesOf(of: string): readonly Zone[] {
    return this.#zonesOf.get(of) ?? [];
  }

  /** @throws any error of the journal; the source then does not count as unavailable */
  add(of: string, zone: Zone): void {
    this.#addZone(of, zone);
    if (this.has(of)) return;
    const { clock, journal, bootId } = this.#options;
    const monotonicMs = clock.monotonicMs();
    journal.losses.add({ of, since: { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs } });
    this.#sinceMs.set(of, monotonicMs);
  }

  /** @throws any error of the journal */
  remove(of: string): void {
    if (this.has(of)) this.#options.journal.losses.remove(of);
    this.#sinceMs.delete(of);
  }

  /** Each unavailable source with the end of its grace period, monotonic. */
  deadlines(): { readonly of: string; readonly atMs: number }[] {
    return [...this.#sinceMs].map(([of, sinceMs]) => {
      const graceMs = Math.min(...this.zonesOf(of).map(({ unavailableGraceMs }) => unavailableGraceMs));
      const isFromBefore = sinceMs < this.#startedAtMs;
      const earliestMs = isFromBefore ? this.#startedAtMs + RESUME_DELAY_MS : 0;
      return { of, atMs: Math.max(sinceMs + graceMs, earliestMs) };
    });
  }

  /** When a stored loss began, monotonic; undefined if its end would not be reported. */
  #resumedMs({ of, since }: Loss): number | undefined {
    const { journal, clock, bootId, log } = this.#options;
    if (!this.#isKept(of)) {
      try {
        journal.losses.remove(of);
      } catch (error) {
        // As on a full disk; the next start tries again.
        log.error("loss-write-failed", { of, error });
        journal.noteError(error);
      }
      return undefined;
    }
    // If the clock was set back or is not set yet, the grace period starts again.
    const agoMs = Math.max(0, clock.wallMs() - since.wallMs);
    return since.bootId === bootId ? since.monotonicMs : this.#startedAtMs - agoMs;
  }

  /**
   * Whether a loss of before the start may still exist: its zone may have another sensor now, and what reported it may have
   * been removed, so that nothing would report its end.
   */
  #isKept(of: string): boolean {
    const [zone] = this.zonesOf(of);
    if (!zone || !isOfSensor(of, zone)) return zone !== undefined;
    const sensor = this.#options.journal.stateOf(zone.id)?.sensor ?? sensorOf(zone);
    const isReported = of === zone.id ? reportsAvailability(zone) : devicePlaceOf(zone) !== undefined;
    return isReported && sensor === sensorOf(zone);
  }

  #addZone(of: string, zone: Zone): void {
    const zones = this.#zonesOf.get(of) ?? [];
    if (!zones.includes(zone)) this.#zonesOf.set(of, [...zones, zone]);
  }
}

/** Whether something reports that the sensor of a zone is available again. */
function reportsAvailability({ input, statusSources }: Zone): boolean {
  const reportsItself = input.source !== "mqtt" && input.source !== "gpio";
  return reportsItself || statusSources.availability !== undefined;
}

/** Whether a loss is of the zone's sensor, not of a bridge: the fault is then the zone's. */
export function isOfSensor(of: string, { id }: Zone): boolean {
  return of === id || of === unlistedOf(id);
}
