import type { ZoneKind } from "../zone.ts";

/** What a word in the name of a value detects. The first kind of which a name has a word counts. */
const WORDS: readonly (readonly [kind: ZoneKind, words: readonly string[]])[] = [
  ["tamper", ["tamper"]],
  ["fire", ["smoke", "fire", "flame", "heat"]],
  ["gas", ["gas", "co", "monoxide", "lpg", "methane"]],
  ["flood", ["leak", "leakage", "flood", "moisture", "water", "watersensor"]],
  ["panic", ["sos", "emergency", "panic"]],
  ["medical", ["fall"]],
  ["glass", ["glass", "vibration", "shock", "sound"]],
  ["motion", ["occupancy", "occupied", "presence", "person", "motion", "movement", "moving", "pir"]],
  ["intrusion", ["contact", "door", "window", "opening", "handle"]],
];
/** Words that say nothing about what is detected: a state, a side, a number. */
const PLAIN: ReadonlySet<string> = new Set(
  [
    "state status alarm sensor detector active detect detected detection open opened position mode",
    "in out or and up left right top bottom front back inner outer main area region zone input channel",
    "human body break down garage carbon natural dry is the button",
  ].flatMap((words) => words.split(" ")),
);
/** Of devices that move or heat: they report their own movement, and take a fall of the temperature for an open window. */
const GUESSED = ["window", "opening", "door", "moving", "heat"];
/** What any device may report of itself, or take as an order. */
const OF_ITSELF: ReadonlySet<string> = new Set(
  [
    "battery low power mains ac charging voltage outage test self fault trouble error warning supervision reports restore",
    "silence mute buzzer siren led indicator light update online linkage calibration learning enabled valve",
  ].flatMap((words) => words.split(" ")),
);
/** States in which nothing is detected. */
const QUIET: ReadonlySet<string> = new Set(
  [
    "none no not normal clear cleared absent absence closed close idle dry",
    "unoccupied vacant inactive off ok safe quiet",
  ].flatMap((words) => words.split(" ")),
);
/** States of a sensor that does not know, or tests itself. */
const UNSURE: ReadonlySet<string> = new Set(
  [
    "unknown undefined unspecified invalid unavailable disabled pending learning",
    "detecting checking check self test testing fault error jammed",
  ].flatMap((words) => words.split(" ")),
);
/** What states that a sensor has without a name for them detect. */
const STATE_WORDS: readonly (readonly [kind: ZoneKind, words: readonly string[]])[] = [
  ["motion", ["presence", "occupied", "motion", "movement", "move", "moving", "activity", "person"]],
  ["flood", ["leak", "wet"]],
  ["fire", ["smoke"]],
];

/** The words of `area1Occupancy`, `contact_alarm_2` or `CO-state`; the number behind a longer word is none. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/^([a-z]{3,})\d+$/, "$1"))
    .filter((word) => word !== "" && !/^\d+$/.test(word));
}

function kindOfWords(
  words: readonly string[],
  kinds: typeof WORDS | typeof STATE_WORDS,
): ZoneKind | undefined {
  return kinds.find(([, known]) => words.some((word) => known.includes(word)))?.[0];
}

/**
 * The kind of the contact that a value is by its name; undefined for a name with any word of another meaning, such as
 * `vibration_sensitivity`, `co2_state` or `soil_moisture`.
 */
export function kindOfValue(name: string): ZoneKind | undefined {
  const words = wordsOf(name);
  const known = WORDS.flatMap(([, own]) => own);
  const isOnly = words.every((word) => known.includes(word) || PLAIN.has(word));
  return isOnly ? kindOfWords(words, WORDS) : undefined;
}

/** Whether a value may be what a sensor detects, though its name does not say what that is. */
export function isUnnamed(name: string): boolean {
  return kindOfValue(name) === undefined && !wordsOf(name).some((word) => OF_ITSELF.has(word));
}

/** Whether a name has only words that say nothing about what is detected, such as `opened`. */
export function isPlain(name: string): boolean {
  return wordsOf(name).every((word) => PLAIN.has(word));
}

/** Whether a value is what a heating or a motor makes of its own readings, not a sensor. */
export function isGuessedByDevice(name: string): boolean {
  const words = wordsOf(name);
  return !words.includes("contact") && words.some((word) => GUESSED.includes(word));
}

/** Whether a value is true while the contact is closed, as zigbee2mqtt has it whatever a definition calls on. */
export function isClosedIfTrue(name: string): boolean {
  return wordsOf(name).includes("contact");
}

/** What the states of a value without a telling name detect; undefined if they do not say it. */
export function kindOfStates(states: readonly string[]): ZoneKind | undefined {
  return kindOfWords(states.filter((state) => !isQuiet(state)).flatMap(wordsOf), STATE_WORDS);
}

/** Whether nothing is detected in a state. */
export function isQuiet(state: string): boolean {
  return wordsOf(state).some((word) => QUIET.has(word));
}

/** Whether a state says neither; a door that was forced open is open. */
export function isUnsure(state: string): boolean {
  const words = wordsOf(state);
  return words.some((word) => UNSURE.has(word)) && !words.includes("open");
}
