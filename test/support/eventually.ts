/**
 * Polls until `look` returns something other than undefined, null or false.
 * @throws after `withinMs`, with the last error or the description
 */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 30_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + withinMs;
  let last: unknown;
  do {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== null && seen !== false)
        return seen as NonNullable<Exclude<T, false>>;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  } while (performance.now() < end);
  const reason = last instanceof Error ? `; the last time: ${last.message}` : "";
  throw new Error(`still waiting after ${withinMs} ms for: ${what}${reason}`, { cause: last });
}
