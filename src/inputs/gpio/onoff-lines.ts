import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Gpio as OnoffGpio } from "onoff";
import { AppError } from "../../domain/errors.ts";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import { devicesIn } from "./chip-devices.ts";
import { lineError, checkLine, chosenChip, type GpioChip } from "./chips.ts";
import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";
import type { LineDriver } from "./line-driver.ts";

export type OnoffModule = { readonly Gpio: typeof OnoffGpio };

/** Directory of the GPIO class. */
export const SYSFS_GPIO = "/sys/class/gpio";

/** The kernel's lines through onoff, which uses the files in /sys. */
export class OnoffLines implements GpioPort {
  readonly #onoff: OnoffModule;
  readonly #chip: ChipSelector;

  private constructor(onoff: OnoffModule, chip: ChipSelector) {
    this.#onoff = onoff;
    this.#chip = chip;
  }

  /**
   * Loads onoff, an optional native add-on, and finds the chip.
   * @throws AppError `unavailable` with the remedy
   */
  static async load(chip: ChipSelector): Promise<OnoffLines> {
    return new OnoffLines(await loadOnoff(chip), chip);
  }

  open(line: number, bias: Bias, onActivity: OnActivity): GpioLine {
    if (bias !== "as-is") {
      const pull = bias === "pull-up" ? "pu" : "pd";
      throw new AppError("unavailable", `onoff cannot set the bias of line ${line}`, {
        hint: `Add gpio=${line}=ip,${pull} to config.txt and omit bias, or set gpio.backend to cdev.`,
      });
    }
    const number = sysfsNumberOf(line, SYSFS_GPIO, this.#chip);
    try {
      // Always both edges: with one edge, onoff drops a callback if the level has changed back.
      return new OnoffLine(line, new this.#onoff.Gpio(number, "in", "both"), onActivity);
    } catch (cause) {
      throw lineError(line, cause as NodeJS.ErrnoException);
    }
  }

  close(): void {
    // Each line is closed by its owner; nothing else is open.
  }
}

/**
 * Loads onoff, an optional native add-on, and finds the chip.
 * @throws AppError `unavailable` with the remedy
 */
export async function loadOnoff(chip: ChipSelector): Promise<OnoffModule> {
  if (chip.path !== undefined)
    throw new AppError("unavailable", "GPIO in /sys does not know the device files of chips", {
      hint: `Set gpio.chips.${chip.name ?? ""} to a label or device instead of a path, or gpio.backend to cdev.`,
    });
  let onoff: OnoffModule;
  try {
    onoff = await import("onoff");
  } catch (cause) {
    throw new AppError("unavailable", "the onoff add-on is not installed", {
      hint: "Install a C++ toolchain (apt install g++ make python3) and run npm install again.",
      cause,
    });
  }
  // Report a missing chip once, not for each line.
  sysfsNumberOf(0, SYSFS_GPIO, chip);
  return onoff;
}

class OnoffLine implements GpioLine {
  readonly #number: number;
  readonly #gpio: OnoffGpio;
  readonly #onActivity: OnActivity;
  readonly #readSync: () => 0 | 1;
  #isDebounced = false;
  /** The level when edge detection was resumed: the kernel then reports one old edge. */
  #levelAtResume: 0 | 1 | undefined;

  constructor(number: number, gpio: OnoffGpio, onActivity: OnActivity) {
    this.#number = number;
    this.#gpio = gpio;
    this.#onActivity = onActivity;
    this.#readSync = gpio.readSync.bind(gpio);
    // onoff reads the level on each edge, where an error of a removed line could not be caught. The owner gets the error
    // when it reads the level.
    gpio.readSync = () => {
      try {
        return this.#readSync();
      } catch {
        return 0;
      }
    };
    gpio.watch(() => this.#onEdge());
  }

  read(): 0 | 1 {
    return this.#readSync();
  }

  check(): void {
    const direction = this.#gpio.direction();
    const edge = this.#gpio.edge();
    const expectedEdge = this.#isDebounced ? "none" : "both";
    if (direction === "in" && edge === expectedEdge) return;
    throw new AppError(
      "unavailable",
      `another program has changed GPIO line ${this.#number} to direction ${direction}, edge ${edge}`,
      { hint: "Stop that program, or use another line for the zone." },
    );
  }

  setEdgeDetection(isDebounced: boolean): void {
    this.#isDebounced = isDebounced;
    if (isDebounced) {
      this.#gpio.unwatchAll();
      this.#gpio.setEdge("none");
    } else {
      this.#gpio.setEdge("both");
      this.#levelAtResume = this.#readSync();
      this.#gpio.watch(() => this.#onEdge());
    }
  }

  close(): void {
    this.#gpio.unwatchAll();
    this.#gpio.unexport();
  }

  #onEdge(): void {
    const before = this.#levelAtResume;
    this.#levelAtResume = undefined;
    if (before !== undefined && before === this.#gpio.readSync()) return;
    this.#onActivity();
  }
}

/**
 * Returns the sysfs number of a BCM line, which onoff needs: the kernel gives each chip its own base number.
 * @param root directory of the GPIO class, `/sys/class/gpio` on a real machine
 * @throws AppError `unavailable` when no chip or more than one fits, or the chip does not have the line
 */
export function sysfsNumberOf(line: number, root: string, selector: ChipSelector = {}): number {
  const chip = chosenChip(chipsOf(root), selector);
  checkLine(line, chip);
  return chip.base + line;
}

/**
 * Releases lines that a killed daemon has left exported in /sys: the character device reports them as in use, until the
 * next boot. Lines that are not exported, and machines without GPIO in /sys, are left alone.
 * @param lines BCM numbers
 * @param root directory of the GPIO class
 */
export function releaseExportedLines(
  lines: readonly number[],
  selector: ChipSelector,
  root = SYSFS_GPIO,
): void {
  for (const line of lines)
    try {
      const number = sysfsNumberOf(line, root, selector);
      if (existsSync(join(root, `gpio${number}`))) writeFileSync(join(root, "unexport"), String(number));
    } catch {
      // The request of the line reports what is wrong with it.
    }
}

interface SysfsChip extends GpioChip {
  readonly base: number;
}

function chipsOf(root: string): SysfsChip[] {
  if (!existsSync(root)) return [];
  const read = (chip: string, file: string): string => readFileSync(join(root, chip, file), "utf8").trim();
  return readdirSync(root)
    .filter((name) => /^gpiochip\d+$/.test(name))
    .map((chip) => ({
      label: read(chip, "label"),
      base: Number(read(chip, "base")),
      lines: Number(read(chip, "ngpio")),
      devices: devicesIn(realpathSync(join(root, chip))),
    }));
}

/** Output lines through onoff, which uses the files in /sys. */
export class OnoffDriver implements LineDriver {
  readonly #onoff: OnoffModule;
  readonly #chip: ChipSelector;
  readonly #lines = new Map<number, OnoffGpio>();

  private constructor(onoff: OnoffModule, chip: ChipSelector) {
    this.#onoff = onoff;
    this.#chip = chip;
  }

  /** @throws AppError `unavailable` with the remedy */
  static async load(chip: ChipSelector): Promise<OnoffDriver> {
    return new OnoffDriver(await loadOnoff(chip), chip);
  }

  async set(line: number, level: 0 | 1): Promise<void> {
    const number = sysfsNumberOf(line, SYSFS_GPIO, this.#chip);
    try {
      const open = this.#lines.get(line);
      if (open) await open.write(level);
      else this.#lines.set(line, new this.#onoff.Gpio(number, level === 1 ? "high" : "low"));
    } catch (cause) {
      throw lineError(line, cause as NodeJS.ErrnoException);
    }
  }

  close(): void {
    for (const line of this.#lines.values()) line.unexport();
    this.#lines.clear();
  }
}
