import type { CentreTraits, TraitCode, TraitValues } from "./centre-trait.ts";
import { newIntervention, type InterventionFields } from "./intervention.ts";
import type { UpstreamRecord } from "./merge.ts";
import type { ObjectiveType } from "./objective.ts";

/*
 * A test record shows how a centre treats records. It is identified by its name, which holds the site and a UUID: the texts
 * are what is tested, so their markers may be lost.
 */

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";

function nameOf(siteRef: string, key: string): string {
  return `Santinela test ${siteRef} ${key}`;
}

/**
 * The moment at which a test record of this site was made.
 * @returns milliseconds since 1970; undefined for every other record
 */
export function testRecordMs({ name }: UpstreamRecord, siteRef: string): number | undefined {
  const start = nameOf(siteRef, "");
  if (typeof name !== "string" || !name.startsWith(start)) return undefined;
  const key = name.slice(start.length);
  return new RegExp(`^${UUID}$`).test(key)
    ? Number.parseInt(key.slice(0, 13).replace("-", ""), 16)
    : undefined;
}

/** `~` is in no site's reference, so this is the marker of no other record. */
export function testMarkerOf(siteRef: string, key: string): string {
  return `[ref:${siteRef}~${key}]`;
}

/** Longer than the 255 characters that databases commonly give a text. */
const TEXT_CHARACTERS = 1_000;
const WORDS = "Test record of an alarm site. It may be deleted. ";

/**
 * What is sent: finished and of low priority, so that no dispatcher sends a crew. Notes end in the marker, as a record's do, and in
 * spaces before it; the description ends in it as well.
 * @param key a UUID of version 7
 */
export function testRecord(siteRef: string, key: string, objective: TestObjective): InterventionFields {
  const marker = testMarkerOf(siteRef, key);
  const text = WORDS.repeat(Math.ceil(TEXT_CHARACTERS / WORDS.length)).slice(
    0,
    TEXT_CHARACTERS - marker.length - 1,
  );
  return newIntervention({
    ...objective,
    name: nameOf(siteRef, key),
    description: `${text}\n${marker}`,
    // A centre that trims removes the last space and keeps the rest.
    notes: `${text}\n${marker} `,
    dateStart: "2026-01-15T10:00:00Z",
    status: "done",
    priority: "low",
    type: "other",
  });
}

export type TestObjective = Pick<InterventionFields, "objectiveType" | "objectiveId">;

/** What test records are tied to: the first zone's objective. */
export function objectiveOf(
  zones: readonly { readonly objective: { readonly type: ObjectiveType; readonly id: number } }[],
): TestObjective | undefined {
  const [first] = zones;
  return first && { objectiveType: first.objective.type, objectiveId: first.objective.id };
}

/** What the centre has made of the two texts, and the one in which the marker survives; null where it is in neither. */
export function textTrait(
  { notes: sent }: InterventionFields,
  { notes, description }: UpstreamRecord,
  marker: string,
): { marker: CentreTraits["marker"]; code: TraitCode; values: TraitValues } {
  const text = sent ?? "";
  const kept = typeof notes === "string" ? notes : "";
  const values = { sent: [...text].length, kept: [...kept].length };
  if (kept.includes(marker))
    return { marker: "notes", code: kept === text ? "text-kept" : "text-trimmed", values };
  if (typeof description !== "string" || !description.includes(marker))
    return { marker: null, code: "reference-lost", values };
  return { marker: "description", code: text.startsWith(kept) ? "text-cut" : "text-rewritten", values };
}
