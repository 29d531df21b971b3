import type { Gpio as OnoffGpio } from "onoff";
import { AppError } from "../../domain/errors.ts";
import { lineError } from "./chips.ts";
import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";
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

  open(line: number, bias: Bias, onActivity: OnActivity): GpioLine {
    if (bias !== "as-is") {
      const pull = bias === "pull-up" ? "pu" : "pd";
      throw new AppError("unavailable", `onoff cannot set the bias of line ${line}`, {
        hint: `Write gpio=${line}=ip,${pull} into config.txt and leave bias out, or set gpio.backend to cdev.`,
      });
    }
    const number = sysfsNumberOf(line, SYSFS_GPIO, this.#chip);
    try {
      // Always both edges: with one edge onoff drops a callback whose level has changed back meanwhile.
      return new OnoffLine(line, new this.#onoff.Gpio(number, "in", "both"), onActivity);
    } catch (cause) {
      throw lineError(line, cause as NodeJS.ErrnoException);
    }
  }

  close(): void {
    // Each line is closed by whoever opened it; nothing else is held.
  }
}

class OnoffLine implements GpioLine {
  readonly #number: number;
  readonly #gpio: OnoffGpio;
  readonly #onActivity: OnActivity;
  readonly #readSync: () => 0 | 1;
  #isCalmed = false;
  /** The level when it was listened to again: the kernel then tells once of an edge that was long ago. */
  #levelAtTrial: 0 | 1 | undefined;

  constructor(number: number, gpio: OnoffGpio, onActivity: OnActivity) {
    this.#number = number;
    this.#gpio = gpio;
    this.#onActivity = onActivity;
    this.#readSync = gpio.readSync.bind(gpio);
    // onoff itself reads at each edge, where nobody could catch what a line that was taken away throws; who reads it
    // for its level finds out.
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
    const wanted = this.#isCalmed ? "none" : "both";
    if (direction === "in" && edge === wanted) return;
    throw new AppError(
      "unavailable",
      `another program has set line ${this.#number} to direction ${direction}, edge ${edge}`,
      { hint: "End that program, or give the zone another line." },
    );
  }

  setEdgeDetection(isCalmed: boolean): void {
    this.#isCalmed = isCalmed;
    if (isCalmed) {
      this.#gpio.unwatchAll();
      this.#gpio.setEdge("none");
    } else {
      this.#gpio.setEdge("both");
      this.#levelAtTrial = this.#readSync();
      this.#gpio.watch(() => this.#onEdge());
    }
  }

  close(): void {
    this.#gpio.unwatchAll();
    this.#gpio.unexport();
  }

  #onEdge(): void {
    const before = this.#levelAtTrial;
    this.#levelAtTrial = undefined;
    if (before !== undefined && before === this.#gpio.readSync()) return;
    this.#onActivity();
  }
}
