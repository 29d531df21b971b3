import { expect, test } from "vitest";
import { silentSecondsOf } from "../../src/domain/site-silence.ts";

/* The table of single path categories in EN 50136-1:2012, as products and guides publish it. */
test.each([
  ["SP2", 25 * 3600],
  ["SP3", 30 * 60],
  ["SP4", 3 * 60],
  ["SP5", 90],
  ["SP6", 20],
])("a site is silent after the reporting time %s: %i s", (name, seconds) => {
  expect(silentSecondsOf(name)).toBe(seconds);
});
