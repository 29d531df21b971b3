import { meantKind } from "./kind-words.ts";
import type { Written } from "./problems.ts";
import { didYouMean } from "./suggestions.ts";

interface Range {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** JSON Schema types in YAML terms. */
const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  object: "a section",
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

/** A value of another type. @param written how it is written in the file */
export function typeMessage(
  types: readonly string[],
  value: unknown,
  { source, isInBrackets }: Written,
): string {
  const [type] = types;
  const isText = type === "string" && typeof value !== "object";
  // Quotes around the value as it is read would name another account: 0567 is read as 567, and 12E5 as 1200000.
  const given = isText ? (source ?? shown(value)) : shown(value);
  const message = `must be ${types.map((one) => TYPES[one] ?? one).join(" or ")}, not ${given}`;
  if (value === null)
    return type === "array"
      ? `${message}. Set a value, [] for none, or remove the option`
      : `${message}. Set a value, or remove the option`;
  if (type === "array" && isInBrackets && typeof value !== "object")
    return `${message}. Write it in brackets: [${JSON.stringify(source ?? value)}]`;
  if (type === "array") return `${message}. Write each entry on its own line after "- "`;
  if (!isText) return message;
  return source === undefined && typeof value === "number"
    ? `${message}. Write it in quotes, with all its leading zeros`
    : `${message}. Write it in quotes: ${JSON.stringify(given)}`;
}

/** A value that is none of the allowed ones. */
export function enumMessage(allowed: readonly string[], value: unknown): string {
  const meant = typeof value === "string" ? (meantKind(value, allowed) ?? value) : "";
  const suggestion = didYouMean(meant, allowed);
  const message = `must be one of ${allowed.join(", ")}, not ${shown(value)}`;
  return suggestion === undefined ? message : `${message}. ${suggestion}`;
}

/** A text or list that is too short. */
export function tooShort(limit: number, value: unknown): string {
  const wanted = Array.isArray(value) ? "entries" : "characters";
  return limit === 1 ? "must not be empty" : `needs at least ${limit} ${wanted} (${shown(value)})`;
}

/** A text, list or section that is too long. */
export function tooLong(limit: number, value: unknown): string {
  if (typeof value === "object" && value !== null)
    return `has ${Object.keys(value).length} entries; at most ${limit} are allowed`;
  return `has ${[...String(value)].length} characters; at most ${limit} are allowed`;
}

/** A number out of its range, of which one end may be open. */
export function outOfRange(value: unknown, { minimum, maximum }: Range): string {
  if (maximum === undefined) return `${shown(value)} is out of range; allowed: ${minimum} or more`;
  if (minimum === undefined) return `${shown(value)} is out of range; allowed: ${maximum} or less`;
  return `${shown(value)} is out of range; allowed: ${minimum} to ${maximum}`;
}

/** A value as a message shows it: shortened, and without the password of an address. */
export function shown(value: unknown): string {
  const text = (JSON.stringify(value) ?? "nothing").replaceAll(/\/\/[^"]*@/g, "//…@");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
