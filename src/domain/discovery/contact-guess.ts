import type { Scalar } from "../plain-value.ts";

/** A value of a message with its JSON Pointer; null for the whole payload. */
export interface MessageValue {
  readonly path: string | null;
  readonly value: Scalar;
}

/** Names that makers give to what their sensor detects, beside its battery and its radio; the likeliest first. */
const DETECTED = [
  "contact",
  "occupancy",
  "presence",
  "smoke",
  "water_leak",
  "gas",
  "carbon_monoxide",
  "vibration",
];

/** What sensors send in words: open, normal. */
const PAIRS: readonly (readonly [open: string, normal: string])[] = [
  ["on", "off"],
  ["open", "closed"],
  ["opened", "closed"],
  ["alarm", "normal"],
  ["1", "0"],
];

/** Place of the value that is most likely the contact of a zone; 0 if no name tells. */
export function likelyContact(values: readonly MessageValue[]): number {
  for (const name of DETECTED) {
    const index = values.findIndex(({ path }) => path?.split("/").pop() === name);
    if (index >= 0) return index;
  }
  return 0;
}

/**
 * What a value most likely is while the zone is open and while it is normal, in the spelling of its sensor; undefined if
 * the value tells neither. zigbee2mqtt sends `"contact": true` for a closed contact.
 */
export function likelyMeaning({
  path,
  value,
}: MessageValue): { readonly open: string; readonly normal: string } | undefined {
  if (typeof value === "boolean") {
    const isClosedWhenTrue = path?.endsWith("/contact") === true;
    return { open: String(!isClosedWhenTrue), normal: String(isClosedWhenTrue) };
  }
  const text = String(value);
  const pair = PAIRS.find((words) => words.includes(text.toLowerCase()));
  if (!pair) return undefined;
  const spelled = text === text.toLowerCase() ? same : text === text.toUpperCase() ? upper : capitalised;
  return { open: spelled(pair[0]), normal: spelled(pair[1]) };
}

function same(word: string): string {
  return word;
}

function upper(word: string): string {
  return word.toUpperCase();
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
