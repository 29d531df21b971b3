import { signal } from "@preact/signals";
import { bodyOf } from "./api.ts";
import { send } from "./http.ts";
import { token } from "./session.ts";

/** Whether the daemon answers plain requests while it sends no stream, as behind a proxy that keeps streams back. */
export const isAnswering = signal(false);

/** Asks the daemon without a stream. */
export async function askPlainly(): Promise<void> {
  isAnswering.value = (await readSite("status").catch(() => false)) !== false;
}

/**
 * Reads a resource below `/site`. Does not wait for a password, as other requests do: the page must say meanwhile that its state
 * may be over. @throws ApiError
 */
export async function readSite<T>(name: string): Promise<T> {
  return bodyOf<T>(await send(`/site/${name}`, token()));
}
