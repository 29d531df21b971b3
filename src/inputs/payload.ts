import { isUtf8 } from "node:buffer";
import type { Battery, MqttInput } from "../generated/types.ts";
import type { AvailabilitySense } from "../domain/zone-senses.ts";
import type { Contact } from "../domain/zone.ts";

/** The text of a message, or why it is not read. */
export type PayloadText = { readonly text: string } | { readonly refused: "too-large" | "not-utf8" };

/** A larger payload is dropped before anything is parsed: no sensor sends one. */
export const PAYLOAD_BYTES_MAX = 64 * 1024;

/** Looks at a payload before anything is made of it. */
export function textOf(payload: Uint8Array): PayloadText {
  if (payload.byteLength > PAYLOAD_BYTES_MAX) return { refused: "too-large" };
  if (!isUtf8(payload)) return { refused: "not-utf8" };
  return { text: Buffer.from(payload).toString("utf8").trim() };
}

/** What stands at a place in a message; `undefined` for nothing that could be a value. */
export type ValueReading = { readonly value: Scalar | undefined } | { readonly refused: "not-json" };

type Scalar = string | number | boolean;

/**
 * Finds a value: the whole text where no path is given, else what the JSON Pointer (RFC 6901) leads to, over own
 * properties only, so that no prototype can be reached.
 */
export function valueAt(text: string, path: string | undefined): ValueReading {
  if (text === "") return { value: undefined };
  const root = parse(text);
  if (path === undefined) return { value: scalarOf(root === NOT_JSON ? text : root) };
  if (root === NOT_JSON) return { refused: "not-json" };
  let at: unknown = root;
  for (const token of path.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return { value: undefined };
    if (Array.isArray(at) && !/^\d+$/.test(key)) return { value: undefined };
    at = (at as Record<string, unknown>)[key];
  }
  return { value: scalarOf(at) };
}

/**
 * What a value says about a contact. Values compare tolerantly, because devices write the same thing in many ways: text
 * without case, numbers and booleans by value. What is not there, null, no plain value or a sentinel is `unknown`: a
 * sign of life that neither trips nor restores.
 */
export function contactOf(
  { open, normal }: Pick<MqttInput, "open" | "normal">,
  value: Scalar | undefined,
): Contact {
  if (value === undefined) return "unknown";
  if (isOneOf(open, value)) return "open";
  if (normal !== undefined) return isOneOf(normal, value) ? "normal" : "unknown";
  return isOneOf(SENTINELS, value) ? "unknown" : "normal";
}

/** Whether a battery is low; undefined when the value does not say. */
export function batteryOf({ low, below }: Battery, value: Scalar | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (low !== undefined && isOneOf(low, value)) return true;
  const percent = typeof value === "boolean" ? NaN : Number(value);
  if (below !== undefined) return percent >= 0 && percent <= 100 ? percent < below : undefined;
  return isOneOf(SENTINELS, value) ? undefined : false;
}

/** Whether somebody can be heard; undefined when the value does not say. */
export function availabilityOf(
  { up, down }: Pick<AvailabilitySense, "up" | "down">,
  value: Scalar | undefined,
): boolean | undefined {
  if (value === undefined) return undefined;
  if (isOneOf(down, value)) return false;
  return isOneOf(up, value) ? true : undefined;
}

/** What devices and bridges write where they know nothing; a rule that names one of them means it. */
const SENTINELS: readonly Scalar[] = [
  999,
  -1,
  "unknown",
  "unavailable",
  "undefined",
  "none",
  "null",
  "nan",
  "n/a",
];

const NOT_JSON = Symbol("not JSON");

function scalarOf(value: unknown): Scalar | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

function isOneOf(wanted: readonly Scalar[], value: Scalar): boolean {
  return wanted.some((one) => plain(one) === plain(value));
}

/** "True" is true, "ON" is "on", "1.0" is 1, and 1 is true: bridges switch between the two by an option. */
function plain(value: Scalar): string {
  const text = String(value).trim().toLowerCase();
  if (text === "true") return "1";
  if (text === "false") return "0";
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
