import type { TimedHappening, Week } from "./building.ts";

/** Lengths tried for gaps, shortest first. */
const GAPS_MS = [20_000, 120_000, 1_200_000];

/**
 * Reduces a failing week: removes events, zones and time while it still fails.
 * @param breaks runs a week
 * @param forMs real time limit; the shortest week so far is returned
 */
export async function shrunk(
  week: Week,
  breaks: (week: Week) => Promise<boolean>,
  forMs: number,
): Promise<Week> {
  const endMs = performance.now() + forMs;
  let short = week;
  const take = async (shorter: Week): Promise<boolean> => {
    if (performance.now() > endMs || !(await breaks(shorter))) return false;
    short = shorter;
    return true;
  };
  for (
    let size = Math.ceil(week.happenings.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let from = 0; from < short.happenings.length && performance.now() < endMs;)
      if (!(await take(without(short, from, size)))) from += size;
  const takeOther = async (shorter: Week): Promise<boolean> =>
    isOther(short, shorter) && (await take(shorter));
  for (const { id } of week.building.zones) await takeOther(withoutZone(short, id));
  for (let index = 0; index < short.happenings.length; index += 1)
    for (const gapMs of GAPS_MS) if (await takeOther(withGap(short, index, gapMs))) break;
  return short;
}

function isOther(one: Week, other: Week): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

function without(week: Week, from: number, count: number): Week {
  return { ...week, happenings: week.happenings.toSpliced(from, count) };
}

/** @returns the week itself if the zone has an event */
function withoutZone(week: Week, id: string): Week {
  const { building, happenings } = week;
  if (happenings.some(({ happening }) => "zone" in happening && happening.zone === id)) return week;
  return { ...week, building: { ...building, zones: building.zones.filter((zone) => zone.id !== id) } };
}

/** A week with a shorter gap before one of its events. */
function withGap(week: Week, index: number, gapMs: number): Week {
  const { happenings } = week;
  const before = happenings[index - 1]?.atMs ?? 0;
  const earlierMs = Math.max(0, (happenings[index]?.atMs ?? 0) - before - gapMs);
  const moved = happenings.map(({ atMs, happening }, place): TimedHappening => ({
    atMs: place < index ? atMs : atMs - earlierMs,
    happening,
  }));
  return { ...week, happenings: moved };
}
