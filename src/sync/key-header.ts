/** The header of a key: a structured-field string (RFC 9651, 3.3.3). */
export function keyHeader(key: string): { readonly "Idempotency-Key": string } {
  return { "Idempotency-Key": `"${key.replaceAll(/["\\]/g, "\\$&")}"` };
}
