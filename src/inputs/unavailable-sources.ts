import type { Clock } from "../domain/clock.ts";
import type { Zone } from "../domain/zone.ts";
import { bridgeNameOf } from "../domain/zone-status-sources.ts";
import type { Journal } from "../store/journal.ts";

export interface LostSourcesOptions {
  readonly zones: readonly Zone[];
  readonly journal: Pick<Journal, "losses">;
  readonly clock: Clock;
  readonly bootId: string;
}

/**
 * Where a grace was over before the start, the broker first says once more what it keeps: the sensor may be back. After
 * this time the loss counts.
 */
const RESUME_SETTLE_MS = 5_000;

/** Sensors and bridges that are said to be unavailable, each for its grace: over restarts and power cuts too. */
export class LostSources {
  readonly #options: LostSourcesOptions;
  /** Since when, monotonic, by a zone's id or a bridge's name. */
  readonly #sinceMs = new Map<string, number>();
  readonly #zonesOf = new Map<string, Zone[]>();
  readonly #startedAtMs: number;

  constructor(options: LostSourcesOptions) {
    this.#options = options;
    const { zones, journal, clock, bootId } = options;
    this.#startedAtMs = clock.monotonicMs();
    for (const zone of zones) {
      this.#concerns(zone.id, zone);
      if (zone.senses.bridge) this.#concerns(bridgeNameOf(zone.senses.bridge), zone);
    }
    for (const { of, since } of journal.losses.list()) {
      // By a clock that was set back, or is not set yet, the grace begins again.
      const agoMs = Math.max(0, clock.wallMs() - since.wallMs);
      const sinceMs = since.bootId === bootId ? since.monotonicMs : this.#startedAtMs - agoMs;
      if (this.#zonesOf.has(of)) this.#sinceMs.set(of, sinceMs);
      else journal.losses.remove(of);
    }
  }

  has(of: string): boolean {
    return this.#sinceMs.has(of);
  }

  /** Whether a zone's sensor, or the bridge that it is behind, is unavailable. */
  concern({ id, senses }: Zone): boolean {
    return this.has(id) || (senses.bridge !== undefined && this.has(bridgeNameOf(senses.bridge)));
  }

  /** The zones that cannot be supervised without it. */
  zonesOf(of: string): readonly Zone[] {
    return this.#zonesOf.get(of) ?? [];
  }

  /** @throws whatever the journal threw; the source is then not lost yet */
  add(of: string, zone: Zone): void {
    this.#concerns(of, zone);
    if (this.has(of)) return;
    const { clock, journal, bootId } = this.#options;
    const monotonicMs = clock.monotonicMs();
    journal.losses.add({ of, since: { wallMs: Math.round(clock.wallMs()), bootId, monotonicMs } });
    this.#sinceMs.set(of, monotonicMs);
  }

  /** @throws whatever the journal threw */
  remove(of: string): void {
    if (this.has(of)) this.#options.journal.losses.remove(of);
    this.#sinceMs.delete(of);
  }

  /** Each lost source, and when its grace is over, monotonic. */
  dues(): { readonly of: string; readonly atMs: number }[] {
    return [...this.#sinceMs].map(([of, sinceMs]) => {
      const graceMs = Math.min(...this.zonesOf(of).map(({ lostGraceMs }) => lostGraceMs));
      const isFromBefore = sinceMs < this.#startedAtMs;
      const earliestMs = isFromBefore ? this.#startedAtMs + RESUME_SETTLE_MS : 0;
      return { of, atMs: Math.max(sinceMs + graceMs, earliestMs) };
    });
  }

  #concerns(of: string, zone: Zone): void {
    const zones = this.#zonesOf.get(of) ?? [];
    if (!zones.includes(zone)) this.#zonesOf.set(of, [...zones, zone]);
  }
}
