import { join } from "node:path";
import { namesIfThere, textIfThere } from "./files-if-there.ts";

/** Whether the supply of a Raspberry Pi is sufficient: since the boot, now, or not known. */
export type SupplyState =
  | "sufficient"
  | "sufficient-now"
  | "under-voltage-since-boot"
  | "under-voltage-now"
  | "unknown";

/** The firmware's driver is a child of the chip, whose name differs between models: `soc`, `soc@107c000000`, `axi`. */
const PLATFORM = "/sys/devices/platform";
/** Measuring devices of the kernel; the one of the firmware is named rpi_volt on every model. */
const HWMON = "/sys/class/hwmon";
/** Both are the same; the package's service sees only processes in /proc. */
const MODELS: readonly string[] = ["/sys/firmware/devicetree/base/model", "/proc/device-tree/model"];

/** Bits of the firmware's state (vcgencmd get_throttled): under-voltage now, and since the boot. */
const NOW_BIT = 0x1;
const SINCE_BOOT_BIT = 0x1_0000;

/**
 * The power supply of a Raspberry Pi.
 * @param root directory before every path; empty for this machine
 * @returns undefined on another machine
 */
export function supplyState(root = ""): SupplyState | undefined {
  const bits = firmwareBits(root);
  if (bits !== undefined) {
    if ((bits & NOW_BIT) !== 0) return "under-voltage-now";
    return (bits & SINCE_BOOT_BIT) === 0 ? "sufficient" : "under-voltage-since-boot";
  }
  const alarm = kernelAlarm(root);
  if (alarm !== undefined) return alarm === "1" ? "under-voltage-now" : "sufficient-now";
  const isRaspberryPi = MODELS.some((path) => textIfThere(`${root}${path}`)?.startsWith("Raspberry Pi"));
  return isRaspberryPi ? "unknown" : undefined;
}

function firmwareBits(root: string): number | undefined {
  const platform = `${root}${PLATFORM}`;
  for (const folder of [platform, ...namesIfThere(platform).map((name) => join(platform, name))])
    for (const name of namesIfThere(folder)) {
      if (!name.endsWith("firmware")) continue;
      const text = textIfThere(join(folder, name, "get_throttled"));
      const bits = Number.parseInt(text ?? "", 16);
      if (!Number.isNaN(bits)) return bits;
    }
  return undefined;
}

/** The driver asks the firmware every two seconds and forgets the alarm when it is over. */
function kernelAlarm(root: string): string | undefined {
  const hwmon = `${root}${HWMON}`;
  const folder = namesIfThere(hwmon)
    .map((name) => join(hwmon, name))
    .find((path) => textIfThere(join(path, "name")) === "rpi_volt");
  return folder === undefined ? undefined : textIfThere(join(folder, "in0_lcrit_alarm"));
}
