import type { StatusView } from "../site/status-view.ts";
import type { WalkTestView, ZoneView } from "../site/zone-view.ts";
import { bodyOf } from "./api.ts";
import { ApiError, send } from "./http.ts";
import { expire, token } from "./session.ts";

/**
 * Reads a resource below `/site`. Does not wait for a password, as other requests do: the page must say meanwhile that its state
 * may be over. @throws ApiError
 */
export async function readSite<T>(name: string): Promise<[T, Headers]> {
  const response = await send(`/site/${name}`, token());
  return [await bodyOf<T>(response), response.headers];
}

/** Reads everything that the stream would send, at once: on a slow link each request takes a turn. @throws ApiError */
export function readState() {
  return Promise.all([
    readSite<ZoneView[]>("zones"),
    readSite<WalkTestView | null>("walk-test"),
    readSite<StatusView>("status"),
  ]);
}

/** Asks for the password if the token has expired. @throws what is no failed request */
export function noteFailure(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401) expire(error);
}

/** Position in the event log and the trips at the last poll; null before the first, and while the daemon cannot read it. */
let polledPosition: string | null = null;

/** Whether there is something new, as the event `journal` of the stream says: what was read stays until then. */
export function isNewPosition(position: string | null): boolean {
  const isNew = position === null || position !== polledPosition;
  polledPosition = position;
  return isNew;
}
