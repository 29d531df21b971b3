import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { uptime } from "node:os";
import { dirname, join } from "node:path";
import { RELEASE_WALL_MS, type CancelTimer, type Clock, type TrustedTime } from "../domain/clock.ts";
import { textIfThere } from "./files-if-there.ts";
import { RealTimeClock } from "./real-time-clock.ts";
import { askSynchronisation, hasOtherTimeService, watchSynchronisation } from "./time-service.ts";

/** The machine of the daemon. */
export interface Host {
  /** Identifies a boot of the machine; monotonic times count from it. */
  readonly bootId: string;
  /** Uptime in milliseconds. */
  readonly upMs: number;
  readonly time: TrustedTime;
  /** Asks the time service until the clock is trusted. @returns a function that ends it */
  readonly watchTime?: () => CancelTimer;
}

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** systemd-timesyncd creates this directory at its start, and the file in it after the first response of a server. */
const TIMESYNC = "/run/systemd/timesync";

/**
 * What the files say about the clock is kept for this time. Each trip and each message of an alarm panel asks several
 * times, and looking at up to eleven files was a fifth of the work of the sensing thread in a flood.
 */
const CLOCK_KNOWN_MS = 1_000;

/** Directory of the installed database add-on. */
const ADDON = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"));

/**
 * Reads the properties of the machine.
 * @param newId creates an id if the kernel has none
 * @param root directory before every path; empty for a real machine
 * @param bootId from systemd, with or without dashes
 */
export function hostOf(clock: Clock, newId: () => string, root = "", bootId?: string): Host {
  let isSynchronised = false;
  const realTimeClock = new RealTimeClock(clock, root);
  let known = { isSet: false, untilMs: Number.NEGATIVE_INFINITY };
  const isSet = (): boolean => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= known.untilMs)
      known = { isSet: isClockSet(realTimeClock, root), untilMs: nowMs + CLOCK_KNOWN_MS };
    return known.isSet;
  };
  const isTrusted = (): boolean => clock.wallMs() >= RELEASE_WALL_MS && (isSynchronised || isSet());
  return {
    bootId: kernelFormOf(bootId) ?? textIfThere(`${root}${BOOT_ID}`) ?? newId(),
    upMs: uptime() * 1000,
    time: { isTrusted },
    watchTime: () =>
      watchSynchronisation({ clock, isTrusted, onSynchronised: () => void (isSynchronised = true) }),
  };
}

/** A boot id in the form of the kernel; undefined if it is none. */
function kernelFormOf(bootId = ""): string | undefined {
  const [, ...parts] =
    /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/.exec(bootId) ?? [];
  return parts.length > 0 ? parts.join("-") : undefined;
}

/**
 * How much of its life the storage of the machine has used, in per cent in steps of ten: the larger of the two estimates of an
 * eMMC (JEDEC 84-B51, DEVICE_LIFE_TIME_EST_TYP). SD cards do not tell it.
 * @param root directory before every path; empty for a real machine
 * @returns undefined if the storage does not tell it
 */
export function storageWear(root = ""): number | undefined {
  const estimates = ["mmcblk0", "mmcblk1"].flatMap((device) =>
    (textIfThere(`${root}/sys/block/${device}/device/life_time`) ?? "").split(/\s+/).map(Number),
  );
  const worst = Math.max(0, ...estimates.filter((tenths) => tenths >= 1 && tenths <= 11));
  return worst === 0 ? undefined : worst * 10;
}

function isClockSet(realTimeClock: RealTimeClock, root: string): boolean {
  return (
    existsSync(`${root}${TIMESYNC}/synchronized`) ||
    !hasTimeService(root) ||
    realTimeClock.hasSetWallClock(RELEASE_WALL_MS)
  );
}

/** A time service that will set the clock; without one, any time is as good as another. */
function hasTimeService(root: string): boolean {
  return existsSync(`${root}${TIMESYNC}`) || hasOtherTimeService(root);
}

/** Whether the clock is trusted now, for commands: asks the time service at once. */
export async function isClockTrusted(clock: Clock): Promise<boolean> {
  if (hostOf(clock, () => "").time.isTrusted()) return true;
  return clock.wallMs() >= RELEASE_WALL_MS && (await askSynchronisation()) === "synchronised";
}

/**
 * Whether the database add-on was compiled locally against headers that make it abort. Affected are Node.js 24.19
 * to 24.21, at a garbage collection between two tasks (nodejs/node issue 65446). Add-ons compiled against other
 * headers, like that of the package, run on all versions.
 * @param folder directory of the add-on, with the files of node-gyp
 * @returns a sentence with the remedy; undefined if not affected
 */
export function addonWarning(folder = ADDON): string | undefined {
  const version = headersOf(folder);
  if (!version) return undefined;
  const [major, minor] = version;
  if (major !== 24 || minor < 19 || minor > 21) return undefined;
  return (
    `the database add-on was compiled against Node.js ${major}.${minor}, which makes it abort during garbage ` +
    "collection. Install the package, or compile it with another Node.js version (npm rebuild better-sqlite3)"
  );
}

/** @returns undefined if it was not compiled locally, or the headers are missing */
function headersOf(folder: string): [major: number, minor: number] | undefined {
  try {
    const settings = readFileSync(join(folder, "build/config.gypi"), "utf8");
    const home = /"nodedir": "([^"]+)"/.exec(settings)?.[1] ?? "";
    const header = readFileSync(join(home, "include/node/node_version.h"), "utf8");
    const number = (name: string): number =>
      Number(new RegExp(`#define NODE_${name}_VERSION (\\d+)`).exec(header)?.[1]);
    return [number("MAJOR"), number("MINOR")];
  } catch {
    return undefined;
  }
}
