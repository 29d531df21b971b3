import type { MergeConflict } from "./conflict.ts";
import { INTERVENTION_FIELDS, type InterventionFields } from "./intervention.ts";
import { addedToForeign, mergedLines, withLostLines } from "./merged-lines.ts";
import type { InFlightValues } from "./outbox.ts";

/** A record as returned by the centre, of which only known fields are used. */
export type UpstreamRecord = Readonly<Record<string, unknown>>;

/** The versions of a record that has changed on either side. */
export interface MergeSides {
  readonly local: InterventionFields;
  /** The local record when both sides last agreed. */
  readonly agreed: InterventionFields;
  /** The centre's record at that time. A centre may write a value in another way, so each side has its own base. */
  readonly base: UpstreamRecord;
  /** The centre's record now, without the marker. */
  readonly upstream: UpstreamRecord;
  /** Values of unconfirmed updates that may have arrived late. */
  readonly inFlightValues: InFlightValues;
  /** Whether a trip has joined the local record that the centre does not know, so that its record is not done. */
  readonly hasTripJoined?: boolean;
  /** Fields of the centre's record whose values are not valid here. */
  readonly invalid?: ReadonlySet<string>;
  /** Fields whose value at the centre was not taken over earlier: they still count as changed there. */
  readonly unpulled?: readonly string[];
}

interface Merged {
  /** To be sent to the centre. */
  readonly push: Partial<InterventionFields>;
  /** To be stored locally. */
  readonly applyLocally: Partial<InterventionFields>;
  /** Changed on both sides, with the side that was kept. */
  readonly conflicts: readonly MergeConflict[];
  /** Lines of the local notes without a place in the merged ones; undefined if there are none. */
  readonly omitted?: string;
  /** Fields whose value at the centre is not valid here. It stays there, and nothing replaces it. Undefined if there are none. */
  readonly foreign?: readonly string[];
}

/** Fields decided by the dispatcher if both sides have changed them: crews, services and times. */
const DISPATCHER_OWNED_FIELDS: ReadonlySet<string> = new Set([
  "dateStart",
  "dateEnd",
  "crews",
  "police",
  "ambulance",
  "firetruck",
]);
/** Two fields, one value: a type of one side with an id of the other is a third building. Both are sent together too. */
const OBJECTIVE_FIELDS = ["objectiveType", "objectiveId"] as const;
const STATUS_ORDER = ["planned", "in_progress", "done"];

/**
 * Merges field by field. A change on one side is taken. If both sides have changed a field, the dispatcher decides crews,
 * services and times, the status that is further along wins, and local texts win. If a dispatcher sets a record done that
 * a new trip has joined here, the record is open again. Notes are merged by lines, because dispatchers edit them while
 * zones add lines; for lines without a place, the caller opens another record. The objective is one value. A value that is not
 * valid here stays at the centre as it is; lines are added to a text.
 */
export function merge(sides: MergeSides): Merged {
  const { agreed, invalid } = sides;
  const push: Record<string, unknown> = {};
  const applyLocally: Record<string, unknown> = {};
  const conflicts: MergeConflict[] = [];
  const foreign: string[] = [];
  let omitted: string | undefined;
  for (const field of INTERVENTION_FIELDS) {
    const compared = compare(sides, field);
    const { here, there, isSame, hereChanged, thereChanged, isInFlight } = compared;
    if (isSame) continue;
    if (thereChanged && invalid?.has(field) === true) {
      foreign.push(field);
      const added = addedToForeign(field, { ...compared, agreed: agreed[field] });
      if (added?.text !== undefined) push[field] = added.text;
      omitted ??= added?.omitted;
      continue;
    }
    const whole =
      field === "notes" && thereChanged && !isInFlight
        ? withLostLines({ ...compared, agreed: agreed.notes })
        : undefined;
    if (whole !== undefined) {
      applyLocally[field] = whole;
      if (hereChanged) push[field] = whole;
    } else if (isInFlight || (hereChanged && !thereChanged)) push[field] = here;
    else if (thereChanged && !hereChanged) applyLocally[field] = there;
    else if (thereChanged && hereChanged) {
      const both = field === "notes" ? mergedLines(agreed.notes, here, there) : undefined;
      if (both !== undefined) {
        const { text, isWhole } = both;
        if (isWhole || text !== there) push[field] = text;
        applyLocally[field] = text;
        omitted = both.omitted;
        if (!isWhole) conflicts.push({ field, here, there, kept: "there" });
        continue;
      }
      const kept = winner(field, here, there);
      if (kept === "here") push[field] = here;
      else applyLocally[field] = there;
      if (!same(here, there)) conflicts.push({ field, here, there, kept });
    }
  }
  const found = {
    ...(omitted === undefined ? {} : { omitted }),
    ...(foreign.length === 0 ? {} : { foreign }),
  };
  return reopened(sides, { push, applyLocally, conflicts, ...found });
}

