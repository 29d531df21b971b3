import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { AppError } from "../../domain/errors.ts";
import { CHARACTER_DEVICE_PERL } from "../../generated/character-device.ts";
import { checkLine, chosenChip, lineError, SEEN_AT_START, type GpioChip } from "./chips.ts";
import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";

/** A chip as its character device shows it, with every line. */
export interface ListedChip extends GpioChip {
  /** Device file, such as /dev/gpiochip0. */
  readonly path: string;
  readonly list: readonly ListedLine[];
}

export interface ListedLine {
  /** Number on its chip: the BCM number on a Raspberry Pi. */
  readonly number: number;
  readonly name: string;
  /** Who uses it; empty when it is free. */
  readonly holder: string;
  readonly direction: "in" | "out";
  /** Level of a free input; null of any other line, which cannot be read without taking it. */
  readonly level: 0 | 1 | null;
}

/**
 * While a line oscillates the kernel itself waits until it has been still for so long, in microseconds, and shows that
 * level. Not before: a contact that chatters faster would be silence.
 */
const STORM_DEBOUNCE_US = 50_000;
const GONE: readonly string[] = ["ENODEV", "ENXIO", "ENOENT"];
/** Asking every line of a few chips takes milliseconds; this only ends a listing that hangs. */
const LIST_TIMEOUT_MS = 10_000;

/**
 * The GPIO chips of this machine.
 * @throws AppError `unavailable` when they cannot be listed
 */
export async function listChips(): Promise<ListedChip[]> {
  const output = await new Promise<string>((resolve, reject) => {
    const options = { timeout: LIST_TIMEOUT_MS, maxBuffer: 4_194_304 };
    execFile("perl", ["-e", CHARACTER_DEVICE_PERL, "list"], options, (cause, stdout) => {
      if (cause)
        reject(new AppError("unavailable", `the GPIO chips cannot be listed: ${cause.message}`, { cause }));
      else resolve(stdout);
    });
  });
  const words = output.split("\n").map((line) => line.split("\t"));
  const refused = words.find(([what, , code = ""]) => what === "error" && !GONE.includes(code));
  if (refused)
    throw new AppError("unavailable", `the GPIO chip ${refused[1]} cannot be opened: ${refused[2]}`, {
      hint: `Add the user to the group gpio; under systemd allow the device in the unit (BindPaths, DeviceAllow). ${SEEN_AT_START}`,
    });
  return words
    .filter(([what]) => what === "chip")
    .map(([, path = "", label = "", lines = ""]) => ({
      path,
      label,
      lines: Number(lines),
      list: words.filter(([what, of]) => what === "line" && of === path).map(lineOf),
    }));
}

function lineOf([, , number, name = "", holder = "", direction, level]: readonly string[]): ListedLine {
  return {
    number: Number(number),
    name,
    holder,
    direction: direction === "out" ? "out" : "in",
    level: level === "0" ? 0 : level === "1" ? 1 : null,
  };
}

/** The kernel's lines through the character device, which a helper process of ours reads (decision 0010). */
export class CharacterDeviceLines implements GpioPort {
  readonly #chip: ListedChip;
  readonly #watched = new Map<number, Watched>();
  #helper: ChildProcessWithoutNullStreams | undefined;

  private constructor(chip: ListedChip) {
    this.#chip = chip;
  }

  /**
   * Looks for the chip.
   * @param label label of the chip where it is not a Raspberry Pi's
   * @throws AppError `unavailable` with the remedy
   */
  static async load(label: string | undefined): Promise<CharacterDeviceLines> {
    return new CharacterDeviceLines(chosenChip(await listChips(), label));
  }

  open(line: number, bias: Bias, onActivity: OnActivity): Promise<GpioLine> {
    checkLine(line, this.#chip);
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        level: undefined,
        onActivity,
        onOpened: () => resolve(opened),
        onFailed: reject,
      };
      const opened: GpioLine = {
        read: () => {
          if (watched.level === undefined) throw new Error("the kernel does not show it any more");
          return watched.level;
        },
        check: () => void opened.read(),
        setEdgeDetection: (isCalmed) => {
          if (this.#watched.get(line) === watched)
            this.#say(`open ${line} ${bias} ${isCalmed ? STORM_DEBOUNCE_US : 0}`);
        },
        close: () => {
          if (this.#watched.get(line) !== watched) return;
          this.#watched.delete(line);
          this.#say(`close ${line}`);
        },
      };
      this.#watched.set(line, watched);
      this.#helper ??= this.#start();
      this.#say(`open ${line} ${bias} 0`);
    });
  }

  close(): void {
    this.#helper?.stdin.end();
    this.#helper = undefined;
  }

  #start(): ChildProcessWithoutNullStreams {
    const helper = spawn("perl", ["-e", CHARACTER_DEVICE_PERL, "watch", this.#chip.path]);
    createInterface({ input: helper.stdout }).on("line", (line) => this.#hear(line));
    // What it was told when it was gone is said again: each line is opened anew by the next check.
    helper.stdin.on("error", () => {});
    helper.on("error", () => this.#lose(helper));
    helper.on("exit", () => this.#lose(helper));
    return helper;
  }

  #say(command: string): void {
    this.#helper?.stdin.write(`${command}\n`);
  }

  #hear(text: string): void {
    const [what, number, value, at] = text.split("\t");
    const line = Number(number);
    const watched = this.#watched.get(line);
    if (!watched) return;
    if (what === "error") return this.#fail(line, watched, value ?? "");
    const isFirst = watched.level === undefined;
    const level = value === "1" ? 1 : 0;
    const isNews = what === "edge" || level !== watched.level;
    watched.level = level;
    if (isFirst) watched.onOpened();
    else if (isNews) watched.onActivity(at === undefined ? undefined : Number(at) / 1e6);
  }

  #fail(line: number, watched: Watched, code: string): void {
    this.#watched.delete(line);
    const error = lineError(line, Object.assign(new Error(code), { code }));
    watched.level = undefined;
    watched.onFailed(error);
    // Whoever has it open finds out by reading it.
    watched.onActivity();
  }

  #lose(helper: ChildProcessWithoutNullStreams): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    for (const [line, watched] of this.#watched)
      this.#fail(line, watched, "the process that reads it has ended");
  }
}

interface Watched {
  /** undefined before it is opened and after it is gone. */
  level: 0 | 1 | undefined;
  readonly onActivity: OnActivity;
  readonly onOpened: () => void;
  readonly onFailed: (error: AppError) => void;
}
