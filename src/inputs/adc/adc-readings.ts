import type { LoopView } from "../../domain/loop.ts";
import type { Zone } from "../../domain/zone.ts";
import { Converter } from "./converter.ts";
import type { LoopZone, MonitoredLoopOptions } from "./monitored-loop.ts";

interface AdcReadingsOptions extends MonitoredLoopOptions {
  readonly zones: readonly Zone[];
  /** Directory before the paths of converters in /sys; empty for a real machine. */
  readonly root?: string;
}

/** The readings of loops with end-of-line resistors. Each converter is found, lost and found again on its own. */
export class AdcReadings {
  readonly #options: AdcReadingsOptions;
  readonly #converters = new Map<string, Converter>();

  constructor(options: AdcReadingsOptions) {
    this.#options = options;
  }

  /** Begins to read. A converter that is missing or slow holds up nothing. */
  start(): void {
    this.exchange(this.#options.zones);
  }

  /** Reads for other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    const loops = zones.filter((zone): zone is LoopZone & Zone => zone.input.source === "adc");
    const names = new Set([...this.#converters.keys(), ...loops.map(({ input }) => input.adc)]);
    for (const name of names)
      this.#converterOf(name).exchange(loops.filter(({ input }) => input.adc === name));
  }

  /** What the loop of a zone shows; null for a zone without one. */
  loopOf(zoneId: string): LoopView | null {
    for (const converter of this.#converters.values()) {
      const loop = converter.loopOf(zoneId);
      if (loop) return loop.view;
    }
    return null;
  }

  stop(): void {
    for (const converter of this.#converters.values()) converter.stop();
  }

  #converterOf(name: string): Converter {
    const { root = "" } = this.#options;
    const converter = this.#converters.get(name) ?? new Converter({ ...this.#options, name, root });
    this.#converters.set(name, converter);
    return converter;
  }
}
