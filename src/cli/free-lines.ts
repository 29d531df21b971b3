import type { Config } from "../config/config.ts";
import { chipNames, chipSelectorOf } from "../domain/gpio-chip.ts";
import { listChips } from "../inputs/gpio/chip-list.ts";
import { chosenOrNone } from "../inputs/gpio/chips.ts";
import { gpioLinesOf } from "../inputs/gpio/line-bindings.ts";

/** The free lines of each GPIO chip that zones can use, one sentence for each chip with their input. */
export async function freeLines({ gpio, zones }: Pick<Config, "gpio" | "zones">): Promise<string[]> {
  if (gpio.backend === "simulated") return [];
  // Without chips or the right to see them there is nothing to offer; `santinela gpio list` says why.
  const { chips } = await listChips().catch(() => ({ chips: [] }));
  return chipNames(gpio).flatMap((name) => {
    const chip = chosenOrNone(chips, chipSelectorOf(gpio, name));
    const used = zones.flatMap(gpioLinesOf).filter((line) => line.chip === name);
    const free = (chip?.list ?? [])
      .filter(({ number, holder }) => holder === "" && !used.some((line) => line.gpio === number))
      .map(({ number }) => number);
    if (!chip || free.length === 0) return [];
    const input = `{ gpio: <line>${name === undefined ? "" : `, chip: ${name}`} }`;
    return [`free GPIO lines of ${chip.label}, as input: ${input}: ${free.join(", ")}`];
  });
}
