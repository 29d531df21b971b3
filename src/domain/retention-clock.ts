/** Days that retention may advance in each day of uptime: enough for a machine that is off for two thirds of the day. */
const SPEED = 4;
/** Over a time without old rows it advances at once, up to this long before the first one expires. */
const MARGIN_MS = 30 * 86_400_000;

/** What the next time of retention is computed from; times are wall clock, milliseconds since 1970. */
export interface RetentionMoment {
  /** The last result; null before the first. */
  readonly reachedMs: number | null;
  /** What the clock says, and the newest row confirms. */
  readonly clockMs: number;
  /** When the oldest row expires; infinite if there is none to remove. */
  readonly oldestExpiresMs: number;
  /** Time that has passed since the last result, by the monotonic clock. */
  readonly uptimeMs: number;
}

/**
 * The time by which retention measures the age of rows. A wrong clock dates the next row too, so no row can tell that it is wrong:
 * the time follows the clock only as fast as the machine really runs. A clock that is years ahead for a day then costs the rows
 * of a few days, not all of them. After a clock that was too far ahead or behind, it returns as slowly.
 */
export function retentionTime({ reachedMs, clockMs, oldestExpiresMs, uptimeMs }: RetentionMoment): number {
  const stepMs = SPEED * uptimeMs;
  if (reachedMs === null) return Math.min(clockMs, oldestExpiresMs + stepMs);
  if (reachedMs > clockMs) return Math.max(clockMs, reachedMs - stepMs);
  return Math.min(clockMs, Math.max(reachedMs, oldestExpiresMs - MARGIN_MS) + stepMs);
}
