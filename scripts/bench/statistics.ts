/**
 * The middle value; between the two middle ones when their number is even.
 * @throws Error for no values
 */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/**
 * The value below which `percent` of the values lie, interpolated between neighbours (the "linear" method, R-7).
 * @throws Error for no values
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined)
    throw new Error("there are no values to take a percentile of");
  return below + (above - below) * (place - Math.floor(place));
}

/** How far the values lie apart, as a part of their median: (largest − smallest) / median. 0 for one value. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}

/**
 * How many times `of` is of `to`, from values taken side by side: the median of the ratios of each round, so that what
 * slowed a whole round down falls out.
 * @returns undefined when one of them has no values, or `to` has only zeroes
 */
export function ratio(of: readonly number[], to: readonly number[]): number | undefined {
  const ratios = of.flatMap((value, round) => {
    const other = to[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return ratios.length === 0 ? undefined : median(ratios);
}
