import { INTERVENTION_FIELDS, type InterventionFields } from "./intervention.ts";
import { NOTES_LENGTH_MAX } from "./incident-notes.ts";
import type { InFlightValues } from "./outbox.ts";

/** A record as the centre shows it: whatever it answers, of which only known fields are looked at. */
export type UpstreamRecord = Readonly<Record<string, unknown>>;

/** The three versions that meet when a record has changed on either side. */
export interface MergeSides {
  readonly local: InterventionFields;
  /** What was here when both sides last agreed. */
  readonly agreed: InterventionFields;
  /** What the centre showed then. A centre may write the same value in another way, so each side has its own past. */
  readonly base: UpstreamRecord;
  /** What the centre shows now, without the marker. */
  readonly upstream: UpstreamRecord;
  /** Values of ours that may have arrived late. */
  readonly inFlightValues: InFlightValues;
  /** Whether a trip has joined here that the centre does not know: then its record is not done. */
  readonly hasTripJoined?: boolean;
}

export interface Merged {
  /** To be sent to the centre. */
  readonly push: Partial<InterventionFields>;
  /** To be written here. */
  readonly applyLocally: Partial<InterventionFields>;
  /** Changed on both sides, with who was followed. */
  readonly conflicts: readonly MergeConflict[];
}

export interface MergeConflict {
  readonly field: string;
  readonly here: unknown;
  readonly there: unknown;
  readonly kept: "here" | "there";
}

/** Fields that the dispatcher decides when both sides have changed them: who goes, and when. */
const DISPATCHER_OWNED_FIELDS: ReadonlySet<string> = new Set([
  "dateStart",
  "dateEnd",
  "crews",
  "police",
  "ambulance",
  "firetruck",
]);
const STATUS_ORDER = ["planned", "in_progress", "done"];

/**
 * Merges field by field: what only one side has changed is that side's, what both have changed is the dispatcher's for
 * the crews and times, the further one for the status, and ours for the words. A dispatcher who sets a record done does
 * not mean the trip that has joined it here meanwhile: it is open again. The notes are merged by lines: a dispatcher
 * writes there while zones open and close.
 */
export function merge(sides: MergeSides): Merged {
  const { agreed } = sides;
  const push: Record<string, unknown> = {};
  const applyLocally: Record<string, unknown> = {};
  const conflicts: MergeConflict[] = [];
  for (const field of INTERVENTION_FIELDS) {
    const { here, there, hereChanged, thereChanged, isInFlight } = compare(sides, field);
    if (same(here, there)) continue;
    if (isInFlight || (hereChanged && !thereChanged)) push[field] = here;
    else if (thereChanged && !hereChanged) applyLocally[field] = there;
    else if (thereChanged && hereChanged) {
      const both = field === "notes" ? mergedLines(agreed.notes, here, there) : undefined;
      if (both !== undefined) {
        push[field] = both;
        applyLocally[field] = both;
        continue;
      }
      const kept = winner(field, here, there);
      if (kept === "here") push[field] = here;
      else applyLocally[field] = there;
      conflicts.push({ field, here, there, kept });
    }
  }
  return reopened(sides, { push, applyLocally, conflicts });
}

/** A dispatcher who has set a record done did not mean a trip that its notes there do not show yet. */
function reopened({ local, upstream, hasTripJoined }: MergeSides, merged: Merged): Merged {
  const { push, applyLocally, conflicts } = merged;
  const isUnseen = push.notes !== undefined && !same(push.notes, upstream["notes"]);
  if (hasTripJoined !== true || !isUnseen || applyLocally.status !== "done") return merged;
  const { status: there, ...rest } = applyLocally;
  const { status: here } = local;
  return {
    push: { ...push, status: here },
    applyLocally: rest,
    conflicts: [
      ...conflicts.filter(({ field }) => field !== "status"),
      { field: "status", here, there, kept: "here" },
    ],
  };
}

function compare(
  { local, agreed, base, upstream, inFlightValues }: MergeSides,
  field: keyof InterventionFields,
) {
  const here = local[field];
  // A centre that leaves a field out of its answers says nothing about it.
  const there = upstream[field] === undefined ? base[field] : upstream[field];
  const thereChanged =
    there !== undefined && !same(there, base[field] === undefined ? agreed[field] : base[field]);
  const isInFlight = thereChanged && (inFlightValues[field] ?? []).some((value) => same(value, there));
  return { here, there, hereChanged: !same(here, agreed[field]), thereChanged, isInFlight };
}

/**
 * The text there with the lines that were changed here: a line that is no longer here is replaced by the one that came in
 * its turn, or goes; what came besides is added at the end.
 * @returns undefined for what are not texts, and where both together have no room
 */
function mergedLines(agreed: unknown, here: unknown, there: unknown): string | undefined {
  if (typeof here !== "string" || typeof there !== "string") return undefined;
  const before = typeof agreed === "string" && agreed !== "" ? agreed.split("\n") : [];
  const now = here.split("\n");
  const gone = before.filter((line) => !now.includes(line));
  const came = now.filter((line) => !before.includes(line));
  const lines = there.split("\n").flatMap((line) => {
    if (!gone.includes(line)) return [line];
    const next = came.shift();
    return next === undefined ? [] : [next];
  });
  const merged = [...lines, ...came.filter((line) => !lines.includes(line))].join("\n");
  return [...merged].length <= NOTES_LENGTH_MAX ? merged : undefined;
}

function winner(field: string, here: unknown, there: unknown): "here" | "there" {
  if (field === "status")
    return STATUS_ORDER.indexOf(String(here)) >= STATUS_ORDER.indexOf(String(there)) ? "here" : "there";
  return DISPATCHER_OWNED_FIELDS.has(field) ? "there" : "here";
}

/** Null, an empty text and a missing one are the same to a person. */
function same(one: unknown, other: unknown): boolean {
  return one === other || ((one ?? "") === "" && (other ?? "") === "");
}

/** The inFlightValues with the values of one more update that may arrive late. */
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

/** Of one field, so many late values are remembered: more updates than a line loses in a quarter of an hour. */
const IN_FLIGHT_VALUES_MAX = 50;
