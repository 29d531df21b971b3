import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
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

/** Whether the kernel has the character device: no device file of a chip stands for a kernel without it. */
export function hasChipDevices(folder?: string): boolean {
  return chipDevices(folder).length > 0;
}

/** Whether two device files, or links to them, are the same chip. False if one of them is not there. */
export function isSameDevice(one: string, other: string): boolean {
  try {
    return statSync(one).rdev === statSync(other).rdev;
  } catch {
    return false;
  }
}

/**
 * The names of the kernel devices that a chip belongs to, from the bus to the chip: for an expander `i2c-1` and `1-0020`.
 * @param path its device file
 * @returns none if it is not there
 */
export function kernelDevicesOf(path: string): string[] {
  try {
    const { rdev } = statSync(path);
    // As in the kernel's new_encode_dev(): 12 bits of the major number around 20 bits of the minor one.
    const [major, minor] = [(rdev >>> 8) & 0xfff, (rdev & 0xff) | ((rdev >>> 12) & 0xfff00)];
    return devicesIn(realpathSync(`/sys/dev/char/${major}:${minor}`));
  } catch {
    return [];
  }
}

/** The names of devices in a path below /sys/devices, without the chip itself. */
export function devicesIn(path: string): string[] {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== "gpio")
    .slice(0, -1);
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
