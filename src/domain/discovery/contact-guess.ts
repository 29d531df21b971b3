import type { Scalar } from "../plain-value.ts";
import type { ZoneKind } from "../zone.ts";
import { kindOfName } from "./name-hints.ts";

/** A value of a message with its JSON Pointer; null for the whole payload. */
export interface MessageValue {
  readonly path: string | null;
  readonly value: Scalar;
}

/** What a value most likely is, in the spelling of its sensor. The value that was seen is the first of its list. */
export interface LikelyMeaning {
  readonly open: readonly [Scalar, ...Scalar[]];
  readonly normal: readonly [Scalar, ...Scalar[]];
}

/** What a value of a message would be as the contact of a zone. */
export interface LikelyContact {
  readonly path: string | null;
  /** Null if no word tells the kind. */
  readonly kind: ZoneKind | null;
  /** Both empty if the value does not tell what it means. */
  readonly open: readonly Scalar[];
  readonly normal: readonly Scalar[];
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
  // Of a sensor with one value, beside its time.
  "value",
  "val",
  "state",
];

type Words = readonly [string, ...string[]];

/** What sensors send in words: open, normal. The likeliest word first. */
const MEANINGS: readonly (readonly [open: Words, normal: Words])[] = [
  [["on"], ["off"]],
  [
    ["open", "opened"],
    ["closed", "close"],
  ],
  [["alarm"], ["normal"]],
  [["true"], ["false"]],
  [["wet"], ["dry"]],
  [["detected"], ["clear", "cleared"]],
  [["1"], ["0"]],
];

/** Of these, sensors have many counterparts, such as "none", "OK" or "fire": only the word that was seen is known. */
const OPEN_ENDED: ReadonlySet<string> = new Set([
  "alarm",
  "normal",
  "wet",
  "dry",
  "detected",
  "clear",
  "cleared",
]);

/** Place of the value that is most likely the contact of a zone: the first one that means something if no name tells. */
export function likelyContact(values: readonly MessageValue[]): number {
  for (const name of DETECTED) {
    const index = values.findIndex(({ path }) => path?.split("/").pop() === name);
    if (index >= 0) return index;
  }
  // A number may be a count or a time.
  const index = values.findIndex((one) => typeof one.value !== "number" && likelyMeaning(one) !== undefined);
  return Math.max(index, 0);
}

/** What each value would be as the contact of a zone; the likeliest contact first. @param name of the device */
export function likelyContacts(
  { topic, values }: { readonly topic: string; readonly values: readonly MessageValue[] },
  name = "",
): LikelyContact[] {
  const first = values[likelyContact(values)];
  return values
    .toSorted((a, b) => Number(b === first) - Number(a === first))
    .map((value) => ({
      path: value.path,
      kind: kindOfName(`${name} ${topic} ${value.path ?? ""}`) ?? null,
      ...knownMeaning(value),
    }));
}

/** As `likelyMeaning`; without a counterpart that the sensor may not send: it would never restore the zone, or never trip it. */
function knownMeaning(one: MessageValue): Pick<LikelyContact, "open" | "normal"> {
  const meaning = likelyMeaning(one);
  if (!meaning) return { open: [], normal: [] };
  if (!OPEN_ENDED.has(String(one.value).toLowerCase())) return meaning;
  return { open: meaning.open[0] === one.value ? [one.value] : [], normal: [] };
}

/**
 * What a value most likely is while the zone is open and while it is normal; undefined if the value tells neither.
 * zigbee2mqtt sends `"contact": true` for a closed contact.
 */
export function likelyMeaning({ path, value }: MessageValue): LikelyMeaning | undefined {
  const text = String(value);
  const word = text.toLowerCase();
  const meaning = MEANINGS.find((words) => words.flat().includes(word));
  if (!meaning) return undefined;
  const isClosedWhenTrue = /^(true|false)$/.test(word) && path?.endsWith("/contact") === true;
  const [open, normal] = isClosedWhenTrue ? meaning.toReversed() : meaning;
  if (!open || !normal) return undefined;
  return { open: sentAs(value, open), normal: sentAs(value, normal) };
}

/** Words as the sensor that sent a value would send them: as truth values or numbers, or in its capitals. */
function sentAs(value: Scalar, words: Words): readonly [Scalar, ...Scalar[]] {
  const text = String(value);
  const [first, ...others] = words.toSorted(
    (a, b) => Number(b === text.toLowerCase()) - Number(a === text.toLowerCase()),
  );
  const spelled = (word: string): Scalar => {
    if (typeof value === "boolean") return word === "true";
    if (typeof value === "number") return Number(word);
    if (text === text.toLowerCase()) return word;
    return text === text.toUpperCase() ? word.toUpperCase() : word.slice(0, 1).toUpperCase() + word.slice(1);
  };
  return [spelled(first ?? words[0]), ...others.map(spelled)];
}
