/** The only module of the panel that uses the browser's clock and timers. */

import { signal } from "@preact/signals";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The browser's clock, milliseconds since 1970; it may differ from the daemon's. */
export function nowMs(): number {
  return Date.now();
}

/** The daemon's clock minus that of the browser, in milliseconds; what shows a time of today is drawn again when it changes. */
const aheadMs = signal(0);
/** A smaller difference may be the way of a response. */
const WAY_MS = 3_000;

/** Notes the header `Date` of a response, which has whole seconds. @param wayMs how old it may be */
export function noteDaemonTime(date: string | null, wayMs = WAY_MS): void {
  const differenceMs = Date.parse(date ?? "") - nowMs();
  if (Math.abs(differenceMs - aheadMs.peek()) > wayMs) aheadMs.value = differenceMs;
}

/** The daemon's clock, milliseconds since 1970, by its last response: for what is left until an instant that it has given. */
export function daemonNowMs(): number {
  return nowMs() + aheadMs.value;
}

/** Maximum delay of a timer: a longer one would run at once. */
const TIMER_MS_MAX = 2_147_483_647;

/** Runs `action` once after `ms` milliseconds, at most 24 days. @returns cancels it */
export function later(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, Math.min(ms, TIMER_MS_MAX));
  return () => clearTimeout(timer);
}

/** Runs `action` every `ms` milliseconds. @returns stops it */
export function every(ms: number, action: () => void): () => void {
  const timer = setInterval(action, ms);
  return () => clearInterval(timer);
}

/** As `every`, for what a user looks at: a hidden page asks for nothing, see `live-updates.ts`. @returns stops it */
export function everyShown(ms: number, action: () => void): () => void {
  return every(ms, () => {
    if (!document.hidden) action();
  });
}

/**
 * Calls `act` each second, with the time, once nothing was received for `ms` milliseconds. A timer alone would stand still while
 * the device sleeps; the clock does not.
 */
export function watchSilence(
  ms: number,
  act: (silentMs: number) => void,
): { readonly heard: () => void; readonly stop: () => void } {
  let heardMs = nowMs();
  let ticks = 0;
  const stop = every(SECOND_MS, () => {
    ticks += 1;
    const silentMs = Math.max(ticks * SECOND_MS, nowMs() - heardMs);
    if (silentMs > ms) act(silentMs);
  });
  const heard = (): void => {
    heardMs = nowMs();
    ticks = 0;
  };
  return { heard, stop };
}

/** Resolves after `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    later(ms, resolve);
  });
}

/** Changes when a minute of the daemon begins: what reads it is drawn again then, although nothing else changes. */
export const minute = signal(0);
const beginMinute = (): void => {
  minute.value += 1;
  later(MINUTE_MS - (daemonNowMs() % MINUTE_MS), beginMinute);
};
beginMinute();
