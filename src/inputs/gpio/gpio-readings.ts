import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import type { GpioPort } from "./gpio-port.ts";
import { MonitoredLine } from "./monitored-line.ts";
import { wiresOf, type LineBinding } from "./line-bindings.ts";

export interface GpioReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneEngine;
  /** Makes the backend. @throws AppError `unavailable` with the remedy */
  readonly openPort: () => GpioPort | Promise<GpioPort>;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Every line is looked at so often, whatever its callbacks said: edges get lost, and lines vanish silently. */
const CHECK_EVERY_MS = 10_000;

/** The readings of the GPIO lines. A line that cannot be used is a condition; the others go on. */
export class GpioReadings {
  readonly #options: GpioReadingsOptions;
  #wires: readonly LineBinding[];
  /** By its number: a line stays open while its zone changes. */
  readonly #lines = new Map<number, MonitoredLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer | undefined;
  #isStopped = false;
  /** Resolves after the last check that was begun; undefined while none runs. */
  #checking: Promise<void> | undefined;
  /** Checks that were begun and have not ended. */
  #checks = 0;

  constructor(options: GpioReadingsOptions) {
    this.#options = options;
    this.#wires = wiresOf(options.zones, options.monitor);
  }

  /** Opens the lines and takes their first levels; what cannot be opened is tried again with every check. */
  async start(): Promise<void> {
    if (this.#wires.length > 0) await this.#beginCheck();
  }

  /**
   * Reads the lines of other zones, from this turn on. A line that is still wanted stays open, for any zone.
   * @returns once the lines that are new have been opened, as far as they can be
   */
  exchange(zones: readonly Zone[]): Promise<void> {
    const before = new Map(this.#wires.map((wire) => [wire.id, wire]));
    this.#wires = wiresOf(zones, this.#options.monitor);
    const after = new Map(this.#wires.map((wire) => [wire.id, wire]));
    for (const [id, { input }] of before)
      if (after.get(id)?.input.gpio !== input.gpio)
        for (const code of ["gpio-line-failed", "gpio-line-unstable"] as const)
          this.#options.conditions.clear(code, id);
    for (const wire of this.#wires) {
      const line = this.#lines.get(wire.input.gpio);
      if (line?.wire.input.bias !== wire.input.bias) continue;
      const isAlike = line.wire.id === wire.id && line.wire.input.contact === wire.input.contact;
      line.rewire(wire);
      if (!isAlike) line.look();
    }
    const wanted = new Set(this.#wires);
    for (const [number, line] of this.#lines) {
      if (wanted.has(line.wire)) continue;
      this.#lines.delete(number);
      line.close();
    }
    if (this.#wires.length > 0) return this.#beginCheck();
    this.#cancelCheck?.();
    this.#leavePort();
    this.#options.conditions.clear("gpio-unavailable");
    return Promise.resolve();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#port?.close();
  }

  /** One after the other: two at once would open a line twice. */
  #beginCheck(): Promise<void> {
    const check = this.#checkAfter(this.#checking);
    this.#checking = check;
    return check;
  }

  async #checkAfter(before: Promise<void> | undefined): Promise<void> {
    this.#checks += 1;
    if (before) await before;
    await this.#check();
    this.#checks -= 1;
    if (this.#checks === 0) this.#checking = undefined;
  }

  async #check(): Promise<void> {
    const { clock, conditions } = this.#options;
    this.#cancelCheck?.();
    if (this.#isStopped || this.#wires.length === 0) return;
    try {
      this.#port ??= await this.#options.openPort();
      conditions.clear("gpio-unavailable");
    } catch (error) {
      conditions.raise("gpio-unavailable", sentenceOf(error));
    }
    if (this.#isStopped) return this.#port?.close();
    if (this.#port) for (const wire of this.#wires) await this.#checkLine(this.#port, wire);
    if (this.#isStopped) return;
    this.#leavePort();
    this.#cancelCheck = clock.after(CHECK_EVERY_MS, () => void this.#beginCheck());
  }

  /** A chip that was unplugged may come back as another device: with no line left, it is looked for anew. */
  #leavePort(): void {
    if (this.#lines.size > 0) return;
    this.#port?.close();
    this.#port = undefined;
  }

  async #checkLine(port: GpioPort, wire: LineBinding): Promise<void> {
    const { gpio } = wire.input;
    const open = this.#lines.get(gpio);
    try {
      open?.check();
    } catch (error) {
      if (open) this.#lose(open, error);
    }
    if (!this.#lines.has(gpio)) {
      // Exchanged while the lines before it were looked at.
      if (!this.#wires.includes(wire)) return;
      try {
        const line = await MonitoredLine.open(port, wire, {
          ...this.#options,
          onLost: (lost, error) => this.#lose(lost, error),
        });
        if (this.#isStopped || !this.#wires.includes(wire)) return line.close();
        this.#lines.set(gpio, line);
      } catch (error) {
        this.#options.conditions.raise("gpio-line-failed", sentenceOf(error), wire.id);
        return;
      }
    }
    this.#lines.get(gpio)?.look();
  }

  /** Gone or changed under our hands; a check opens it again. */
  #lose(line: MonitoredLine, error: unknown): void {
    const { wire } = line;
    line.close();
    if (this.#lines.get(wire.input.gpio) !== line) return;
    this.#lines.delete(wire.input.gpio);
    this.#options.conditions.clear("gpio-line-unstable", wire.id);
    this.#options.conditions.raise(
      "gpio-line-failed",
      `line ${wire.input.gpio} cannot be read any more: ${sentenceOf(error)}. It is opened again by itself.`,
      wire.id,
    );
    try {
      wire.take("unknown");
    } catch (cause) {
      this.#options.log.error("gpio-reading-write-failed", { zone: wire.id, error: cause });
    }
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message}. ${error.hint}` : messageOf(error);
}
