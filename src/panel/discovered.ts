import type { DiscoveryView } from "../site/discovery-view.ts";
import { request } from "./api.ts";
import type { ApiError } from "./http.ts";
import { useLooks } from "./limited-looks.ts";

/** A sensor that was just opened appears while the user still stands at it. */
const LOOK_EVERY_MS = 2_000;

/** What the daemon has found, again every two seconds for ten minutes. */
export function useDiscovered(): {
  readonly found: DiscoveryView | undefined;
  readonly error: ApiError | undefined;
  /** Whether the ten minutes are over; `reload` begins them again. */
  readonly isOver: boolean;
  readonly reload: () => void;
} {
  const { seen, error, isOver, again } = useLooks("", LOOK_EVERY_MS, async () => {
    const { body } = await request<DiscoveryView>("/site/discovered");
    return body;
  });
  return { found: seen, error, isOver, reload: again };
}
