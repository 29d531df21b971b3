import { expect, test } from "vitest";
import { markersIn } from "../../src/domain/marker.ts";

/** For the longest text of a record, read 20 times: a pattern that begins at each place and reads to the end takes 900 ms. */
const CPU_MS_MAX = 200;

test("the markers in a text of beginnings of markers are found at once", () => {
  const notes = "[ref:".repeat((16 * 1024) / 5);
  const before = process.cpuUsage();
  for (let times = 0; times < 20; times += 1) markersIn({ notes, description: notes });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(CPU_MS_MAX);
});

test("a marker is found behind the beginning of another and with a bracket in it", () => {
  const notes = "[ref:[ref:nord-k1] [ref:sud-a[b] [ref:x";
  expect(markersIn({ notes })).toEqual(["[ref:nord-k1]", "[ref:sud-a[b]"]);
});
