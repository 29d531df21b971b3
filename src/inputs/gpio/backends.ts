import { CharacterDeviceLines } from "./character-device.ts";
import type { GpioPort } from "./gpio-port.ts";
import { OnoffLines } from "./onoff-lines.ts";

/** Backends for the kernel's GPIO lines. */
export type GpioBackend = "auto" | "onoff" | "cdev";

/**
 * Opens a backend. `auto` uses onoff where it works, otherwise the character device: newer kernels no longer offer GPIO
 * in /sys, and only the character device can set a pull resistor.
 * @throws AppError `unavailable` with the remedy
 */
export async function openBackend(
  backend: GpioBackend,
  { chip, needsBias }: { chip: string | undefined; needsBias: boolean },
): Promise<GpioPort> {
  if (backend === "onoff") return OnoffLines.load(chip);
  if (backend === "cdev" || needsBias) return CharacterDeviceLines.load(chip);
  return OnoffLines.load(chip).catch(() => CharacterDeviceLines.load(chip));
}
