import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderedUuid } from "../../src/ops/secrets.ts";

const random = fc.uuid({ version: 4 });
/** The last time that fits in 48 bits. */
const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe("the UUID of a record", () => {
  test("matches the example of RFC 9562, A.6", () => {
    expect(orderedUuid(Date.UTC(2022, 1, 22, 19, 22, 22), "00000000-0000-4cc3-98c4-dc0c0c07398f")).toBe(
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    );
  });

  test("is a UUID of version 7 at any clock value", () => {
    fc.assert(
      fc.property(moment, random, (wallMs, made) => {
        expect(orderedUuid(wallMs, made)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  test("sorts by its creation time", () => {
    fc.assert(
      fc.property(moment, moment, random, random, (one, other, first, second) => {
        fc.pre(one < other);
        expect(orderedUuid(one, first) < orderedUuid(other, second)).toBe(true);
      }),
    );
  });

  test("has no time for a clock before 1970, which a board without a battery may have", () => {
    expect(orderedUuid(-5.5, "00000000-0000-4000-8000-000000000000")).toBe(
      "00000000-0000-7000-8000-000000000000",
    );
  });
});
