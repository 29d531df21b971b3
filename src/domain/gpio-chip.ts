import type { Gpio, GpioChip, GpioInput } from "../generated/types.ts";

/** Labels of the chips behind a Raspberry Pi's header: Pi 5, Pi 4, and earlier models. A machine has one of them. */
export const HEADER_LABELS: readonly string[] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];

/** How a GPIO chip is found. Everything that is given must fit; without anything it is the header of a Raspberry Pi. */
export interface ChipSelector extends GpioChip {
  /** Its name in `gpio.chips`; undefined for the chip of zones that name none. */
  readonly name?: string;
}

/** A GPIO line with its defaults, as zones and gates use it. */
export type LineInput = Required<Omit<GpioInput, "chip">> & Pick<GpioInput, "chip">;

/**
 * The chip of a zone.
 * @param name its name in `gpio.chips`; undefined for the chip of `gpio.chip`
 * @returns undefined for a name that `gpio.chips` does not have
 */
export function chipSelectorOf(
  { chip, chips }: Pick<Gpio, "chip" | "chips">,
  name?: string,
): ChipSelector | undefined {
  if (name === undefined) return chip === undefined ? {} : { label: chip };
  const named = Object.entries(chips ?? {}).find(([key]) => key === name)?.[1];
  return named && { name, ...named };
}

/** Names of all chips that zones can use: undefined stands for the chip of `gpio.chip`. */
export function chipNames({ chips = {} }: Pick<Gpio, "chips">): (string | undefined)[] {
  return [undefined, ...Object.keys(chips)];
}

/** A line in messages: `17`, and with its chip `expander/3`. */
export function lineName({ gpio, chip }: Pick<GpioInput, "gpio" | "chip">): string {
  return chip === undefined ? String(gpio) : `${chip}/${gpio}`;
}
