import { isUtf8 } from "node:buffer";
import type { MqttInput } from "../generated/types.ts";
import type { Contact } from "../domain/zone.ts";

/** What a message says about a zone's contact, or why it cannot be read. */
export type PayloadReading =
  | { readonly contact: Contact }
  | { readonly refused: "too-large" | "not-utf8" | "not-json" };

/** A larger payload is dropped before anything is parsed: no sensor sends one. */
export const PAYLOAD_BYTES_MAX = 64 * 1024;

type Scalar = string | number | boolean;

/**
 * Reads a zone's contact out of a message. Values compare tolerantly, because devices write the same thing in many
 * ways: text without case, numbers and booleans by value. What is not there, null or no plain value is `unknown`: a
 * sign of life that neither trips nor restores.
 */
export function readContact(
  input: Pick<MqttInput, "path" | "open" | "normal">,
  payload: Uint8Array,
): PayloadReading {
  if (payload.byteLength > PAYLOAD_BYTES_MAX) return { refused: "too-large" };
  if (!isUtf8(payload)) return { refused: "not-utf8" };
  const text = Buffer.from(payload).toString("utf8").trim();
  if (text === "") return { contact: "unknown" };
  const value = input.path === undefined ? scalarOf(text) : valueAt(text, input.path);
  if (value === NOT_JSON) return { refused: "not-json" };
  return { contact: contactOf(input, value) };
}

const NOT_JSON = Symbol("not JSON");

function contactOf({ open, normal }: Pick<MqttInput, "open" | "normal">, value: unknown): Contact {
  if (!isScalar(value)) return "unknown";
  if (open.some((wanted) => sameValue(wanted, value))) return "open";
  if (normal === undefined || normal.some((wanted) => sameValue(wanted, value))) return "normal";
  return "unknown";
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** "True" is true, "ON" is "on", "1.0" is 1. A number is not a boolean: 1 may mean many things. */
function sameValue(wanted: Scalar, value: Scalar): boolean {
  return plain(wanted) === plain(value);
}

function plain(value: Scalar): string {
  const text = String(value).trim().toLowerCase();
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
}

/** A whole payload as one value: the JSON scalar it is, or its text. */
function scalarOf(text: string): unknown {
  const parsed = parse(text);
  return parsed === NOT_JSON ? text : parsed;
}

function valueAt(text: string, pointer: string): unknown {
  const root = parse(text);
  if (root === NOT_JSON) return NOT_JSON;
  let at: unknown = root;
  // JSON Pointer (RFC 6901) over own properties only, so that no prototype can be reached.
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
    if (Array.isArray(at) && !/^\d+$/.test(key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}
