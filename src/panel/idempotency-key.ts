import { request } from "./api.ts";
import { ApiError } from "./http.ts";

const KEY_BYTES = 16;

/** A key by which the daemon recognises a request that it has received before. `crypto.randomUUID` exists only over TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the daemon rejects is not done; a proxy may have lost its response. */
export function mayBeDone(error: unknown): boolean {
  const { status = 0, code } = error instanceof ApiError ? error : {};
  return code === undefined || status < 400 || status >= 500;
}

/** What was sent last about each subject, as long as no response says whether it was done. */
const unanswered = new Map<string, { readonly order: string; readonly key: string }>();

/**
 * POSTs what would be done twice if it were sent again after its response was lost. Sent again then, it has the same key; anything
 * else about its subject has a new one.
 * @param subject what it is about, such as the path
 * @throws ApiError
 */
export async function postOnce<T>(path: string, body: object, subject = path): Promise<T> {
  const order = JSON.stringify(body);
  const last = unanswered.get(subject);
  const own = last?.order === order ? last : { order, key: newKey() };
  unanswered.set(subject, own);
  const forget = (): void => {
    if (unanswered.get(subject) === own) unanswered.delete(subject);
  };
  try {
    const headers = { "Idempotency-Key": own.key };
    const response = await request<T>(path, { method: "POST", headers, body });
    forget();
    return response.body;
  } catch (error) {
    if (!mayBeDone(error)) forget();
    throw error;
  }
}
