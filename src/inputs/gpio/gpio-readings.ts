import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneMonitor } from "../zone-monitor.ts";
import type { GpioPort } from "./gpio-port.ts";
import { WatchedLine } from "./watched-line.ts";
import { wiresOf, type Wire } from "./wires.ts";

export interface GpioReadingsOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneMonitor;
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
  readonly #wires: readonly Wire[];
  /** By the id of the wire. */
  readonly #lines = new Map<string, WatchedLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer | undefined;
  #isStopped = false;

  constructor(options: GpioReadingsOptions) {
    this.#options = options;
    this.#wires = wiresOf(options.zones, options.monitor);
  }

  /** Opens the lines and takes their first levels; what cannot be opened is tried again with every check. */
  async start(): Promise<void> {
    if (this.#wires.length > 0) await this.#check();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#port?.close();
  }

  async #check(): Promise<void> {
    const { clock, conditions } = this.#options;
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
    this.#cancelCheck = clock.after(CHECK_EVERY_MS, () => void this.#check());
  }

  /** A chip that was unplugged may come back as another device: with no line left, it is looked for anew. */
  #leavePort(): void {
    if (this.#lines.size > 0) return;
    this.#port?.close();
    this.#port = undefined;
  }

  async #checkLine(port: GpioPort, wire: Wire): Promise<void> {
    const open = this.#lines.get(wire.id);
    try {
      open?.check();
    } catch (error) {
      if (open) this.#lose(open, error);
    }
    if (!this.#lines.has(wire.id)) {
      try {
        const line = await WatchedLine.open(port, wire, {
          ...this.#options,
          onLost: (lost, error) => this.#lose(lost, error),
        });
        if (this.#isStopped) return line.close();
        this.#lines.set(wire.id, line);
      } catch (error) {
        this.#options.conditions.raise("gpio-line-failed", sentenceOf(error), wire.id);
        return;
      }
    }
    this.#lines.get(wire.id)?.look();
  }

  /** Gone or changed under our hands; a check opens it again. */
  #lose(line: WatchedLine, error: unknown): void {
    const { wire } = line;
    line.close();
    if (this.#lines.get(wire.id) !== line) return;
    this.#lines.delete(wire.id);
    this.#options.conditions.clear("gpio-line-storm", wire.id);
    this.#options.conditions.raise(
      "gpio-line-failed",
      `line ${wire.input.gpio} cannot be read any more: ${sentenceOf(error)}. It is opened again by itself.`,
      wire.id,
    );
    try {
      wire.take("unknown");
    } catch (cause) {
      this.#options.log.error("gpio-reading-not-recorded", { zone: wire.id, error: cause });
    }
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message}. ${error.hint}` : messageOf(error);
}
