import { expect, test } from "vitest";
import { formatNumber } from "../../src/panel/number-format.ts";

test.each([
  ["a zero that was rounded from below has no minus", -0.04, 1, "ro", "0,0"],
  ["nor has one without decimals", -0.4, 0, "ro", "0"],
  ["nor the negative zero", -0, 1, "en", "0.0"],
  ["what is left of a negative number keeps its minus", -0.06, 1, "ro", "-0,1"],
  ["a number has the signs of the language", -61_234.56, 1, "ro", "-61.234,6"],
  ["also in English", 61_234.56, 1, "en", "61,234.6"],
])("%s", (_what, value, fractionDigits, language, shown) => {
  expect(formatNumber(value, language, fractionDigits)).toBe(shown);
});
