import { useEffect, useState } from "preact/hooks";
import { later, nowMs } from "./clock.ts";
import { ApiError } from "./http.ts";

/** As long as the daemon listens after a look: a page that is left open must not keep it listening to every message. */
const LOOK_FOR_MS = 600_000;

/**
 * Asks the daemon again and again for ten minutes; not again what it cannot read.
 * @param key of what is asked; with another one it begins again, and answers to the former one are dropped. Undefined asks nothing
 * @param isLast whether no later answer can be another one
 */
export function useLooks<T>(
  key: string | undefined,
  everyMs: number,
  ask: () => Promise<T>,
  isLast: (answer: T) => boolean = () => false,
): {
  /** The newest answer; undefined before the first. */
  readonly seen: T | undefined;
  /** Of the last question; undefined after an answer. */
  readonly error: ApiError | undefined;
  /** Whether the ten minutes are over; `again` begins them again. */
  readonly isOver: boolean;
  readonly again: () => void;
} {
  const [last, setLast] = useState<{ readonly key: string | undefined; readonly seen: T } | undefined>(
    undefined,
  );
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [round, setRound] = useState(0);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const endMs = nowMs() + LOOK_FOR_MS;
    let isShown = true;
    let cancel = (): void => {};
    const look = async (): Promise<void> => {
      let isOnce = false;
      try {
        // A hidden page asks for nothing.
        const seen = document.hidden ? undefined : await ask();
        if (!isShown) return;
        if (seen !== undefined) {
          setLast({ key, seen });
          setError(undefined);
          isOnce = isLast(seen);
        }
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        if (isShown) setError(cause);
        isOnce = cause.status === 400;
      }
      if (!isShown || isOnce) return;
      if (nowMs() >= endMs) setIsOver(true);
      else cancel = later(everyMs, () => void look());
    };
    setIsOver(false);
    if (key !== undefined) void look();
    return () => {
      isShown = false;
      cancel();
    };
  }, [key, round]);
  const seen = last !== undefined && last.key === key ? last.seen : undefined;
  return { seen, error, isOver, again: () => setRound(round + 1) };
}
