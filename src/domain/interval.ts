/** A stretch of time in which something was so, wall clock, milliseconds since 1970. */
export interface Interval {
  readonly fromMs: number;
  /** Now, where it is still so. */
  readonly toMs: number;
}

/**
 * The spans between beginnings and ends, as far as they reach into a time.
 * @param marks in the order of their time; an end without a beginning began before anybody wrote down
 */
export function spansOf(
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
