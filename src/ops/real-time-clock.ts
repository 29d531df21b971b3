import { uptime } from "node:os";
import type { Clock } from "../domain/clock.ts";
import { textIfThere } from "./files-if-there.ts";

const RTC = "/sys/class/rtc/rtc0";

/** The kernel takes whole seconds from the real-time clock, and a service may take some of them to start. */
const DIFFERENCE_MS_MAX = 60_000;
/** Two clocks that nothing corrects drift apart: 100 ppm are nine seconds a day, more than crystals do. */
const DRIFT_MAX = 100e-6;
/** A larger difference between wall clock and monotonic clock means that the clock was set. */
const STEP_MS = 5_000;
/** Reading an I2C bus that hangs takes a second: a real-time clock that differs is read again only after this time. */
const READ_AGAIN_MS = 60_000;

interface Comparison {
  readonly isSame: boolean;
  /** Wall clock less monotonic clock, in milliseconds. */
  readonly offsetMs: number;
  readonly atMs: number;
}

/**
 * Whether the wall clock has the time of a real-time clock with a battery. That the kernel set its time from it (hctosys)
 * is not enough: the real-time clock of a Pi 5 counts from 1970 after a power cut without a battery, and systemd then
 * restores the time of the last shutdown, which looks right.
 */
export class RealTimeClock {
  readonly #clock: Clock;
  readonly #root: string;
  #last: Comparison | undefined;

  /** @param root directory before every path; empty for a real machine */
  constructor(clock: Clock, root: string) {
    this.#clock = clock;
    this.#root = root;
  }

  /** @param releaseMs a real-time clock before this time is wrong */
  hasSetWallClock(releaseMs: number): boolean {
    const atMs = this.#clock.monotonicMs();
    const offsetMs = this.#clock.wallMs() - atMs;
    if (this.#last === undefined || isOutdated(this.#last, { offsetMs, atMs })) {
      this.#last = { isSame: this.#isSame(releaseMs), offsetMs, atMs };
    }
    return this.#last.isSame;
  }

  #isSame(releaseMs: number): boolean {
    if (this.#read("hctosys") !== "1") return false;
    const rtcMs = Number(this.#read("since_epoch") ?? Number.NaN) * 1000;
    const toleranceMs = DIFFERENCE_MS_MAX + uptime() * 1000 * DRIFT_MAX;
    return rtcMs >= releaseMs && Math.abs(rtcMs - this.#clock.wallMs()) <= toleranceMs;
  }

  #read(file: string): string | undefined {
    return textIfThere(`${this.#root}${RTC}/${file}`);
  }
}

/** A clock that was the same once stays so until it is set: without a time server it drifts, which does not count. */
function isOutdated(last: Comparison, now: { readonly offsetMs: number; readonly atMs: number }): boolean {
  if (Math.abs(now.offsetMs - last.offsetMs) > STEP_MS) return true;
  return !last.isSame && now.atMs - last.atMs >= READ_AGAIN_MS;
}
