import type { Gpio as OnoffGpio } from "onoff";
import { AppError } from "../../domain/errors.ts";
import { lineError } from "./chips.ts";
import type { Bias, GpioLine, GpioPort } from "./gpio-port.ts";
import { sysfsNumberOf } from "./sysfs-numbers.ts";

type OnoffModule = { readonly Gpio: typeof OnoffGpio };

const SYSFS_GPIO = "/sys/class/gpio";

/** The kernel's lines through onoff, which uses the files in /sys. */
export class OnoffLines implements GpioPort {
  readonly #onoff: OnoffModule;
  readonly #chip: string | undefined;

  private constructor(onoff: OnoffModule, chip: string | undefined) {
    this.#onoff = onoff;
    this.#chip = chip;
  }

  /**
   * Loads onoff, which is there only where it could be compiled, and looks for the chip.
   * @param chip label of the chip where it is not a Raspberry Pi's
   * @throws AppError `unavailable` with the remedy
   */
  static async load(chip: string | undefined): Promise<OnoffLines> {
    let onoff: OnoffModule;
    try {
      onoff = await import("onoff");
    } catch (cause) {
      throw new AppError("unavailable", "the onoff add-on is not installed", {
        hint: "Install a C++ toolchain (apt install g++ make python3) and run npm install again.",
        cause,
      });
    }
    // A machine without the chip is one statement, not one for each line.
    sysfsNumberOf(0, SYSFS_GPIO, chip);
    return new OnoffLines(onoff, chip);
  }

  open(line: number, bias: Bias, onActivity: () => void): GpioLine {
    if (bias !== "as-is") {
      const pull = bias === "pull-up" ? "pu" : "pd";
      throw new AppError("unavailable", `onoff cannot set the bias of line ${line}`, {
        hint: `Write gpio=${line}=ip,${pull} into config.txt and leave bias out, or set gpio.backend to cdev.`,
      });
    }
    const number = sysfsNumberOf(line, SYSFS_GPIO, this.#chip);
    try {
      // Always both edges: with one edge onoff drops a callback whose level has changed back meanwhile.
      const gpio = new this.#onoff.Gpio(number, "in", "both");
      gpio.watch(() => onActivity());
      return {
        read: () => gpio.readSync(),
        close: () => {
          gpio.unwatchAll();
          gpio.unexport();
        },
      };
    } catch (cause) {
      throw lineError(line, cause as NodeJS.ErrnoException);
    }
  }

  close(): void {
    // Each line is closed by whoever opened it; nothing else is held.
  }
}
