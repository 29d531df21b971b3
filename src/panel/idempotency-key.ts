import { useRef } from "preact/hooks";

const KEY_BYTES = 16;

/**
 * The key by which the daemon recognises a request that it has received before: the same one for the same body, as long as
 * the component is shown. A user whose response was lost sends the request again.
 */
export function useIdempotencyKey(): (body: unknown) => string {
  const last = useRef({ text: "", key: "" });
  return (body) => {
    const text = JSON.stringify(body);
    if (last.current.text !== text) last.current = { text, key: newKey() };
    return last.current.key;
  };
}

/** `crypto.randomUUID` exists only over TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
