import { chipSelectorOf, lineName, type ChipSelector } from "../domain/gpio-chip.ts";
import { canonical } from "../domain/zone-changes.ts";
import type { Configuration, Gpio, GpioInput } from "../generated/types.ts";
import type { Report } from "./problems.ts";

/** Who uses a line, and how. */
interface LineUse {
  readonly zone: string;
  readonly isInput: boolean;
  readonly settings: string;
}

/**
 * Errors in the lines of zones and key switches: unknown chips and lines with two uses. Two names of one chip are one
 * chip. The key switch of several zones is one use.
 */
export function reportLines({ gpio = {}, zones = [] }: Configuration, report: Report): void {
  const uses = new Map<string, LineUse>();
  const inputs = zones.map(({ id, input }, index) => ({ id, line: input, path: ["zones", index, "input"] }));
  const gates = zones.map(({ id, gate }, index) => ({ id, line: gate, path: ["zones", index, "gate"] }));
  for (const [isInput, all] of [
    [true, inputs],
    [false, gates],
  ] as const)
    for (const { id, line, path } of all) {
      if (typeof line !== "object" || !("gpio" in line)) continue;
      const selector = chipSelectorOf(gpio, line.chip);
      if (!selector) {
        report([...path, "chip"], unknownChip(gpio, line.chip ?? ""));
        continue;
      }
      const { contact = "nc", bias = "as-is" } = line;
      const use = { zone: id, isInput, settings: `${contact} ${bias}` };
      const place = `${chipKey(selector)} ${line.gpio}`;
      const problem = problemOf(line, use, uses.get(place));
      if (problem !== undefined) report([...path, "gpio"], problem);
      else uses.set(place, use);
    }
}

function problemOf(line: GpioInput, use: LineUse, other: LineUse | undefined): string | undefined {
  if (!other) return undefined;
  const what = `line ${lineName(line)}`;
  if (use.isInput) return `${what} is used by two zones, ${other.zone} and ${use.zone}`;
  if (other.isInput) return `${what} is the input of zone ${other.zone}; a gate needs a separate line`;
  if (other.settings === use.settings) return undefined;
  return `${what} is also the gate of zone ${other.zone}, with a different contact or bias`;
}

function unknownChip({ chips = {} }: Gpio, name: string): string {
  const known = Object.keys(chips).join(", ") || "none";
  return `unknown chip ${JSON.stringify(name)}. Known in gpio.chips: ${known}. Without chip, the zone uses the chip of gpio.chip`;
}

function chipKey({ name: _name, ...found }: ChipSelector): string {
  return canonical(found);
}
