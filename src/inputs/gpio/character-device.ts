import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { AppError } from "../../domain/errors.ts";
import { CHARACTER_DEVICE_PERL } from "../../generated/character-device.ts";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import { chipDevices, kernelDevicesOf } from "./chip-devices.ts";
import { checkLine, chosenChip, lineError, type GpioChip } from "./chips.ts";
import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";

/** A chip with all its lines, as its character device lists them. */
export interface ListedChip extends GpioChip {
  /** Device file, such as /dev/gpiochip0. */
  readonly path: string;
  readonly list: readonly ListedLine[];
}

export interface ListedLine {
  /** Number on its chip: the BCM number on a Raspberry Pi. */
  readonly number: number;
  readonly name: string;
  /** The consumer of the line; empty when it is free. */
  readonly holder: string;
  readonly direction: "in" | "out";
  /** Level of a free input; null for other lines, which cannot be read without requesting them. */
  readonly level: 0 | 1 | null;
}

/**
 * Debounce in the kernel for an unstable line, in microseconds: only a level that is stable for this time is reported.
 * Not used otherwise, because it would hide a chattering contact.
 */
const STORM_DEBOUNCE_US = 50_000;
const MISSING_CODES: readonly string[] = ["ENODEV", "ENXIO", "ENOENT"];
/** Listing the lines of a few chips takes milliseconds; this only ends a listing that hangs. */
const LIST_TIMEOUT_MS = 10_000;

/**
 * The GPIO chips of this machine.
 * @throws AppError `unavailable` when they cannot be listed
 */
export async function listChips(): Promise<ListedChip[]> {
  const output = await new Promise<string>((resolve, reject) => {
    const options = { timeout: LIST_TIMEOUT_MS, maxBuffer: 4_194_304 };
    execFile("perl", ["-e", CHARACTER_DEVICE_PERL, "list", ...chipDevices()], options, (cause, stdout) => {
      if (cause)
        reject(new AppError("unavailable", `the GPIO chips cannot be listed: ${cause.message}`, { cause }));
      else resolve(stdout);
    });
  });
  const rows = output.split("\n").map((line) => line.split("\t"));
  const failedChip = rows.find(([what, , code = ""]) => what === "error" && !MISSING_CODES.includes(code));
  if (failedChip)
    throw new AppError("unavailable", `the GPIO chip ${failedChip[1]} cannot be opened: ${failedChip[2]}`, {
      hint: "Add the user to the group gpio; under systemd allow the device in the unit (DeviceAllow=char-gpiochip rw).",
    });
  return rows
    .filter(([what]) => what === "chip")
    .map(([, path = "", label = "", lines = ""]) => ({
      path,
      label,
      lines: Number(lines),
      devices: kernelDevicesOf(path),
      list: rows.filter(([what, of]) => what === "line" && of === path).map(lineOf),
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

/** The kernel's lines through the character device, read by a Perl process (decision 0010). */
export class CharacterDeviceLines implements GpioPort {
  readonly #chip: ListedChip;
  readonly #watched = new Map<number, Watched>();
  readonly #onRestart: () => void;
  #helper: ChildProcessWithoutNullStreams | undefined;
  /** Whether the helper has reported a level or an edge since its start. */
  #hasReported = false;

  private constructor(chip: ListedChip, onRestart: () => void) {
    this.#chip = chip;
    this.#onRestart = onRestart;
  }

  /**
   * Finds the chip.
   * @param onRestart called when the process that reads the lines has ended and was started again
   * @throws AppError `unavailable` with the remedy
   */
  static async load(selector: ChipSelector, onRestart: () => void = () => {}): Promise<CharacterDeviceLines> {
    return new CharacterDeviceLines(chosenChip(await listChips(), selector), onRestart);
  }

  open(line: number, bias: Bias, onActivity: OnActivity): Promise<GpioLine> {
    checkLine(line, this.#chip);
    return new Promise((resolve, reject) => {
      const watched: Watched = {
        level: undefined,
        bias,
        debounceUs: 0,
        onActivity,
        onOpened: () => resolve(opened),
        onFailed: reject,
      };
      const opened: GpioLine = {
        read: () => {
          if (watched.level === undefined) throw new Error("the kernel no longer lists it");
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
          this.#send(`close ${line}`);
        },
      };
      this.#watched.set(line, watched);
      this.#helper ??= this.#start();
      this.#request(line, watched);
    });
  }

  close(): void {
    this.#helper?.stdin.end();
    this.#helper = undefined;
  }

  #start(): ChildProcessWithoutNullStreams {
    this.#hasReported = false;
    const helper = spawn("perl", ["-e", CHARACTER_DEVICE_PERL, "watch", this.#chip.path]);
    createInterface({ input: helper.stdout }).on("line", (line) => this.#receive(line));
    // A command that the ended process did not read is repeated: the next check reopens each line.
    helper.stdin.on("error", () => {});
    helper.on("error", () => this.#onExit(helper));
    // After its last output: an old level must not follow a new one.
    helper.on("close", () => this.#onExit(helper));
    return helper;
  }

  #request(line: number, { bias, debounceUs }: Watched): void {
    this.#send(`open ${line} ${bias} ${debounceUs}`);
  }

  #send(command: string): void {
    this.#helper?.stdin.write(`${command}\n`);
  }

  #receive(text: string): void {
    const [what, number, value, at] = text.split("\t");
    const line = Number(number);
    const watched = this.#watched.get(line);
    if (!watched) return;
    if (what === "error") return this.#fail(line, watched, value ?? "");
    this.#hasReported = true;
    const isFirst = watched.level === undefined;
    const level = value === "1" ? 1 : 0;
    const isChange = what === "edge" || level !== watched.level;
    watched.level = level;
    if (isFirst) watched.onOpened();
    else if (isChange) watched.onActivity(at === undefined ? undefined : Number(at) / 1e6);
  }

  #fail(line: number, watched: Watched, code: string): void {
    this.#watched.delete(line);
    const error = lineError(line, Object.assign(new Error(code), { code }));
    watched.level = undefined;
    watched.onFailed(error);
    // The owner of the line gets the error when it reads the level.
    watched.onActivity();
  }

  #onExit(helper: ChildProcessWithoutNullStreams): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    if (this.#hasReported) return this.#restart();
    // It ends at each start: the owner of each line gets an error, and opens the line again later.
    for (const [line, watched] of this.#watched)
      this.#fail(line, watched, "the process that reads it has exited");
  }

  /** Requests all lines again at once. A level that has changed since is reported like an edge. */
  #restart(): void {
    this.#helper = this.#start();
    for (const [line, watched] of this.#watched) this.#request(line, watched);
    this.#onRestart();
  }
}

interface Watched {
  /** undefined before opening and after a failure. */
  level: 0 | 1 | undefined;
  readonly bias: Bias;
  /** Debounce in the kernel; 0 for none. */
  debounceUs: number;
  readonly onActivity: OnActivity;
  readonly onOpened: () => void;
  readonly onFailed: (error: AppError) => void;
}
