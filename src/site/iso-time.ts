/** A moment of the wall clock, milliseconds since 1970, as people and the /site routes write it: ISO 8601 UTC. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
