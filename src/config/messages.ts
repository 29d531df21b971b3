import { isMap, isPair, isScalar, isSeq, visit } from "yaml";
import { isLifeSafety } from "../domain/incident.ts";
import { contradictionIn, excludeEachOther, isShutOut } from "../domain/message-condition.ts";
import { bitsOf, plainValue, type Scalar } from "../domain/plain-value.ts";
import { statusSourcePlace } from "../domain/zone-rules.ts";
import { AVAILABILITY_DEFAULTS } from "../generated/defaults.ts";
import type { MessageCondition, MqttInput, Zone } from "../generated/types.ts";
import { sourceText, type ParsedFile, type ConfigProblem, type Report } from "./problems.ts";

/** A message source of a zone or gate, with its place in the configuration. */
interface Sense {
  readonly place: readonly (string | number)[];
  readonly path?: string | undefined;
  readonly bits?: number | undefined;
  /** Conditions: first those inherited from the zone's input, then its own. */
  readonly where: readonly MessageCondition[];
  readonly inherited: number;
  /** Names of its two lists of values, the more important one first. */
  readonly lists: readonly [string, string];
  readonly values: readonly Scalar[] | undefined;
  readonly others: readonly Scalar[] | undefined;
  /** Whether the value may be the whole payload although there are conditions. */
  readonly isTextToo: boolean;
}

/** Errors in the message sources of the zones. */
export function reportMessages(zones: readonly Zone[], report: Report): void {
  for (const [index, zone] of zones.entries())
    for (const sense of sensesOf(zone, ["zones", index], report)) {
      reportEqualValues(sense, report);
      reportBits(sense, report);
      reportConditions(sense, report);
      reportWildcards(sense, report);
    }
  reportSameReadings(zones, report);
}

/** Warnings about probably unintended message sources. */
export function messageWarnings(zones: readonly Zone[]): string[] {
  return zones.flatMap(({ id, kind, input }) => {
    if (!("mqtt" in input)) return [];
    const { open, normal = [], dedupe } = input;
    const isMixed = open.every(isNumber) && normal.length > 0 && !normal.some(isNumber);
    return [
      ...(dedupe && isLifeSafety(kind)
        ? [`zone ${id}: dedupe is ignored for a ${kind} zone; every opening is a trip`]
        : []),
      ...(isMixed
        ? [`zone ${id}: open has only numbers and normal only text; a device sends one or the other`]
        : []),
    ];
  });
}

/** ON and OFF compare equal to 1 and 0. */
function isNumber(value: Scalar): boolean {
  return /^-?\d+(\.\d+)?$/.test(plainValue(value));
}

function sensesOf(zone: Zone, place: Sense["place"], report: Report): Sense[] {
  const { input, tamper, battery, availability, bridge, gate } = zone;
  const contacts = Object.entries({ input, gate }).flatMap(([key, one]): Sense[] =>
    typeof one === "object" && "mqtt" in one
      ? [
          {
            ...CONTACT,
            ...one,
            where: one.where ?? [],
            values: one.open,
            others: one.normal,
            place: [...place, key],
          },
        ]
      : [],
  );
  const inherited = "mqtt" in input ? (input.where?.length ?? 0) : 0;
  const beside = Object.entries({ tamper, battery }).flatMap(([key, one]): Sense[] => {
    if (!one) return [];
    const own = { inherited: one.mqtt === undefined ? inherited : 0, place: [...place, key] };
    const { path, bits, where = [] } = { ...one, ...statusSourcePlace(input, one) };
    if ("open" in one)
      return [{ ...CONTACT, ...own, path, bits, where, values: one.open, others: one.normal }];
    const { low, below } = one;
    const values = below === undefined ? low : undefined;
    if (bits !== undefined && below !== undefined)
      report(
        [...own.place, "bits"],
        "below is for a charge in percent, which has no bits. Use low, or remove bits",
      );
    return [{ ...CONTACT, ...own, path, bits, where, values, others: undefined, lists: ["low", "below"] }];
  });
  const words = Object.entries({ availability, bridge }).flatMap(([key, one]): Sense[] => {
    if (!one) return [];
    const { up, down, path, where = [] } = { ...AVAILABILITY_DEFAULTS, ...one };
    const values = { values: up, others: down, lists: ["up", "down"] } as const;
    return [{ ...values, path, where, inherited: 0, isTextToo: true, place: [...place, key] }];
  });
  return [...contacts, ...beside, ...words];
}

const CONTACT = { lists: ["open", "normal"], inherited: 0, isTextToo: false } as const;

function reportEqualValues({ place, lists, values = [], others = [] }: Sense, report: Report): void {
  const [first, second] = lists;
  for (const other of others) {
    const equal = values.find((value) => plainValue(value) === plainValue(other));
    if (equal === undefined) continue;
    const shown = `${JSON.stringify(equal)} in ${first} and ${JSON.stringify(other)} in ${second}`;
    report(
      [...place, second],
      `${shown} compare equal: case is ignored, on, true and 1 are equal, and off, false and 0 are equal. Use different values`,
    );
  }
}

