/**
 * Parses a stored JSON text. A bit that a memory card has flipped in one row must not hold up all the others: row checksums report
 * it at the next start.
 * @param otherwise the value for a text that is not JSON
 */
export function storedJson<T>(text: string, otherwise: T): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return otherwise;
  }
}
