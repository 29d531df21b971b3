import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import { AppError } from "../../domain/errors.ts";
import { CHARACTER_DEVICE_PERL } from "../../generated/character-device.ts";
import type { GpioBackend } from "./backend.ts";
import { hasChipDevices } from "./chip-devices.ts";
import { findChip, type FoundChip } from "./chip-list.ts";
import { checkLine, lineError } from "./chips.ts";
import { noteKilled, stuckAt } from "./line-program.ts";
import { OnoffDriver } from "./onoff-lines.ts";

/** Output lines of one chip. */
export interface LineDriver {
  /**
   * Makes the line an output with this level; its first level is also this one, so that a relay does not click.
   * @throws AppError `unavailable` with a message that names the line and the remedy
   */
  set(line: number, level: 0 | 1): Promise<void>;
  /** Releases the lines. What a line does then depends on its chip. */
  close(): void;
}

/**
 * Opens the output lines of one chip, as `openBackend` those of zones.
 * @param devices directory of device files; /dev if undefined
 * @param onEnd called when the lines are released although nothing has closed them
 * @throws AppError `unavailable` with the remedy
 */
export async function openDriver(
  backend: GpioBackend | "simulated",
  chip: ChipSelector,
  devices?: string,
  onEnd: () => void = () => {},
): Promise<LineDriver> {
  if (backend === "simulated") return SIMULATED;
  if (backend === "onoff") return OnoffDriver.load(chip);
  const byCharacterDevice = async (): Promise<LineDriver> => {
    const found = await findChip(chip, devices);
    const stuck = stuckAt(found.path);
    if (stuck) throw new AppError("unavailable", stuck.reason, { hint: stuck.remedy });
    return new CharacterDeviceDriver(found, onEnd);
  };
  if (backend === "cdev" || hasChipDevices(devices)) return byCharacterDevice();
  // The error of the preferred backend has the remedy.
  return OnoffDriver.load(chip).catch(byCharacterDevice);
}

/** Lines without hardware: the state of the output is the line. */
const SIMULATED: LineDriver = { set: async () => Promise.resolve(), close: () => {} };

/** Longer than the kernel needs for an expander on a slow bus. */
const ANSWER_MS_MAX = 5_000;

interface Switch {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Output lines through the character device, driven by a Perl process of their own. */
class CharacterDeviceDriver implements LineDriver {
  readonly #chip: FoundChip;
  readonly #helper: ChildProcessWithoutNullStreams;
  readonly #pending = new Map<number, Switch>();
  #onEnd: () => void;

  constructor(chip: FoundChip, onEnd: () => void) {
    this.#chip = chip;
    this.#onEnd = onEnd;
    this.#helper = spawn("perl", ["-e", CHARACTER_DEVICE_PERL, "drive", chip.path, chip.label]);
    createInterface({ input: this.#helper.stdout }).on("line", (line) => this.#receive(line));
    this.#helper.stdin.on("error", () => {});
    const onExit = (): void => this.#exited();
    this.#helper.on("error", onExit);
    this.#helper.on("close", onExit);
  }

  async set(line: number, level: 0 | 1): Promise<void> {
    checkLine(line, this.#chip);
    const switched = new Promise<void>((resolve, reject) => this.#pending.set(line, { resolve, reject }));
    this.#helper.stdin.write(`set ${line} ${level}\n`);
    const limit = AbortSignal.timeout(ANSWER_MS_MAX);
    const onLimit = (): void => {
      this.#end(line)?.reject(silent(line));
      // A program that hangs would keep the line from the next one.
      this.#helper.kill("SIGKILL");
      noteKilled(this.#chip.path, this.#helper);
    };
    limit.addEventListener("abort", onLimit, { once: true });
    if (this.#helper.exitCode !== null || this.#helper.signalCode !== null) this.#exited();
    return switched.finally(() => limit.removeEventListener("abort", onLimit));
  }

  close(): void {
    this.#onEnd = () => {};
    this.#helper.stdin.end();
  }

  #receive(text: string): void {
    const [what, number, code = ""] = text.split("\t");
    const line = Number(number);
    const pending = this.#end(line);
    if (what === "set") pending?.resolve();
    else pending?.reject(lineError(line, Object.assign(new Error(code), { code })));
  }

  #end(line: number): Switch | undefined {
    const pending = this.#pending.get(line);
    this.#pending.delete(line);
    return pending;
  }

  #exited(): void {
    for (const line of this.#pending.keys())
      this.#end(line)?.reject(
        new AppError("unavailable", `the process that drives line ${line} has exited`, {
          hint: "It is started again automatically. Check that Perl works (perl -v) and that memory is free.",
        }),
      );
    this.#onEnd();
  }
}

function silent(line: number): AppError {
  return new AppError("unavailable", `line ${line} was not switched within ${ANSWER_MS_MAX / 1000} s`, {
    hint: "Check the chip's supply and the wires of its bus.",
  });
}
