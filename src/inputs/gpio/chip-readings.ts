import type { CancelTimer, Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { lineName } from "../../domain/gpio-chip.ts";
import type { Log } from "../../domain/log.ts";
import { isChipGone } from "./chips.ts";
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
/** A line that has just been lost is opened again after this time: a bus has disturbances. */
const LOST_CHECK_MS = 1_000;

/** The readings of one chip's lines. A line that cannot be used raises a condition; the others continue. */
export class ChipReadings {
  readonly #options: ChipReadingsOptions;
  #bindings: readonly LineBinding[] = [];
  /** By number: a line stays open while its zone changes. */
  readonly #lines = new Map<number, MonitoredLine>();
  #port: GpioPort | undefined;
  #cancelCheck: CancelTimer = () => {};
  #isStopped = false;
  /** Resolves after the last check that was started; undefined while none runs. */
  #checking: Promise<void> | undefined;
  /** Checks that have been started and not ended. */
  #checks = 0;
  /** Whether an open line has been lost since the last check began. */
  #hasLost = false;

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
    this.#cancelCheck();
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

  /** Reads a line now, if it is open. @param line its number */
  poll(line: number): void {
    this.#lines.get(line)?.poll();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelCheck();
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
    const { clock } = this.#options;
    this.#cancelCheck();
    if (this.#isIdle) return;
    this.#hasLost = false;
    if (!this.#port) await this.#findPort();
    // What the lines have reported comes before their last known level is read.
    if (this.#lines.size > 0) await new Promise<void>((resolve) => clock.afterEventLoopTurn(resolve));
    for (const binding of this.#bindings) if (this.#port) await this.#checkLine(this.#port, binding);
    this.#leavePort();
    if (this.#isIdle) return;
    this.#checkIn(this.#port ? (this.#hasLost ? LOST_CHECK_MS : CHECK_EVERY_MS) : MISSING_CHECK_EVERY_MS);
  }

  #checkIn(ms: number): void {
    this.#cancelCheck();
    this.#cancelCheck = this.#options.clock.after(ms, () => void this.#beginCheck());
  }

  /** Whether nothing is to be read. */
  get #isIdle(): boolean {
    return this.#isStopped || this.#bindings.length === 0;
  }

  async #findPort(): Promise<void> {
    const { chip, conditions, openPort } = this.#options;
    try {
      this.#port = await openPort();
      if (this.#isIdle) return this.#leavePort();
      conditions.clear("gpio-unavailable", chip);
    } catch (error) {
      // The zones may have been exchanged meanwhile.
      if (this.#isIdle) return;
      const unread = this.#bindings.map(({ id }) => id).join(", ");
      conditions.raise("gpio-unavailable", `${this.#sentenceOf(error)} Not read: ${unread}.`, chip);
      for (const binding of this.#bindings) this.#takeUnknown(binding);
    }
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
    // It may have been the chip's last line, and the zones may have been exchanged while earlier lines were checked.
    if (this.#port !== port || !this.#bindings.includes(binding)) return;
    if (!this.#lines.has(gpio)) await this.#openLine(port, binding);
    this.#lines.get(gpio)?.poll();
  }

  async #openLine(port: GpioPort, binding: LineBinding): Promise<void> {
    const isWanted = (): boolean => !this.#isStopped && this.#bindings.includes(binding);
    try {
      const line = await MonitoredLine.open(port, binding, {
        ...this.#options,
        onLost: (lost, error) => this.#lose(lost, error),
      });
      if (isWanted()) this.#lines.set(binding.input.gpio, line);
      else line.close();
    } catch (error) {
      if (!isWanted()) return;
      this.#options.conditions.raise("gpio-line-failed", this.#sentenceOf(error), binding.id);
      this.#takeUnknown(binding);
      if (isChipGone(error)) this.#losePort(error);
    }
  }

  /** Handles a line that failed or was changed by another program; a check reopens it. */
  #lose(line: MonitoredLine, error: unknown): void {
    const { binding } = line;
    line.close();
    if (this.#lines.get(binding.input.gpio) !== line) return;
    this.#lines.delete(binding.input.gpio);
    this.#options.conditions.clear("gpio-line-unstable", binding.id);
    const reason = sentenceOf(error).replace(/\.$/, "");
    this.#options.conditions.raise(
      "gpio-line-failed",
      `line ${lineName(binding.input)} can no longer be read: ${reason}. It is reopened automatically.`,
      binding.id,
    );
    this.#takeUnknown(binding);
    this.#hasLost = true;
    if (isChipGone(error)) this.#losePort(error);
    if (this.#checks === 0 && !this.#isStopped) this.#checkIn(LOST_CHECK_MS);
  }

  /** The chip is gone. Its number may be another chip's by now: it is searched for before anything of it is opened again. */
  #losePort(error: unknown): void {
    for (const line of this.#lines.values()) this.#lose(line, error);
    this.#leavePort();
  }

  #takeUnknown(binding: LineBinding): void {
    try {
      binding.take("unknown");
    } catch (error) {
      this.#options.log.error("gpio-reading-write-failed", { zone: binding.id, error });
    }
  }

  #sentenceOf(error: unknown): string {
    const { chip } = this.#options;
    return `${chip === undefined ? "" : `chip ${chip}: `}${sentenceOf(error)}`;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof AppError && error.hint ? `${error.message}. ${error.hint}` : `${messageOf(error)}.`;
}
