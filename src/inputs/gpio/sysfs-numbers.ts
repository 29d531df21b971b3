import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/errors.ts";

/** Labels of the chips that carry a Raspberry Pi's header: Pi 5, Pi 4, and those before. */
const PI_CHIP_LABELS: readonly string[] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];

/**
 * The number that sysfs (and so onoff) wants for a BCM line. The kernel gives each chip a base of its own choice that
 * changes with its version and the order of probing, so the chip is found by its label and never by its number.
 * @param root folder of the GPIO class, `/sys/class/gpio` on a real machine
 * @param chipLabel label of the chip where it is not a Raspberry Pi's
 * @throws AppError `unavailable` when there is no such chip, more than one, or the line is beyond its end
 */
export function sysfsNumberOf(line: number, root: string, chipLabel?: string): number {
  const wanted = chipLabel === undefined ? PI_CHIP_LABELS : [chipLabel];
  const chips = chipsOf(root);
  const fitting = chips.filter(({ label }) => wanted.includes(label));
  const [chip] = fitting;
  if (!chip)
    throw new AppError(
      "unavailable",
      `no GPIO chip with the label ${wanted.join(" or ")} is here (found: ${chips.map(({ label }) => label).join(", ") || "none"})`,
      {
        hint:
          chips.length > 0
            ? "Set gpio.chip to one of the labels found."
            : "Set gpio.backend to simulated on a machine without GPIO lines.",
      },
    );
  if (fitting.length > 1)
    throw new AppError(
      "unavailable",
      `${fitting.length} GPIO chips have the label ${chip.label}; which one is meant cannot be told`,
    );
  if (line >= chip.lines)
    throw new AppError(
      "unavailable",
      `line ${line} is beyond the end of ${chip.label}, which has ${chip.lines} lines`,
      {
        hint: "Use the BCM number of the line, not the number of the pin.",
      },
    );
  return chip.base + line;
}

interface Chip {
  readonly label: string;
  readonly base: number;
  readonly lines: number;
}

function chipsOf(root: string): Chip[] {
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
