import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkLine, chosenChip, type GpioChip } from "./chips.ts";

/**
 * The number that sysfs (and so onoff) wants for a BCM line: the kernel gives each chip a base of its own choice.
 * @param root folder of the GPIO class, `/sys/class/gpio` on a real machine
 * @param chipLabel label of the chip where it is not a Raspberry Pi's
 * @throws AppError `unavailable` when there is no such chip, more than one, or the line is beyond its end
 */
export function sysfsNumberOf(line: number, root: string, chipLabel?: string): number {
  const chip = chosenChip(chipsOf(root), chipLabel);
  checkLine(line, chip);
  return chip.base + line;
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
    }));
}
