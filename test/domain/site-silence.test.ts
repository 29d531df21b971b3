import { expect, test } from "vitest";
import { silentSecondsOf } from "../../src/domain/site-silence.ts";

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
