import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * The device files of this machine's GPIO chips, one for each chip, in the order of their numbers. Chips are distinguished
 * by device number: the udev rules of Raspberry Pi OS link `gpiochip4` to `gpiochip0`, and a bind mount makes a second
 * node of such a link.
 * @param folder the directory of device files
 * @returns paths; none if the directory cannot be read
 */
export function chipDevices(folder = "/dev"): string[] {
  const files = namesIn(folder).flatMap((name) => {
    const number = /^gpiochip(\d+)$/.exec(name)?.[1];
    return number === undefined ? [] : deviceOf(join(folder, name), Number(number));
  });
  // The node itself, before links to it.
  files.sort((a, b) => Number(a.isLink) - Number(b.isLink) || a.number - b.number);
  const chips = new Map<number, (typeof files)[number]>();
  for (const file of files) if (!chips.has(file.device)) chips.set(file.device, file);
  return [...chips.values()].sort((a, b) => a.number - b.number).map(({ path }) => path);
}

interface DeviceFile {
  readonly path: string;
  readonly number: number;
  /** Number of the device, also through a link. */
  readonly device: number;
  readonly isLink: boolean;
}

/** None for a link to a chip that was removed. */
function deviceOf(path: string, number: number): DeviceFile[] {
  try {
    return [{ path, number, device: statSync(path).rdev, isLink: lstatSync(path).isSymbolicLink() }];
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
