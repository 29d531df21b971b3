import { useEffect, useState } from "preact/hooks";
import type { DiscoveryView } from "../site/discovery-view.ts";
import { request } from "./api.ts";
import { later } from "./clock.ts";
import { ApiError } from "./http.ts";

/** A sensor that was just opened appears while the user still stands at it. */
const LOOK_EVERY_MS = 2_000;

/** What the daemon has found, again every two seconds. */
export function useDiscovered(): {
  readonly found: DiscoveryView | undefined;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
} {
  const [found, setFound] = useState<DiscoveryView | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [round, setRound] = useState(0);
  useEffect(() => {
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
      if (isShown) cancel = later(LOOK_EVERY_MS, () => void look());
    };
    void look();
    return () => {
      isShown = false;
      cancel();
    };
  }, [round]);
  return { found, error, reload: () => setRound(round + 1) };
}
