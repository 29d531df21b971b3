/** A value as a device writes it. */
export type Scalar = string | number | boolean;

/** A value that can be compared; `undefined` for a list, an object, null or a missing value. */
export function scalarOf(value: unknown): Scalar | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

/** Whether a value equals one of the configured values by `plainValue`. */
export function isOneOf(wanted: readonly Scalar[], value: Scalar): boolean {
  const plain = plainValue(value);
  return wanted.some((one) => plainValue(one) === plain);
}

/**
 * Normal form of a value for comparison. Devices write a value in many ways, and bridges have options for it: text
 * ignores case, `"ON"`, `"True"`, `true`, `"1"` and `1` are equal, and so are `"OFF"`, `false` and `0`. A number with too
 * many digits for a double, such as a transmitter's code, stays text.
 */
export function plainValue(value: Scalar): string {
  const text = String(value).trim().toLowerCase();
  if (text === "true" || text === "on") return "1";
  if (text === "false" || text === "off") return "0";
  return /^-?\d+(\.\d+)?$/.test(text) && text.replace(/^[-0.]+/, "").length <= DIGITS_MAX
    ? String(Number(text))
    : text;
}

/** Decimal digits that a double holds exactly (IEEE 754). */
const DIGITS_MAX = 15;

/**
 * The bits of a number that count, such as 1 of 33 for the bits 3.
 * @param bits sum of the bits, at most 65535
 * @returns undefined if the value is not a whole number from 0 on, or too large for a double
 */
export function bitsOf(value: Scalar, bits: number): number | undefined {
  const plain = plainValue(value);
  if (typeof value === "boolean" || !/^\d+$/.test(plain)) return undefined;
  const number = Number(plain);
  // `&` takes the lowest 32 bits of any whole number that a double holds exactly.
  return Number.isSafeInteger(number) ? number & bits : undefined;
}
