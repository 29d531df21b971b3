import { scalarOf, type Scalar } from "../plain-value.ts";

/** No name of a device is longer, nor a topic that is listened to. One text is repeated in each zone of its device. */
export const TEXT_LENGTH_MAX = 512;

/** An object with unknown fields, as parsed from JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** The object itself, or one without fields. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A field that the object itself has, so that no prototype is reached. */
export function fieldOf(value: unknown, name: string): unknown {
  return isFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A text that is neither empty nor too long; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= TEXT_LENGTH_MAX ? value : undefined;
}

/** A value that a sensor may send; undefined for anything else. */
export function sentOf(value: unknown): Scalar | undefined {
  return typeof value === "string" && value.length > TEXT_LENGTH_MAX ? undefined : scalarOf(value);
}

/** A list; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Of one list: a remote control has a few dozen actions. */
const TEXTS_MAX = 1_000;

/** The texts of a list, as `textOf`; of a longer one its beginning. */
export function textsOf(values: unknown): string[] {
  return listOf(values)
    .slice(0, TEXTS_MAX)
    .flatMap((value) => textOf(value) ?? []);
}

/** The JSON Pointer (RFC 6901) to a field below others. */
export function pointerTo(...names: readonly string[]): string {
  return names.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
