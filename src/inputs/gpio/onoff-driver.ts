import type { Gpio as OnoffGpio } from "onoff";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import { lineError } from "./chips.ts";
import type { LineDriver } from "./line-driver.ts";
import { loadOnoff, SYSFS_GPIO, sysfsNumberOf, type OnoffModule } from "./onoff-lines.ts";

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
