import type { Gpio as OnoffGpio } from "onoff";
import { AppError } from "../../domain/errors.ts";
import type { GpioLine, GpioPort } from "./gpio-port.ts";
import { sysfsNumberOf } from "./sysfs-numbers.ts";

type OnoffModule = { readonly Gpio: typeof OnoffGpio };

const SYSFS_GPIO = "/sys/class/gpio";

/** The kernel's lines through onoff. */
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

  open(line: number, onActivity: () => void): GpioLine {
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
}

/** The kernel's error about a line as a sentence with the remedy. */
export function lineError(line: number, cause: NodeJS.ErrnoException): AppError {
  const [what, hint] = REASONS[cause.code ?? ""] ?? [cause.message, ""];
  return new AppError("unavailable", `GPIO line ${line} cannot be opened: ${what}`, { hint, cause });
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EINVAL: ["the kernel has no line of that number", "Check the BCM number and gpio.chip."],
  ENOENT: [
    "this kernel offers no GPIO lines with interrupts in sysfs",
    "Use a kernel with CONFIG_GPIO_SYSFS.",
  ],
  EACCES: ["permission denied", "Add the daemon's user to the group gpio."],
  EROFS: ["/sys is read-only for this service", "Allow /sys/class/gpio in the service's ReadWritePaths."],
  EBUSY: ["another program or driver holds it", "gpioinfo names the holder; end it or use another line."],
};
