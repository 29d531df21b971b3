import { expect, test } from "vitest";
import { weekOf } from "./additions.ts";
import type { Week } from "./building.ts";
import { shrunk } from "./shrink.ts";

/** Long enough for any week: no daemon is started for these. */
const HOUR_MS = 3_600_000;

test("a failing scenario with two relevant events is reduced to these, close together", async () => {
  const week = weekOf(1);
  const [one, other] = [week.happenings[3]?.happening, week.happenings.at(-2)?.happening];
  let played = 0;
  const breaks = ({ happenings }: Week): Promise<boolean> => {
    played += 1;
    const kept = happenings.map(({ happening }) => happening);
    return Promise.resolve([one, other].every((each) => each !== undefined && kept.includes(each)));
  };
  const short = await shrunk(week, breaks, HOUR_MS);
  expect(short.happenings.map(({ happening }) => happening)).toEqual([one, other]);
  expect(short.happenings.map(({ atMs }) => atMs)).toEqual([20_000, 40_000]);
  expect(short.building.zones.length).toBeLessThan(week.building.zones.length);
  expect(played).toBeLessThan(200);
});

test("a scenario is not reduced after the time limit", async () => {
  const week = weekOf(1);
  expect(await shrunk(week, () => Promise.resolve(true), 0)).toBe(week);
});
