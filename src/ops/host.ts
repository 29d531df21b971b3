import { existsSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { Clock, TrustedTime } from "../domain/clock.ts";

/** The machine of the daemon. */
export interface Host {
  /** Identifies a boot of the machine; monotonic times count from it. */
  readonly bootId: string;
  /** Uptime in milliseconds. */
  readonly upMs: number;
  readonly time: TrustedTime;
}

/** A clock before this release is wrong: 1 January 2026. */
const RELEASE_WALL_MS = 1_767_225_600_000;

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** systemd-timesyncd creates this directory at its start, and the file in it after the first response of a server. */
const TIMESYNC = "/run/systemd/timesync";
/** 1 if the kernel set its time from a real-time clock. */
const RTC_HCTOSYS = "/sys/class/rtc/rtc0/hctosys";

/**
 * Reads the properties of the machine.
 * @param newId creates an id if the kernel has none
 * @param root directory before every path; empty for a real machine
 */
export function hostOf(clock: Clock, newId: () => string, root = ""): Host {
  const isTrusted = (): boolean =>
    clock.wallMs() >= RELEASE_WALL_MS &&
    (!existsSync(`${root}${TIMESYNC}`) ||
      existsSync(`${root}${TIMESYNC}/synchronized`) ||
      read(`${root}${RTC_HCTOSYS}`) === "1");
  return {
    bootId: read(`${root}${BOOT_ID}`) ?? newId(),
    upMs: uptime() * 1000,
    time: { isTrusted },
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
