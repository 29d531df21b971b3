import type { ReceivedMessage } from "./device.ts";
import { isFields, pointerTo } from "./values.ts";
import { scalarOf, type Scalar } from "../plain-value.ts";

/** A path of the configuration has at most this many levels. */
const LEVELS_MAX = 8;
/** More than fit on a screen. */
const FIELDS_MAX = 64;

/** The values of a message that a zone can read, each with its JSON Pointer; null for the whole payload. */
export function scalarsIn({ json, text }: Pick<ReceivedMessage, "json" | "text">): {
  path: string | null;
  value: Scalar;
}[] {
  if (!isFields(json)) return [{ path: null, value: scalarOf(json) ?? text.slice(0, 200) }];
  const found: { path: string; value: Scalar }[] = [];
  collect(json, [], found);
  return found;
}

function collect(at: unknown, names: readonly string[], found: { path: string; value: Scalar }[]): void {
  if (found.length >= FIELDS_MAX || names.length > LEVELS_MAX) return;
  const value = scalarOf(at);
  if (value !== undefined) found.push({ path: pointerTo(...names), value });
  // A path through a list has no index, so the first entry stands for all.
  else if (Array.isArray(at)) collect(at[0], names, found);
  else if (isFields(at))
    for (const [name, inner] of Object.entries(at)) collect(inner, [...names, name], found);
}
