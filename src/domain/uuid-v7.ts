/**
 * A UUID of version 7 (RFC 9562, 5.7): the moment first, so that the keys of one moment lie side by side in an index and
 * a shared commit writes one page of it. With random keys each record touches a page of its own: more to flush, more
 * wear of the card.
 * @param wallMs milliseconds since 1970; a clock that is set makes keys that are out of order and no less unique
 * @param random a UUID of version 4, which has its 74 random bits where version 7 has them
 */
export function orderedUuid(wallMs: number, random: string): string {
  const time = Math.max(0, Math.floor(wallMs)).toString(16).padStart(12, "0").slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
