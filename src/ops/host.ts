import { existsSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { Clock, TrustedTime } from "../domain/clock.ts";

/** The machine that the daemon runs on. */
export interface Host {
  /** Tells one start of the machine from another; monotonic times count from it. */
  readonly bootId: string;
  /** How long it has been up, in milliseconds. */
  readonly upMs: number;
  readonly time: TrustedTime;
}

/** No machine is right that says it is earlier than this release: 1 January 2026. */
const RELEASE_WALL_MS = 1_767_225_600_000;

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** systemd-timesyncd makes this folder when it starts, and the file in it once a server has answered. */
const TIMESYNC = "/run/systemd/timesync";
/** 1 when the kernel set its time from a clock with a battery. */
const RTC_HCTOSYS = "/sys/class/rtc/rtc0/hctosys";

/**
 * Looks at the machine.
 * @param newId makes an identity where the kernel offers none
 * @param root folder in front of every path; the root of a real machine
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
