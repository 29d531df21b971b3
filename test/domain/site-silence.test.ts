import { expect, test } from "vitest";
import { silenceQuery, silentSecondsFor, silentSecondsOf } from "../../src/domain/site-silence.ts";

/* The names are categories of EN 50136-1; the times are values of this product, not checked against the text of the standard. */
test.each([
  ["SP2", 25 * 3600],
  ["SP3", 30 * 60],
  ["SP4", 3 * 60],
  ["SP5", 90],
  ["SP6", 20],
])("a site is silent after the reporting time %s: %i s", (name, seconds) => {
  expect(silentSecondsOf(name)).toBe(seconds);
});

test("a site without a time of its own has that of the centre, whatever its reference is", () => {
  const times = { silentS: 600, sites: { bank: 20 } };
  expect(["bank", "shed", "constructor"].map((ref) => silentSecondsFor(ref, times))).toEqual([20, 600, 600]);
});

test("a centre that has not listened for long judges only the sites with a short time", () => {
  const [nowMs, times] = [10_000_000, { silentS: 600, sites: { bank: 20, shed: 90_000 } }];
  expect(silenceQuery(nowMs, nowMs - 19_999, times)).toBeUndefined();
  expect(silenceQuery(nowMs, nowMs - 20_000, times)).toMatchObject({
    reportedBeforeMs: 0,
    stoppedBeforeMs: nowMs - 300_000,
    own: [
      { ref: "bank", reportedBeforeMs: nowMs - 20_000, stoppedBeforeMs: nowMs - 10_000 },
      { ref: "shed", reportedBeforeMs: 0 },
    ],
  });
});
