import { AppError } from "../../domain/errors.ts";
import { chipSelectorOf, HEADER_LABELS, type ChipSelector } from "../../domain/gpio-chip.ts";
import type { Gpio } from "../../generated/types.ts";
import { isSameDevice } from "./chip-devices.ts";

/** A chip may appear after the start: its driver is loaded late, or it is plugged in. */
const TAKEN_UP = "A chip that appears is used within seconds, without a restart.";

/** What the kernel reports of a GPIO chip, through any backend. */
export interface GpioChip {
  readonly label: string;
  /** Number of lines. */
  readonly lines: number;
  /** Names of the kernel devices that it belongs to, from the bus to the chip; `1-0020` for an expander on I2C. */
  readonly devices: readonly string[];
  /** Its device file; undefined for a chip in /sys. */
  readonly path?: string;
}

/**
 * The chip of a line that is opened now.
 * @throws AppError `unavailable` for a chip that the file has had only since the last reload: never another chip instead
 */
export function openedChip(gpio: Pick<Gpio, "chip" | "chips">, name?: string): ChipSelector {
  const selector = chipSelectorOf(gpio, name);
  if (selector) return selector;
  throw new AppError("unavailable", `chip ${name ?? ""} is new in gpio.chips`, {
    hint: "Restart the daemon to use it.",
  });
}

/**
 * Returns the chip that has the lines. Chips are found by label or kernel device, never by number: the kernel numbers
 * them in order of detection, which changes between kernel versions.
 * @throws AppError `unavailable` when no chip, or more than one, fits
 */
export function chosenChip<C extends GpioChip>(chips: readonly C[], selector: ChipSelector = {}): C {
  const { name } = selector;
  const matching = chips.filter((chip) => fits(chip, selector));
  const [chip] = matching;
  if (!chip)
    throw new AppError(
      "unavailable",
      `no GPIO chip with ${wantedText(selector)} (found: ${chips.map(({ label }) => label).join(", ") || "none"})`,
      {
        hint: `${remedyOf(chips.length > 0, name)} ${TAKEN_UP}`,
      },
    );
  if (matching.length > 1)
    throw new AppError(
      "unavailable",
      `${matching.length} GPIO chips have ${wantedText(selector)}; ${distinctionOf(matching, name)}`,
    );
  return chip;
}

function distinctionOf(chips: readonly GpioChip[], name: string | undefined): string {
  if (name === undefined) return "set gpio.chip to a unique label";
  const devices = chips.map((chip) => chip.devices.at(-1)).join(", ");
  return `set gpio.chips.${name}.device to distinguish them (${devices})`;
}

function remedyOf(isAnyFound: boolean, name: string | undefined): string {
  // Not simulated lines: on a machine whose chip has failed they would silently leave the zones unread.
  if (!isAnyFound) return "The kernel's log (dmesg) shows whether its GPIO driver was loaded.";
  if (name === undefined) return "Set gpio.chip to one of the labels found.";
  return `Set gpio.chips.${name} to what santinela gpio list shows.`;
}

/** The chip that zones use under this name; undefined if it is not there, or not unique. */
export function chosenOrNone<C extends GpioChip>(
  chips: readonly C[],
  selector: ChipSelector | undefined,
): C | undefined {
  try {
    return selector && chosenChip(chips, selector);
  } catch {
    return undefined;
  }
}

function fits(chip: GpioChip, { label, device, path }: ChipSelector): boolean {
  const isHeader = label === undefined && device === undefined && path === undefined;
  if (isHeader) return HEADER_LABELS.includes(chip.label);
  return (
    (label === undefined || chip.label === label) &&
    (device === undefined || chip.devices.includes(device)) &&
    (path === undefined || (chip.path !== undefined && isSameDevice(chip.path, path)))
  );
}

function wantedText({ label, device, path }: ChipSelector): string {
  const wanted = [
    ...(label === undefined ? [] : [`the label ${label}`]),
    ...(device === undefined ? [] : [`the device ${device}`]),
    ...(path === undefined ? [] : [`the device file ${path}`]),
  ];
  return wanted.length === 0 ? `the label ${HEADER_LABELS.join(" or ")}` : wanted.join(" and ");
}

/** @throws AppError `unavailable` when the chip does not have that BCM number */
export function checkLine(line: number, { label, lines }: GpioChip): void {
  if (line < lines) return;
  throw new AppError("unavailable", `GPIO line ${line} does not exist: ${label} has ${lines} lines`, {
    hint: "Use the BCM number of the line, not the pin number.",
  });
}

/** Turns the kernel's error for a line that is opened into a message with the remedy. */
export function lineError(line: number, cause: NodeJS.ErrnoException): AppError {
  const [what, hint] = REASONS[cause.code ?? ""] ?? [cause.message, ""];
  return new AppError("unavailable", `GPIO line ${line} cannot be opened: ${what}`, { hint, cause });
}

/**
 * Why a line that was open cannot be read, with the remedy.
 * @param code of the kernel, as in errno(3)
 */
export function lineFailure(code: string): AppError {
  const [what, hint] = REASONS[code] ?? [`the kernel reports ${code}`, ""];
  return new AppError("unavailable", what, { hint, cause: Object.assign(new Error(code), { code }) });
}

/** Whether the kernel has reported that the chip of a line is no longer there. */
export function isChipGone(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException;
  return code === "ENODEV" || (cause as NodeJS.ErrnoException | undefined)?.code === "ENODEV";
}

const BUS_ERROR = [
  "its chip does not respond on its bus",
  "Check the chip's supply and the wires of its bus.",
] as const;

const REASONS: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  EINVAL: [
    "the kernel has no line with that number, or the chip does not have its bias",
    "Check the BCM number, the bias and the chip of the line (gpio.chip or gpio.chips).",
  ],
  EIO: BUS_ERROR,
  EREMOTEIO: BUS_ERROR,
  ETIMEDOUT: BUS_ERROR,
  ENXIO: BUS_ERROR,
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
    "santinela gpio list shows the holder; stop it or use another line. If the holder is santinela, its earlier process has not ended yet; the line is opened once it has.",
  ],
};
