import { CharacterDeviceLines } from "./character-device.ts";
import type { GpioPort } from "./gpio-port.ts";
import { OnoffLines } from "./onoff-lines.ts";

/** Ways to the kernel's lines. */
export type GpioBackend = "auto" | "onoff" | "cdev";

/**
 * Opens a way to the kernel's lines. `auto` takes onoff where it has what is needed, else the character device: newer
 * kernels offer no GPIO in /sys any more, and only the character device can set a pull resistor.
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