/**
 * Keeps a record open if the centre set it done without the line of a trip that has joined. A line without a place in the notes
 * is in another record, which is open.
 */
function reopened({ local, upstream, hasTripJoined }: MergeSides, merged: Merged): Merged {
  const { push, applyLocally, conflicts } = merged;
  const isUnseen = push.notes !== undefined && !same(push.notes, upstream["notes"]);
  if (hasTripJoined !== true || !isUnseen || applyLocally.status !== "done") return merged;
  const { status: there, ...rest } = applyLocally;
  const { status: here } = local;
  return {
    ...merged,
    push: { ...push, status: here },
    applyLocally: rest,
    conflicts: [
      ...conflicts.filter(({ field }) => field !== "status"),
      { field: "status", here, there, kept: "here" },
    ],
  };
}

interface Comparison {
  readonly here: unknown;
  readonly there: unknown;
  /** The centre's value when both sides last agreed. */
  readonly known: unknown;
  readonly isSame: boolean;
  readonly hereChanged: boolean;
  readonly thereChanged: boolean;
  readonly isInFlight: boolean;
}

function compare(sides: MergeSides, field: keyof InterventionFields): Comparison {
  const own = compareAlone(sides, field);
  if (field !== "objectiveType" && field !== "objectiveId") return own;
  const parts = OBJECTIVE_FIELDS.map((part) => compareAlone(sides, part));
  return {
    ...own,
    isSame: parts.every(({ isSame }) => isSame),
    hereChanged: parts.some(({ hereChanged }) => hereChanged),
    thereChanged: parts.some(({ thereChanged }) => thereChanged),
    isInFlight: parts.some(({ isInFlight }) => isInFlight),
  };
}

function compareAlone(
  { local, agreed, base, upstream, inFlightValues, unpulled }: MergeSides,
  field: keyof InterventionFields,
): Comparison {
  const here = local[field];
  const known = base[field] === undefined ? agreed[field] : base[field];
  // A field missing from the centre's response is unchanged.
  const there = upstream[field] === undefined ? known : upstream[field];
  const thereChanged = !same(there, known) || unpulled?.includes(field) === true;
  const isInFlight = thereChanged && (inFlightValues[field] ?? []).some((value) => same(value, there));
  const [isSame, hereChanged] = [same(here, there), !same(here, agreed[field])];
  return { here, there, known, isSame, hereChanged, thereChanged, isInFlight };
}

/** Whether the centre's value has changed since it was last read. */
export function isNewThere(
  { base, upstream }: Pick<MergeSides, "base" | "upstream">,
  field: string,
): boolean {
  return upstream[field] !== undefined && !same(upstream[field], base[field]);
}

function winner(field: string, here: unknown, there: unknown): "here" | "there" {
  if (field === "status")
    return STATUS_ORDER.indexOf(String(here)) >= STATUS_ORDER.indexOf(String(there)) ? "here" : "there";
  return DISPATCHER_OWNED_FIELDS.has(field) ? "there" : "here";
}

/** Null, an empty text and a missing value count as equal. */
function same(one: unknown, other: unknown): boolean {
  return one === other || ((one ?? "") === "" && (other ?? "") === "");
}

/** The in-flight values with those of one more update. */
export function withInFlightValues(
  inFlightValues: InFlightValues,
  values: Partial<InterventionFields>,
): InFlightValues {
  const added = Object.entries(values).map(([field, value]): [string, readonly unknown[]] => [
    field,
    [...(inFlightValues[field] ?? []).filter((earlier) => earlier !== value), value].slice(
      -IN_FLIGHT_VALUES_MAX,
    ),
  ]);
  return { ...inFlightValues, ...Object.fromEntries(added) };
}

/** Maximum number of in-flight values per field: more updates than can be unconfirmed in a quarter of an hour. */
const IN_FLIGHT_VALUES_MAX = 50;
