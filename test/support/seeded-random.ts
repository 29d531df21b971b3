/** Pseudo-random numbers in [0, 1) from a seed (mulberry32), so that a failing run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The seed of a test that draws a new one with each run. `SANTINELA_TEST_SEED` repeats a run: `.ci/run` sets it, so that the second
 * run of a failed file has the seed of the first.
 */
export function testSeed(): number {
  return Number(process.env["SANTINELA_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
}
