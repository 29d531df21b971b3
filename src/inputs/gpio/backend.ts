import type { Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import type { Log } from "../../domain/log.ts";
import type { Zone } from "../../domain/zone.ts";
import type { Gpio } from "../../generated/types.ts";
import { CharacterDeviceLines } from "./character-device.ts";
import { hasChipDevices } from "./chip-devices.ts";
import { openedChip } from "./chips.ts";
import type { GpioPort } from "./gpio-port.ts";
import { OnoffLines, releaseExportedLines } from "./onoff-lines.ts";
import { gpioLinesOf } from "./line-bindings.ts";

/** Backends for the kernel's GPIO lines. */
export type GpioBackend = "auto" | "onoff" | "cdev";

interface BackendOptions {
  readonly chip: ChipSelector;
  /** Whether a line has a pull resistor, which only the character device can set. */
  readonly needsBias: boolean;
  /** Numbers of the lines to be opened. */
  readonly lines: readonly number[];
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Directory of device files; /dev if undefined. */
  readonly devices?: string | undefined;
}

interface ChipOptions extends Pick<BackendOptions, "clock" | "log" | "conditions"> {
  readonly gpio: Pick<Gpio, "chip" | "chips">;
  readonly zones: readonly Zone[];
}

/**
 * Opens the lines of the chip that these zones use under a name.
 * @throws AppError `unavailable` with the remedy
 */
export async function openChip(
  backend: GpioBackend,
  chip: string | undefined,
  { gpio, zones, clock, log, conditions }: ChipOptions,
): Promise<GpioPort> {
  const lines = zones.flatMap(gpioLinesOf).filter((line) => line.chip === chip);
  return openBackend(backend, {
    chip: openedChip(gpio, chip),
    needsBias: lines.some(({ bias }) => bias !== "as-is"),
    lines: lines.map((line) => line.gpio),
    clock,
    log,
    conditions,
  });
}

/**
 * Opens the lines of one chip. `auto` uses the character device, and onoff on a kernel without one: GPIO in /sys is
 * deprecated, has no times of edges and cannot set a pull resistor. Any other fault of the character device passes, as when
 * udev has not set its permissions yet: it is an error, and the lines are opened again soon.
 * @throws AppError `unavailable` with the remedy
 */
export async function openBackend(backend: GpioBackend, options: BackendOptions): Promise<GpioPort> {
  const { chip, needsBias, lines, log, devices } = options;
  if (backend === "onoff") return OnoffLines.load(chip);
  if (backend === "auto" && !needsBias && !hasChipDevices(devices)) {
    const port = await OnoffLines.load(chip).catch(() => undefined);
    if (port) log.warn("gpio-character-device-missing", { ...nameOf(chip), backend: "onoff" });
    if (port) return port;
    // The error of the preferred backend has the remedy.
  }
  const port = await characterDeviceOf(options);
  if (backend === "auto") releaseExportedLines(lines, chip);
  return port;
}

function characterDeviceOf({ chip, clock, log, conditions, devices }: BackendOptions): Promise<GpioPort> {
  return CharacterDeviceLines.load(chip, {
    clock,
    devices,
    onInterrupted: ({ reason, remedy, sinceMs }) => {
      log.warn("gpio-helper-restarted", { ...nameOf(chip), reason });
      const text = `no line of ${chip.name ?? "the chip"} is read: ${reason}. It is started again automatically. ${remedy}`;
      conditions.raise("gpio-unavailable", text, chip.name, sinceMs);
    },
    onResumed: () => conditions.clear("gpio-unavailable", chip.name),
  });
}

function nameOf({ name }: ChipSelector): { readonly chip?: string } {
  return name === undefined ? {} : { chip: name };
}
