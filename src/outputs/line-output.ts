import type { OutputTarget } from "../domain/output.ts";
import type { LineDriver } from "../inputs/gpio/line-driver.ts";
import type { OutputDevice } from "./output-device.ts";

/** Opens the lines of a chip by its name in `gpio.chips`; undefined is the chip of `gpio.chip`. */
export type OpenDriver = (chip: string | undefined) => Promise<LineDriver>;

/** A GPIO line; its chip is opened at the first switch, and again after a failure. */
export class LineOutput implements OutputDevice {
  readonly #target: Extract<OutputTarget, { by: "gpio" }>;
  readonly #open: OpenDriver;
  #driver: LineDriver | undefined;

  constructor(target: Extract<OutputTarget, { by: "gpio" }>, open: OpenDriver) {
    this.#target = target;
    this.#open = open;
  }

  async set(isOn: boolean): Promise<void> {
    const { chip, gpio, active } = this.#target;
    const driver = (this.#driver ??= await this.#open(chip));
    try {
      await driver.set(gpio, isOn ? active : active === 1 ? 0 : 1);
    } catch (error) {
      this.#driver = undefined;
      driver.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (!this.#driver) return;
    await this.set(false);
    this.#driver?.close();
  }
}
