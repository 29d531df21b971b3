import { settledWithin, type Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { lineName } from "../../domain/gpio-chip.ts";
import type { Log } from "../../domain/log.ts";
import { gateReadingOf } from "../../domain/zone-changes.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import { ChipReadings } from "./chip-readings.ts";
import type { GpioPort } from "./gpio-port.ts";
import { KeySwitch } from "./key-switch.ts";
import { lineBindingsOf, type KeyGate, type LineBinding } from "./line-bindings.ts";

interface GpioReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneEngine;
  /**
   * Opens the lines of a chip.
   * @param chip its name in `gpio.chips`; undefined for the chip of zones that name none
   * @throws AppError `unavailable` with the remedy
   */
  readonly openPort: (chip: string | undefined) => GpioPort | Promise<GpioPort>;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** A line is opened within milliseconds. One at a bus that hangs must hold up neither the other inputs nor a reload. */
const OPEN_MS_MAX = 3_000;

/** The readings of the GPIO lines of all chips. Each chip is opened, lost and found again on its own. */
export class GpioReadings {
  readonly #options: GpioReadingsOptions;
  readonly #chips = new Map<string | undefined, ChipReadings>();
  #bindings: readonly LineBinding[] = [];
  /** By what they read: a reload must not forget a position that has not lasted long enough. */
  #keys = new Map<string, KeySwitch>();

  constructor(options: GpioReadingsOptions) {
    this.#options = options;
  }

  /** Opens the lines and reads their first levels, as far as their chips are there and answer within three seconds. */
  start(): Promise<void> {
    return this.exchange(this.#options.zones);
  }

  /**
   * Uses the lines of other zones from now on. A line that is still in use stays open, for any zone.
   * @returns once the new lines are open, as far as they can be opened within three seconds; the others follow
   */
  async exchange(zones: readonly Zone[]): Promise<void> {
    const before = this.#bindings;
    const keys = this.#keys;
    this.#keys = new Map();
    this.#bindings = lineBindingsOf(zones, this.#options.monitor, (gate) => this.#keyOf(gate, keys));
    for (const [reading, key] of keys) if (this.#keys.get(reading) !== key) key.forget();
    this.#clearConditions(before);
    const chips = new Set([...this.#chips.keys(), ...this.#bindings.map(({ input }) => input.chip)]);
    for (const chip of chips)
      this.#chipOf(chip).exchange(this.#bindings.filter(({ input }) => input.chip === chip));
    // Only when all chips have their zones: a failing line must not clear the condition of a zone that has moved.
    const opened = Promise.all([...this.#chips.values()].map((chip) => chip.open()));
    await settledWithin(this.#options.clock, OPEN_MS_MAX, opened);
  }

  stop(): void {
    for (const key of this.#keys.values()) key.stop();
    for (const chip of this.#chips.values()) chip.stop();
  }

  #keyOf(gate: KeyGate, before: ReadonlyMap<string, KeySwitch>): KeySwitch {
    const { monitor } = this.#options;
    const reading = gateReadingOf(gate) ?? gate.id;
    const key =
      before.get(reading) ??
      new KeySwitch(gate, {
        ...this.#options,
        report: (state) => monitor.setGate(gate.id, state),
        readAgain: () => this.#chips.get(gate.chip)?.poll(gate.gpio),
      });
    this.#keys.set(reading, key);
    return key;
  }

  #chipOf(chip: string | undefined): ChipReadings {
    const { openPort } = this.#options;
    const readings =
      this.#chips.get(chip) ?? new ChipReadings({ ...this.#options, chip, openPort: () => openPort(chip) });
    this.#chips.set(chip, readings);
    return readings;
  }

  /** Clears what is known of lines that their zones no longer use. */
  #clearConditions(before: readonly LineBinding[]): void {
    const lines = new Map(this.#bindings.map(({ id, input }) => [id, lineName(input)]));
    for (const { id, input } of before)
      if (lines.get(id) !== lineName(input))
        for (const code of ["gpio-line-failed", "gpio-line-unstable"] as const)
          this.#options.conditions.clear(code, id);
  }
}
