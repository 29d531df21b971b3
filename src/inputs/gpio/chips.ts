import { AppError } from "../../domain/errors.ts";

/** Labels of the chips that carry a Raspberry Pi's header: Pi 5, Pi 4, and those before. */
const PI_CHIP_LABELS: readonly string[] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];

/** Under systemd the service sees the device files of its start, and one whose chip is gone refuses everybody. */
export const SEEN_AT_START =
  "A chip that was unplugged or plugged in since the start is seen after systemctl restart santinela.";

/** What the kernel says of a GPIO chip, however it is reached. */
export interface GpioChip {
  readonly label: string;
  /** How many lines it has. */
  readonly lines: number;
}

/**
 * The chip that carries the lines. The kernel numbers chips in the order it meets them, which changes with its version,
 * so a chip is found by its label and never by its number.
 * @param wantedLabel label of the chip where it is not a Raspberry Pi's
 * @throws AppError `unavailable` when there is no such chip, or more than one
 */
export function chosenChip<C extends GpioChip>(chips: readonly C[], wantedLabel?: string): C {
  const wanted = wantedLabel === undefined ? PI_CHIP_LABELS : [wantedLabel];
  const fitting = chips.filter(({ label }) => wanted.includes(label));
  const [chip] = fitting;
  if (!chip)
    throw new AppError(
      "unavailable",
      `no GPIO chip with the label ${wanted.join(" or ")} is here (found: ${chips.map(({ label }) => label).join(", ") || "none"})`,
      {
        hint: `${
          chips.length > 0
            ? "Set gpio.chip to one of the labels found."
            : "Set gpio.backend to simulated on a machine without GPIO lines."
        } ${SEEN_AT_START}`,
      },
    );
  if (fitting.length > 1)
    throw new AppError(
      "unavailable",
      `${fitting.length} GPIO chips have the label ${chip.label}; which one is meant cannot be told`,
    );
  return chip;
}

/** @throws AppError `unavailable` when the chip has no line of that BCM number */
export function checkLine(line: number, { label, lines }: GpioChip): void {
  if (line < lines) return;
  throw new AppError("unavailable", `line ${line} is beyond the end of ${label}, which has ${lines} lines`, {
    hint: "Use the BCM number of the line, not the number of the pin.",
  });
}

/** The kernel's error about a line as a sentence with the remedy. */
export function lineError(line: number, cause: NodeJS.ErrnoException): AppError {
  const [what, hint] = REASONS[cause.code ?? ""] ?? [cause.message, ""];
  return new AppError("unavailable", `GPIO line ${line} cannot be opened: ${what}`, { hint, cause });
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EINVAL: ["the kernel has no line of that number", "Check the BCM number and gpio.chip."],
  ENOENT: [
    "this kernel offers no GPIO lines with interrupts here",
    "Set gpio.backend to the other of onoff and cdev.",
  ],
  ENODEV: [
    "its chip is gone",
    "Plug it in again, or load its driver; santinela gpio list shows what is there.",
  ],
  EACCES: ["permission denied", "Add the daemon's user to the group gpio."],
  EPERM: ["permission denied", "Allow the device in the unit of the service (BindPaths, DeviceAllow)."],
  EROFS: ["/sys is read-only for this service", "Allow /sys/class/gpio in the service's ReadWritePaths."],
  EBUSY: [
    "another program or driver holds it",
    "santinela gpio list names the holder; end it or use another line.",
  ],
};
