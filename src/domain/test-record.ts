import type { CentreTraits, TraitCode, TraitValues } from "./centre-trait.ts";
import { newIntervention, type InterventionFields } from "./intervention.ts";
import type { UpstreamRecord } from "./merge.ts";
import type { ObjectiveType } from "./objective.ts";

/*
 * A test record shows how a centre stores records. Its name contains the site and a UUID, because the markers in its texts
 * may be dropped.
 */

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";

function nameOf(siteRef: string, key: string): string {
  return `Santinela test ${siteRef} ${key}`;
}

/**
 * Creation time of a test record of this site.
 * @returns milliseconds since 1970; undefined for any other record
 */
export function testRecordMs({ name }: UpstreamRecord, siteRef: string): number | undefined {
  const start = nameOf(siteRef, "");
  if (typeof name !== "string" || !name.startsWith(start)) return undefined;
  const key = name.slice(start.length);
  return new RegExp(`^${UUID}$`).test(key)
    ? Number.parseInt(key.slice(0, 13).replace("-", ""), 16)
    : undefined;
}

/** A site reference cannot contain `~`, so this is not the marker of any other record. */
export function testMarkerOf(siteRef: string, key: string): string {
  return `[ref:${siteRef}~${key}]`;
}

/** Longer than the common database limit of 255 characters. */
const TEXT_CHARACTERS = 1_000;
const WORDS = "Test record of an alarm site. It may be deleted. ";

/**
 * The test record: done and of low priority, so that no crew is sent. Notes end with the marker and a space; the
 * description ends with the marker.
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

/** Objective of test records: that of the first zone. */
export function objectiveOf(
  zones: readonly { readonly objective: { readonly type: ObjectiveType; readonly id: number } }[],
): TestObjective | undefined {
  const [first] = zones;
  return first && { objectiveType: first.objective.type, objectiveId: first.objective.id };
}

/** How the centre stored the two texts, and the field that preserves the marker; null if none does. */
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
