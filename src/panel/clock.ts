/** The panel's one way to the browser's clock and timers. */

/** Milliseconds since 1970 by the clock of this browser, which is not the daemon's. */
export function nowMs(): number {
  return Date.now();
}

/** Runs `action` once after so many milliseconds. @returns what calls it off */
export function later(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

/** Runs `action` every so many milliseconds. @returns what ends it */
export function every(ms: number, action: () => void): () => void {
  const timer = setInterval(action, ms);
  return () => clearInterval(timer);
}

/** Lets so many milliseconds pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    later(ms, resolve);
  });
}