/** Values that a number cannot have of which only some bits count. */
function reportBits({ place, lists, bits, values = [], others = [] }: Sense, report: Report): void {
  if (bits === undefined) return;
  for (const [list, named] of [
    [lists[0], values],
    [lists[1], others],
  ] as const)
    for (const value of named) {
      const own = bitsOf(value, bits);
      if (own !== undefined && String(own) === plainValue(value)) continue;
      report(
        [...place, list],
        `${JSON.stringify(value)} can never be read with bits: ${bits}. Use sums of those bits, or 0 for none of them`,
      );
    }
}

function reportConditions(sense: Sense, report: Report): void {
  const { place, where, inherited, lists, values, path, bits, isTextToo } = sense;
  const contradiction = contradictionIn(where);
  if (contradiction) {
    const { index, reason } = contradiction;
    // A contradiction in the inherited conditions is reported for the input.
    if (index >= inherited) report([...place, "where", index - inherited], `can never hold: ${reason}`);
    return;
  }
  if (path === undefined) {
    if (!isTextToo && where.length > 0)
      report(
        place,
        "path is missing: with where, the message is not a plain value. Set the path of the value",
      );
    return;
  }
  // For up and down, other messages may carry the other value.
  if (isShutOut(where, path, isTextToo || bits !== undefined ? undefined : values))
    report(
      [...place, "where"],
      `matches no message with a value of ${lists[0]} at ${path}. Remove the condition on that path, or use the same values`,
    );
}

/** Paths pass through lists without `*`. */
function reportWildcards({ place, path, where }: Sense, report: Report): void {
  for (const one of [path, ...where.map((condition) => condition.path)])
    if (one?.includes("/*"))
      report(place, `a path passes through lists automatically. Use ${one.replaceAll("/*", "")}`);
}

/** Zones that the same value of a message opens. */
function reportSameReadings(zones: readonly Zone[], report: Report): void {
  for (const [index, { input }] of zones.entries()) {
    if (!("mqtt" in input)) continue;
    const earlier = zones.slice(0, index).find((one) => "mqtt" in one.input && opensWith(one.input, input));
    if (earlier)
      report(
        ["zones", index, "input", "mqtt"],
        `zone ${earlier.id} already opens at the same value of this topic and path. Correct the topic, or add where with conditions that exclude the other zone's messages`,
      );
  }
}

function opensWith(one: MqttInput, other: MqttInput): boolean {
  if (one.mqtt !== other.mqtt || one.path !== other.path || one.bits !== other.bits) return false;
  const values = new Set(one.open.map(plainValue));
  if (!other.open.some((value) => values.has(plainValue(value)))) return false;
  return !excludeEachOther(one.where ?? [], other.where ?? []);
}

/** Options with values that are compared with messages. */
const VALUE_LISTS: ReadonlySet<unknown> = new Set(["open", "normal", "low", "up", "down", "in", "not"]);

/**
 * Values that YAML reads as a number but devices send as text, such as the codes `0x1A2B`, `12E5`, `0567` and
 * `76561198000000001`.
 */
export function writtenNumberProblems(file: ParsedFile): ConfigProblem[] {
  return writtenValues(file).flatMap(({ path, value, source }) => {
    if (typeof value !== "number") return [];
    // 0567 compares equal to 567, which another transmitter may send.
    const isDecimal = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(source);
    if (isDecimal && plainValue(source) === plainValue(value)) return [];
    const message = `${source} without quotes is the number ${value}, but devices send it as text. Use "${source}"`;
    return [{ path, message }];
  });
}

/** Words without quotes that are meant as true or false, but are texts. */
export function writtenWordWarnings(file: ParsedFile): string[] {
  return writtenValues(file)
    .filter(({ value, isPlain }) => isPlain && /^(yes|no|y|n|da|nu)$/i.test(String(value)))
    .map(
      ({ path, source }) =>
        `${sourceText(file, path)}: ${source} without quotes is the text "${source}", not true or false. Write true or false if the device sends that, otherwise "${source}"`,
    );
}

interface WrittenValue {
  readonly path: (string | number)[];
  readonly value: unknown;
  readonly source: string;
  readonly isPlain: boolean;
}

/** The values that are compared with messages, as they are written. */
function writtenValues({ document }: ParsedFile): WrittenValue[] {
  const found: WrittenValue[] = [];
  visit(document, {
    Pair(_key, { key, value }, ancestors) {
      if (!isScalar(key) || !VALUE_LISTS.has(key.value) || !isSeq(value)) return;
      for (const [index, item] of value.items.entries()) {
        if (!isScalar(item) || item.source === undefined) continue;
        const path = [...pathOf(ancestors), String(key.value), index];
        found.push({ path, value: item.value, source: item.source, isPlain: item.type === "PLAIN" });
      }
    },
  });
  return found;
}

/** Keys and indices of a node. */
function pathOf(ancestors: readonly unknown[]): (string | number)[] {
  return ancestors.flatMap((node, index): (string | number)[] => {
    if (isPair(node) && isScalar(node.key)) return [String(node.key.value)];
    const next = ancestors[index + 1];
    return isSeq(node) && isMap(next) ? [node.items.indexOf(next)] : [];
  });
}
