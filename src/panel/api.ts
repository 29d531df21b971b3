import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { daemonNowMs, later } from "./clock.ts";
import { expire, ofOneUser, signedIn, token } from "./session.ts";
import { ApiError, brokenBody, endUnanswered, send, type ApiResponse, type RequestOptions } from "./http.ts";

/**
 * Sends a request with the token of the signed-in user. When the token has expired, the request waits until the user has signed
 * in again and is sent again, so that form input is kept.
 * @throws ApiError, also once the user has signed out: what would follow is not done
 */
export function request<T>(path: string, options: RequestOptions = {}): Promise<ApiResponse<T>> {
  return ofOneUser(requestAnyUser(path, options));
}

async function requestAnyUser<T>(path: string, options: RequestOptions): Promise<ApiResponse<T>> {
  const response = await sendSignedIn(path, options);
  return { body: await bodyOf<T>(response), headers: response.headers };
}

/** @throws ApiError */
export async function bodyOf<T>(response: Response): Promise<T> {
  try {
    return (response.status === 204 ? undefined : await response.json()) as T;
  } catch {
    // The connection broke within the body, or a proxy sent a page of its own.
    throw brokenBody(response);
  }
}

/** The response as it arrives, for `ofOneUser`. @throws ApiError */
export async function sendSignedIn(path: string, options: RequestOptions): Promise<Response> {
  await signedIn();
  try {
    return await send(path, token(), options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    expire(error);
    await signedIn();
    return send(path, token(), options);
  }
}

/** How often the daemon has been reached: 1 since the first connection of the page. */
export const connections = signal(0);

/**
 * Repeats the queries when the daemon is reached again: those that failed would report it although it answers, and the others
 * may have missed a change, such as a restart with other options. At the first connection nothing can have been missed.
 */
export function noteConnection(): void {
  connections.value += 1;
  // Everything is asked again now.
  outdated.value = [];
  endUnanswered();
}

/** A daemon that restarts answers again within seconds. */
const REPEAT_MS = 5_000;

/** Responses that are still shown although a newer one has failed at this connection, with when they were read. */
const outdated = signal<readonly { readonly readMs: number }[]>([]);

/** Since when a part of the screen has not been updated, by the daemon's clock in milliseconds since 1970; Infinity if all of it was. */
export const notUpdatedSinceMs = computed(() => Math.min(...outdated.value.map(({ readMs }) => readMs)));

/**
 * Whether a request may succeed later without a change: not one that is rejected, which the daemon may record each time, and not
 * a list that took too long, which would be a load without an end, unless the connection on which it waited may be gone.
 * @param sentAt number of the connection at which it was sent
 */
function isPassing({ status, isLate }: ApiError, sentAt: number): boolean {
  if (isLate) return connections.value > sentAt;
  return status === 0 || status === 429 || status >= 500;
}

const pendingQueries = signal(0);

/** True while a query or a script of the screen is pending; the screen shows the previous response, or none. */
export const isLoading = computed(() => pendingQueries.value > 0);

/** Marks the screen as incomplete. @returns ends this, once */
export function beginLoading(): () => void {
  pendingQueries.value += 1;
  let isOver = false;
  return () => {
    if (!isOver) pendingQueries.value -= 1;
    isOver = true;
  };
}

export interface QueryState<T> {
  readonly response: ApiResponse<T> | undefined;
  /** Whether the response is one to another path: it stays until that of the wanted path arrives. */
  readonly isFormer: boolean;
  readonly error: ApiError | undefined;
  readonly reload: () => void;
  /** Reloads unless a request is pending: one that is slower than the interval of a screen would never be shown. */
  readonly refresh: () => void;
}

/** The last result and its path. */
interface State<T> {
  readonly path?: string;
  readonly response?: ApiResponse<T>;
  /** When the response was read, by the daemon's clock in milliseconds since 1970; 0 before. */
  readonly readMs: number;
  readonly error?: ApiError;
}

/**
 * GETs a path, again whenever the path or `version` changes. The last response stays until the next one arrives, which
 * avoids flicker; a failed request is repeated meanwhile. A version that changes often, as during an alarm, waits for the
 * response of the last one: on a slow link no response would be shown otherwise.
 * @param path undefined while there is nothing to request
 */
export function useQuery<T>(path: string | undefined, version: unknown = 0): QueryState<T> {
  const [state, setState] = useState<State<T>>({ readMs: 0 });
  const [reloads, setReloads] = useState(0);
  const isPending = useRef(false);
  const requested = useRef(version);
  const sentAt = useRef(0);
  // Counted before the browser paints, so that a screen is never marked complete before its query starts.
  useLayoutEffect(() => {
    requested.current = version;
    if (path === undefined) return;
    let isActive = true;
    const finish = (next?: (last: State<T>) => State<T>): void => {
      if (!isActive) return;
      isActive = false;
      isPending.current = false;
      pendingQueries.value -= 1;
      if (next) setState(next);
    };
    isPending.current = true;
    sentAt.current = connections.value;
    pendingQueries.value += 1;
    const controller = new AbortController();
    request<T>(path, { unwanted: controller.signal }).then(
      (response) => finish(() => ({ path, response, readMs: daemonNowMs() })),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        // What was deleted meanwhile is no longer shown.
        const isKept = error.status !== 404;
        finish((last) => (isKept && last.path === path ? { ...last, error } : { path, error, readMs: 0 }));
      },
    );
    return () => {
      finish();
      // A list that is no longer wanted would take the place of the next one, here and at the daemon.
      controller.abort();
    };
  }, [path, reloads]);
  const reload = (): void => setReloads((last) => last + 1);
  const refresh = (): void => {
    if (!isPending.current) reload();
  };
  useLayoutEffect(() => {
    if (requested.current !== version) refresh();
  }, [version, state]);
  const connection = connections.value;
  useEffect(() => {
    if (state.error || connection > 1) refresh();
  }, [connection]);
  useEffect(() => {
    if (!state.error || !state.response) return;
    outdated.value = [...outdated.value, state];
    return () => {
      outdated.value = outdated.value.filter((one) => one !== state);
    };
  }, [state]);
  useEffect(() => {
    if (!state.error || !isPassing(state.error, sentAt.current)) return;
    // A page that is shown again asks everything at its new connection.
    const repeat = (): void => void (document.hidden || refresh());
    return later(Math.max(REPEAT_MS, (state.error.retryAfterS ?? 0) * 1_000), repeat);
  }, [state]);
  const isFormer = state.response !== undefined && state.path !== path;
  return { response: state.response, isFormer, error: state.error, reload, refresh };
}
