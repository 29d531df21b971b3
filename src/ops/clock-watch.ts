import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Host } from "./host.ts";

/** A time server answers within a minute of the start of the network; a router may need some minutes. */
const REPORTED_AFTER_MS = 600_000;
const CHECK_INTERVAL_MS = 30_000;

interface ClockWatchOptions {
  readonly clock: Clock;
  readonly conditions: Pick<Conditions, "raise" | "clear">;
  readonly host: Pick<Host, "time" | "watchTime">;
}

/**
 * Asks the time service until the clock is trusted, and reports a clock that stays untrusted: zones with a schedule are armed
 * until then, which looks like false alarms. @returns a function that ends it
 */
export function watchClock({ clock, conditions, host }: ClockWatchOptions): CancelTimer {
  const endTimeWatch = host.watchTime?.();
  let trustedAtMs = clock.monotonicMs();
  let cancel: CancelTimer;
  const check = (): void => {
    const nowMs = clock.monotonicMs();
    if (host.time.isTrusted()) {
      trustedAtMs = nowMs;
      conditions.clear("clock-not-set");
    } else if (nowMs - trustedAtMs >= REPORTED_AFTER_MS) conditions.raise("clock-not-set", {});
    cancel = clock.after(CHECK_INTERVAL_MS, check);
  };
  check();
  return () => {
    endTimeWatch?.();
    cancel();
  };
}
