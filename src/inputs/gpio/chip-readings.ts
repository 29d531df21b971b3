import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { lineName } from "../../domain/gpio-chip.ts";
import type { Log } from "../../domain/log.ts";
import type { GpioPort } from "./gpio-port.ts";
import type { LineBinding } from "./line-bindings.ts";
import { MonitoredLine } from "./monitored-line.ts";

interface ChipReadingsOptions {
  /** Its name in `gpio.chips`; undefined for the chip of zones that name none. */
  readonly chip: string | undefined;
  /** Opens its lines. @throws AppError `unavailable` with the remedy */
  readonly openPort: () => GpioPort | Promise<GpioPort>;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Interval at which every line is read even without an edge: edges get lost, and lines can disappear silently. */
const CHECK_EVERY_MS = 10_000;
/** While there is no chip, no contact is seen: one that appears is used within this time. */
const MISSING_CHECK_EVERY_MS = 2_000;

/** The readings of one chip's lines. A line that cannot be used raises a condition; the others continue. */
export class ChipReadings {
  readonly #options: ChipReadingsOptions;
  #bindings: readonly LineBinding[] = [];
  /** By number: a line stays open while its zone changes. */
  readonly #lines = new Map<number, MonitoredLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer | undefined;
  #isStopped = false;
  /** Resolves after the last check that was started; undefined while none runs. */
  #checking: Promise<void> | undefined;
  /** Checks that have been started and not ended. */
  #checks = 0;

  constructor(options: ChipReadingsOptions) {
    this.#options = options;
  }

  /** Reads for these zones and gates from now on. A line that is still in use stays open, for any of them. */
  exchange(bindings: readonly LineBinding[]): void {
    this.#bindings = bindings;
    for (const binding of this.#bindings) {
      const line = this.#lines.get(binding.input.gpio);
      if (line?.binding.input.bias !== binding.input.bias) continue;
      const isAlike = line.binding.id === binding.id && line.binding.input.contact === binding.input.contact;
      line.rebind(binding);
      if (!isAlike) line.poll();
    }
    const wanted = new Set(this.#bindings);
    for (const [number, line] of this.#lines) {
      if (wanted.has(line.binding)) continue;
      this.#lines.delete(number);
      line.close();
    }
    if (this.#bindings.length > 0) return;
    this.#cancelCheck?.();
    this.#leavePort();
    this.#options.conditions.clear("gpio-unavailable", this.#options.chip);
  }

  /**
   * Opens the lines and reads their first levels; a line that cannot be opened is retried with every check.
   * @returns once they are open, as far as they can be opened
   */
  async open(): Promise<void> {
    if (this.#bindings.length > 0) await this.#beginCheck();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck?.();
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#port?.close();
  }

  /** Checks run one after the other: two at once would open a line twice. */
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
    const { chip, clock, conditions } = this.#options;
    this.#cancelCheck?.();
    if (this.#isStopped || this.#bindings.length === 0) return;
    try {
      if (!this.#port) {
        this.#port = await this.#options.openPort();
        conditions.clear("gpio-unavailable", chip);
      }
    } catch (error) {
      const unread = this.#bindings.map(({ id }) => id).join(", ");
      conditions.raise("gpio-unavailable", `${this.#sentenceOf(error)} Not read: ${unread}.`, chip);
    }
    if (this.#isStopped) return this.#port?.close();
    if (this.#port) for (const binding of this.#bindings) await this.#checkLine(this.#port, binding);
    if (this.#isStopped) return;
    const everyMs = this.#port ? CHECK_EVERY_MS : MISSING_CHECK_EVERY_MS;
    this.#leavePort();
    this.#cancelCheck = clock.after(everyMs, () => void this.#beginCheck());
  }

  /** An unplugged chip may come back as another device: when no line is left, the backend is opened again. */
  #leavePort(): void {
    if (this.#lines.size > 0) return;
    this.#port?.close();
    this.#port = undefined;
  }

  async #checkLine(port: GpioPort, binding: LineBinding): Promise<void> {
    const { gpio } = binding.input;
    const open = this.#lines.get(gpio);
    try {
      open?.check();
    } catch (error) {
      if (open) this.#lose(open, error);
    }
    if (!this.#lines.has(gpio)) {
      // The zones were exchanged while earlier lines were checked.
      if (!this.#bindings.includes(binding)) return;
      try {
        const line = await MonitoredLine.open(port, binding, {
          ...this.#options,
          onLost: (lost, error) => this.#lose(lost, error),
        });
        if (this.#isStopped || !this.#bindings.includes(binding)) return line.close();
        this.#lines.set(gpio, line);
      } catch (error) {
        this.#options.conditions.raise("gpio-line-failed", this.#sentenceOf(error), binding.id);
        return;
      }
    }
    this.#lines.get(gpio)?.poll();
  }

  /** Handles a line that failed or was changed by another program; a check reopens it. */
  #lose(line: MonitoredLine, error: unknown): void {
    const { binding } = line;
    line.close();
    if (this.#lines.get(binding.input.gpio) !== line) return;
    this.#lines.delete(binding.input.gpio);
    this.#options.conditions.clear("gpio-line-unstable", binding.id);
    this.#options.conditions.raise(
      "gpio-line-failed",
      `line ${lineName(binding.input)} can no longer be read: ${sentenceOf(error)}. It is reopened automatically.`,
      binding.id,
    );
    try {
      binding.take("unknown");
    } catch (cause) {
      this.#options.log.error("gpio-reading-write-failed", { zone: binding.id, error: cause });
    }
  }

  #sentenceOf(error: unknown): string {
    const { chip } = this.#options;
    return `${chip === undefined ? "" : `chip ${chip}: `}${sentenceOf(error)}`;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message}. ${error.hint}` : messageOf(error);
}
