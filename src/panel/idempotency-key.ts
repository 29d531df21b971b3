const KEY_BYTES = 16;

/** A key by which the daemon recognises a request that it has received before. `crypto.randomUUID` exists only over TLS. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
