import type { Clock } from "../../domain/clock.ts";
import type { Conditions } from "../../domain/condition.ts";
import type { ChipSelector } from "../../domain/gpio-chip.ts";
import type { Log } from "../../domain/log.ts";
import type { Zone } from "../../domain/zone.ts";
import type { Gpio } from "../../generated/types.ts";
import { CharacterDeviceLines } from "./character-device.ts";
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
 * deprecated, has no times of edges and cannot set a pull resistor.
 * @throws AppError `unavailable` with the remedy
 */
export async function openBackend(
  backend: GpioBackend,
  { chip, needsBias, lines, clock, log, conditions }: BackendOptions,
): Promise<GpioPort> {
  if (backend === "onoff") return OnoffLines.load(chip);
  const opened = CharacterDeviceLines.load(chip, {
    clock,
    onInterrupted: ({ reason, sinceMs }) => {
      const which = chip.name === undefined ? {} : { chip: chip.name };
      log.warn("gpio-helper-restarted", { ...which, reason });
      const text = `no line of ${chip.name ?? "the chip"} is read: ${reason}. It is started again automatically.`;
      conditions.raise("gpio-unavailable", text, chip.name, sinceMs);
    },
    onResumed: () => conditions.clear("gpio-unavailable", chip.name),
  });
  if (backend === "cdev") return opened;
  try {
    const port = await opened;
    releaseExportedLines(lines, chip);
    return port;
  } catch (error) {
    if (needsBias) throw error;
    // The error of the preferred backend has the remedy.
    return OnoffLines.load(chip).catch(() => Promise.reject(error as Error));
  }
}
