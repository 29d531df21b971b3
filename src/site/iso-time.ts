/** Formats wall clock milliseconds since 1970 as ISO 8601 UTC. */
export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
