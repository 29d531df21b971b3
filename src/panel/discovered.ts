import { useEffect, useState } from "preact/hooks";
import type { DiscoveryView } from "../site/discovery-view.ts";
import { request } from "./api.ts";
import { later, nowMs } from "./clock.ts";
import { ApiError } from "./http.ts";

/** A sensor that was just opened appears while the user still stands at it. */
const LOOK_EVERY_MS = 2_000;
/** As long as the daemon listens after a look: a page that is left open must not keep it listening to every message. */
const LOOK_FOR_MS = 600_000;

/** What the daemon has found, again every two seconds for ten minutes. */
export function useDiscovered(): {
  readonly found: DiscoveryView | undefined;
  readonly error: ApiError | undefined;
  /** Whether the ten minutes are over; `reload` begins them again. */
  readonly isOver: boolean;
  readonly reload: () => void;
} {
  const [found, setFound] = useState<DiscoveryView | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [round, setRound] = useState(0);
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const endMs = nowMs() + LOOK_FOR_MS;
    let isShown = true;
    let cancel = (): void => {};
    const look = async (): Promise<void> => {
      try {
        const { body } = await request<DiscoveryView>("/site/discovered");
        if (!isShown) return;
        setFound(body);
        setError(undefined);
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        if (isShown) setError(cause);
      }
      if (!isShown) return;
      if (nowMs() >= endMs) setIsOver(true);
      else cancel = later(LOOK_EVERY_MS, () => void look());
    };
    setIsOver(false);
    void look();
    return () => {
      isShown = false;
      cancel();
    };
  }, [round]);
  return { found, error, isOver, reload: () => setRound(round + 1) };
}
