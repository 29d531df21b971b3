import { AppError } from "../../domain/errors.ts";

/** Labels of the chips behind a Raspberry Pi's header: Pi 5, Pi 4, and earlier models. */
const PI_CHIP_LABELS: readonly string[] = ["pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"];

/** A chip may appear after the start: its driver is loaded late, or it is plugged in. */
const TAKEN_UP = "A chip that appears is used within seconds, without a restart.";

/** What the kernel reports of a GPIO chip, through any backend. */
export interface GpioChip {
  readonly label: string;
  /** Number of lines. */
  readonly lines: number;
}

/**
 * Returns the chip that has the lines. Chips are found by label, never by number: the kernel numbers them in order of
 * detection, which changes between kernel versions.
 * @param wantedLabel label of the chip; undefined for the header of a Raspberry Pi
 * @throws AppError `unavailable` when no chip, or more than one, has the label
 */
export function chosenChip<C extends GpioChip>(chips: readonly C[], wantedLabel?: string): C {
  const wanted = wantedLabel === undefined ? PI_CHIP_LABELS : [wantedLabel];
  const matching = chips.filter(({ label }) => wanted.includes(label));
  const [chip] = matching;
  if (!chip)
    throw new AppError(
      "unavailable",
      `no GPIO chip with the label ${wanted.join(" or ")} (found: ${chips.map(({ label }) => label).join(", ") || "none"})`,
      {
        hint: `${
          chips.length > 0
            ? "Set gpio.chip to one of the labels found."
            : "Set gpio.backend to simulated on a machine without GPIO lines."
        } ${TAKEN_UP}`,
      },
    );
  if (matching.length > 1)
    throw new AppError(
      "unavailable",
      `${matching.length} GPIO chips have the label ${chip.label}; set gpio.chip to a unique label`,
    );
  return chip;
}

/** @throws AppError `unavailable` when the chip does not have that BCM number */
export function checkLine(line: number, { label, lines }: GpioChip): void {
  if (line < lines) return;
  throw new AppError("unavailable", `GPIO line ${line} does not exist: ${label} has ${lines} lines`, {
    hint: "Use the BCM number of the line, not the pin number.",
  });
}

/** Turns the kernel's error for a line into a message with the remedy. */
export function lineError(line: number, cause: NodeJS.ErrnoException): AppError {
  const [what, hint] = REASONS[cause.code ?? ""] ?? [cause.message, ""];
  return new AppError("unavailable", `GPIO line ${line} cannot be opened: ${what}`, { hint, cause });
}

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EINVAL: ["the kernel has no line with that number", "Check the BCM number and gpio.chip."],
  ENOENT: [
    "this kernel offers no GPIO lines with interrupts through this backend",
    "Set gpio.backend to the other of onoff and cdev.",
  ],
  ENODEV: [
    "its chip was removed",
    "Plug it in again, or load its driver; santinela gpio list shows the chips.",
  ],
  EACCES: ["permission denied", "Add the daemon's user to the group gpio."],
  EPERM: ["permission denied", "Allow the device in the unit of the service (DeviceAllow=char-gpiochip rw)."],
  EROFS: ["/sys is read-only for this service", "Allow /sys/class/gpio in the service's ReadWritePaths."],
  EBUSY: [
    "another program or driver uses it",
    "santinela gpio list shows the holder; stop it or use another line.",
  ],
};
