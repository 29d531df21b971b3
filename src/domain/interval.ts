/** A time interval by the wall clock, milliseconds since 1970. */
export interface Interval {
  readonly fromMs: number;
  /** Now, if it has not ended. */
  readonly toMs: number;
}

/**
 * Intervals between start and end marks, clipped to a time range.
 * @param marks in order of time; an end without a start began before the range
 */
export function clippedIntervals(
  marks: readonly { readonly atMs: number; readonly begins: boolean }[],
  { sinceMs, untilMs }: { sinceMs: number; untilMs: number },
): Interval[] {
  const spans: Interval[] = [];
  let fromMs: number | undefined = marks[0]?.begins === false ? sinceMs : undefined;
  for (const { atMs, begins } of marks) {
    if (begins) fromMs ??= atMs;
    else if (fromMs !== undefined) {
      spans.push({ fromMs, toMs: atMs });
      fromMs = undefined;
    }
  }
  if (fromMs !== undefined) spans.push({ fromMs, toMs: untilMs });
  return spans
    .filter(({ toMs }) => toMs > sinceMs)
    .map((span) => ({ fromMs: Math.max(span.fromMs, sinceMs), toMs: Math.min(span.toMs, untilMs) }));
}
