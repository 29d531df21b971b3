import { computed, signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import { expire, signedIn, token } from "./session.ts";
import { ApiError, send, type ApiResponse, type RequestOptions } from "./http.ts";

/**
 * Asks the daemon as the person who is signed in. When the token's hour is over the request waits for the password and
 * is sent again: what somebody has typed into a form is not lost.
 * @throws Refusal
 */
export async function request<T>(path: string, order: RequestOptions = {}): Promise<ApiResponse<T>> {
  const response = await sendSignedIn(path, order);
  const body = response.status === 204 ? undefined : await response.json();
  return { body: body as T, headers: response.headers };
}

/** The same for a file. @throws Refusal */
export async function requestFile(path: string): Promise<Blob> {
  return (await sendSignedIn(path, {})).blob();
}

async function sendSignedIn(path: string, order: RequestOptions): Promise<Response> {
  await signedIn();
  try {
    return await send(path, token(), order);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    expire();
    await signedIn();
    return send(path, token(), order);
  }
}

const openQuestions = signal(0);

/** Whether an answer for the screen is still awaited: until it is there, the screen shows the last one, or none. */
export const isAwaiting = computed(() => openQuestions.value > 0);

export interface QueryState<T> {
  readonly answer: ApiResponse<T> | undefined;
  readonly refusal: ApiError | undefined;
  readonly askAgain: () => void;
}

/** What has been answered last, and for which path. */
interface State<T> {
  readonly path?: string;
  readonly answer?: ApiResponse<T>;
  readonly refusal?: ApiError;
}

/**
 * What a GET answers, asked again whenever the path or `version` changes. The last answer stays until the next is
 * there, so that a page does not flicker.
 * @param path undefined while there is nothing to ask
 */
export function useQuery<T>(path: string | undefined, version: unknown = 0): QueryState<T> {
  const [state, setState] = useState<State<T>>({});
  const [round, setRound] = useState(0);
  // Counted before the browser paints: a screen never stands there as complete between its first look and its question.
  useLayoutEffect(() => {
    if (path === undefined) return;
    let isWanted = true;
    const settle = (next?: (last: State<T>) => State<T>): void => {
      if (!isWanted) return;
      isWanted = false;
      openQuestions.value -= 1;
      if (next) setState(next);
    };
    openQuestions.value += 1;
    request<T>(path).then(
      (answer) => settle(() => ({ path, answer })),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        settle((last) => (last.path === path ? { ...last, refusal: error } : { path, refusal: error }));
      },
    );
    return () => settle();
  }, [path, version, round]);
  return { answer: state.answer, refusal: state.refusal, askAgain: () => setRound((last) => last + 1) };
}
