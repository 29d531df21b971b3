import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import { kernelDevicesOf } from "./chip-devices.ts";
import { findChip, type FoundChip } from "./chip-list.ts";
import { checkLine, lineError, lineFailure } from "./chips.ts";
import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";
import { LineProgram, stuckAt, type ProgramEnd } from "./line-program.ts";

/**
 * Debounce in the kernel for an unstable line, in microseconds: only a level that is stable for this time is reported.
 * Not used otherwise, because it would hide a chattering contact.
 */
const STORM_DEBOUNCE_US = 50_000;
interface CharacterDeviceOptions {
  readonly clock: Clock;
  /** Called when the process that reads the lines has ended and was started again; no line is read until `onResumed`. */
  readonly onInterrupted: (end: ProgramEnd) => void;
  /** Called when the new process has reported each line, or its failure. */
  readonly onResumed: () => void;
  /** Directory of device files; /dev if undefined. */
  readonly devices?: string | undefined;
}

/** The kernel's lines through the character device, read by a Perl process (decision 0010). */
export class CharacterDeviceLines implements GpioPort {
  readonly #chip: FoundChip;
  readonly #watched = new Map<number, Watched>();
  readonly #options: CharacterDeviceOptions;
  #program: LineProgram | undefined;
  /** Whether the program has reported a level or an edge since its start. */
  #hasReported = false;
  /** Lines that a program which was started again has not reported yet. */
  readonly #awaited = new Set<number>();

  private constructor(chip: FoundChip, options: CharacterDeviceOptions) {
    this.#chip = chip;
    this.#options = options;
  }

  /**
   * Finds the chip.
   * @throws AppError `unavailable` with the remedy
   */
  static async load(selector: ChipSelector, options: CharacterDeviceOptions): Promise<CharacterDeviceLines> {
    return new CharacterDeviceLines(await findChip(selector, options.devices), options);
  }

  async open(line: number, bias: Bias, onActivity: OnActivity): Promise<GpioLine> {
    checkLine(line, this.#chip);
    const stuck = stuckAt(this.#chip.path);
    if (stuck) throw endError(line, stuck);
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        level: undefined,
        failure: lineFailure("ENODEV"),
        bias,
        debounceUs: 0,
        onActivity,
        onOpened: () => resolve(opened),
        onFailed: reject,
      };
      const opened: GpioLine = {
        read: () => {
          if (watched.level === undefined) throw watched.failure;
          return watched.level;
        },
        check: () => void opened.read(),
        setEdgeDetection: (isDebounced) => {
          if (this.#watched.get(line) !== watched) return;
          watched.debounceUs = isDebounced ? STORM_DEBOUNCE_US : 0;
          this.#request(line, watched);
        },
        close: () => {
          if (this.#watched.get(line) !== watched) return;
          this.#watched.delete(line);
          this.#program?.send(`close ${line}`);
          this.#reported(line);
        },
      };
      this.#watched.set(line, watched);
      this.#program ??= this.#start();
      this.#request(line, watched);
    });
  }

  close(): void {
    this.#program?.close();
    this.#program = undefined;
    // A line that is being opened is no longer wanted.
    for (const { onFailed } of this.#watched.values())
      onFailed(new AppError("unavailable", "the chip is no longer read"));
    this.#watched.clear();
    for (const line of this.#awaited) this.#reported(line);
  }

  #start(): LineProgram {
    this.#hasReported = false;
    return new LineProgram({
      path: this.#chip.path,
      label: this.#chip.label,
      clock: this.#options.clock,
      hasLines: () => this.#watched.size > 0,
      onOutput: (text) => this.#receive(text),
      onEnd: (end) => this.#onEnd(end),
    });
  }

  /** Never of another chip that has got the number of this one: the program compares the label, which two chips may share. */
  #request(line: number, watched: Watched): void {
    const { path, devices } = this.#chip;
    if (kernelDevicesOf(path).join() !== devices.join()) this.#failByCode(line, watched, "ENODEV");
    else this.#program?.send(`open ${line} ${watched.bias} ${watched.debounceUs}`);
  }

  #receive(text: string): void {
    const [what, number, value, at] = text.split("\t");
    const line = Number(number);
    const watched = this.#watched.get(line);
    if (!watched) return;
    if (what === "error") return this.#failByCode(line, watched, value ?? "");
    this.#hasReported = true;
    const isFirst = watched.level === undefined;
    const level = value === "1" ? 1 : 0;
    const isChange = what === "edge" || level !== watched.level;
    watched.level = level;
    if (isFirst) watched.onOpened();
    else if (isChange) watched.onActivity(at === undefined ? undefined : Number(at) / 1e6);
    this.#reported(line);
  }

  #reported(line: number): void {
    if (this.#awaited.delete(line) && this.#awaited.size === 0) this.#options.onResumed();
  }

  #failByCode(line: number, watched: Watched, code: string): void {
    watched.failure = lineFailure(code);
    this.#fail(line, watched, lineError(line, Object.assign(new Error(code), { code })));
  }

  /** @param error of its opening, if it has just been requested */
  #fail(line: number, watched: Watched, error: AppError): void {
    this.#watched.delete(line);
    watched.level = undefined;
    watched.onFailed(error);
    // The owner of the line gets the failure when it reads the level.
    watched.onActivity();
    this.#reported(line);
  }

  #onEnd(end: ProgramEnd): void {
    this.#program = undefined;
    if (this.#watched.size === 0) return;
    if (this.#hasReported) this.#options.onInterrupted(end);
    if (this.#hasReported && !end.isStuck) return this.#restart();
    // It ends at each start, or keeps the lines: the owner of each line gets an error, and opens the line again later.
    for (const line of this.#watched.keys()) this.#awaited.add(line);
    for (const [line, watched] of this.#watched) {
      watched.failure = new AppError("unavailable", end.reason, { hint: end.remedy });
      this.#fail(line, watched, endError(line, end));
    }
  }

  /** Requests all lines again at once. A level that has changed since is reported like an edge. */
  #restart(): void {
    this.#program = this.#start();
    for (const [line, watched] of this.#watched) {
      this.#awaited.add(line);
      this.#request(line, watched);
    }
  }
}

function endError(line: number, { reason, remedy }: Pick<ProgramEnd, "reason" | "remedy">): AppError {
  return new AppError("unavailable", `GPIO line ${line} cannot be opened: ${reason}`, { hint: remedy });
}

interface Watched {
  /** undefined before opening and after a failure. */
  level: 0 | 1 | undefined;
  /** Why it has no level after a failure. */
  failure: AppError;
  readonly bias: Bias;
  /** Debounce in the kernel; 0 for none. */
  debounceUs: number;
  readonly onActivity: OnActivity;
  readonly onOpened: () => void;
  readonly onFailed: (error: AppError) => void;
}
