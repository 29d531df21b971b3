/** The only module of the panel that uses the browser's clock and timers. */

/** The browser's clock, milliseconds since 1970; it may differ from the daemon's. */
export function nowMs(): number {
  return Date.now();
}

/** Runs `action` once after `ms` milliseconds. @returns cancels it */
export function later(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

/** Runs `action` every `ms` milliseconds. @returns stops it */
export function every(ms: number, action: () => void): () => void {
  const timer = setInterval(action, ms);
  return () => clearInterval(timer);
}

/** Resolves after `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    later(ms, resolve);
  });
}
