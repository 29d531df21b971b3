/** A value as a device writes it. */
export type Scalar = string | number | boolean;

/** What can be compared; `undefined` for a list, an object, null and what is missing. */
export function scalarOf(value: unknown): Scalar | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

/** Whether a value is one of those that a configuration names, compared as `plainValue` says. */
export function isOneOf(wanted: readonly Scalar[], value: Scalar): boolean {
  const plain = plainValue(value);
  return wanted.some((one) => plainValue(one) === plain);
}

/**
 * A value in the form in which two are compared. Devices write the same thing in many ways, and bridges switch between
 * them with an option: text without case, `"ON"`, `"True"`, `true`, `"1"` and `1` are equal, and so are `"OFF"`,
 * `false` and `0`. A number that a double cannot hold, such as the code of a transmitter, stays text.
 */
export function plainValue(value: Scalar): string {
  const text = String(value).trim().toLowerCase();
  if (text === "true" || text === "on") return "1";
  if (text === "false" || text === "off") return "0";
  return /^-?\d+(\.\d+)?$/.test(text) && text.replace(/^[-0.]+/, "").length <= DIGITS_MAX
    ? String(Number(text))
    : text;
}

/** Decimal digits that a double always holds (IEEE 754). */
const DIGITS_MAX = 15;
