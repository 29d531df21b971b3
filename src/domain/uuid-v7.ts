/**
 * A UUID of version 7 (RFC 9562, 5.7). The time comes first, so that new keys are adjacent in an index and a group commit
 * writes one page of it. Random keys would touch a page each: more fsync work and more wear of an SD card.
 * @param wallMs milliseconds since 1970; a clock step puts keys out of order, but they stay unique
 * @param random a UUID of version 4, whose 74 random bits are in the same places
 */
export function orderedUuid(wallMs: number, random: string): string {
  const time = Math.max(0, Math.floor(wallMs)).toString(16).padStart(12, "0").slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}
