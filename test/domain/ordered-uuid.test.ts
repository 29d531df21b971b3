import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderedUuid } from "../../src/domain/ordered-uuid.ts";

const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
/** The last moment that the 48 bits of the time can say. */
const moment = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe("the identity of a record", () => {
  test("is the example of RFC 9562, A.6", () => {
    const random = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f]);
    expect(orderedUuid(Date.UTC(2022, 1, 22, 19, 22, 22), random)).toBe(
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    );
  });

  test("is a UUID of version 7 whatever the clock and the random bytes", () => {
    fc.assert(
      fc.property(moment, bytes, (wallMs, random) => {
        expect(orderedUuid(wallMs, random)).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  test("sorts by the moment it was made", () => {
    fc.assert(
      fc.property(moment, moment, bytes, bytes, (one, other, first, second) => {
        fc.pre(one < other);
        expect(orderedUuid(one, first) < orderedUuid(other, second)).toBe(true);
      }),
    );
  });

  test("says nothing of a clock before 1970, which a board without a battery may have", () => {
    expect(orderedUuid(-5.5, new Uint8Array(10))).toBe("00000000-0000-7000-8000-000000000000");
  });
});
