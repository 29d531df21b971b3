import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkLine, chosenChip, type GpioChip } from "./chips.ts";

/**
 * Returns the sysfs number of a BCM line, which onoff needs: the kernel gives each chip its own base number.
 * @param root directory of the GPIO class, `/sys/class/gpio` on a real machine
 * @param chipLabel label of the chip; undefined for the header of a Raspberry Pi
 * @throws AppError `unavailable` when no chip or more than one has the label, or the chip does not have the line
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
