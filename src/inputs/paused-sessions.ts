import type { ConnectionState } from "./mqtt-zones.ts";

/** Beyond this number the one that waits longest gives way: its order is then no longer kept. */
const SESSIONS_MAX = 1_024;

/**
 * Sessions of the built-in broker with a message that could not be stored. Their later messages are rejected until the client
 * connects again and repeats all of them in order.
 */
export class PausedSessions {
  readonly #paused = new Set<string>();

  /** The state of a session's connection; only its paused state takes memory. */
  stateOf(session: string): ConnectionState {
    const paused = this.#paused;
    return {
      get isPaused() {
        return paused.has(session);
      },
      set isPaused(isPaused) {
        paused.delete(session);
        if (!isPaused) return;
        paused.add(session);
        const [longest] = paused;
        if (paused.size > SESSIONS_MAX && longest !== undefined) paused.delete(longest);
      },
    };
  }

  /** The client of a session has connected again. */
  connected(session: string): void {
    this.#paused.delete(session);
  }
}
