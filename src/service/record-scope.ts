import { AppError } from "../domain/errors.ts";
import type { Intervention } from "../domain/intervention.ts";
import { markersIn, uuidIn } from "../domain/marker.ts";
import { isMarkedAs } from "../domain/match-candidate.ts";
import type { ObjectiveRef } from "../domain/objective.ts";
import { isOwnObjective, type Principal } from "../domain/principal.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { unknownObjective } from "./records.ts";

/*
 * The account of a site may use the records at its objectives and those that it has created. Any other is reported as missing, so
 * that it learns nothing and its sync waits as for an objective that does not exist. A change decides this from the revision that it
 * changes: a dispatcher may just have moved the record to another site.
 */

/**
 * A record as an account sees it.
 * @param stored the record or its tombstone
 * @returns undefined for a foreign one: its tombstone is none either
 */
export function seenBy(
  principal: Principal,
  stored: StoredIntervention | undefined,
): StoredIntervention | undefined {
  if (stored === undefined || principal.site === undefined) return stored;
  const isCreator = stored.createdBy === principal.accountId;
  return isCreator || isOwnObjective(principal, objectiveOf(stored.record)) ? stored : undefined;
}

/**
 * Whether a reference proves that its sender has known a record: its number says nothing, because numbers are consecutive, but
 * the UUID cannot be guessed.
 */
export function isProvedBy(stored: StoredIntervention | undefined, reference: string | undefined): boolean {
  if (stored === undefined || reference === undefined) return false;
  // A part of one would find any text of the record.
  const isWhole = markersIn({ notes: reference })[0] === reference && uuidIn(reference) !== undefined;
  return isWhole && isMarkedAs({ ...stored.record }, reference);
}

/** The error of a record that the account may not use and has known: a site must not take it for a lost one. */
export function outOfScope({ record: { id } }: StoredIntervention): AppError {
  return new AppError("not-found", `intervention ${id} does not exist`, { reason: "out-of-scope" });
}

/** @throws AppError `not-found` for an objective that the account may not use */
export function assertUsable(principal: Principal, ref: ObjectiveRef): void {
  if (principal.site !== undefined && !isOwnObjective(principal, ref)) throw unknownObjective(ref);
}

function objectiveOf({ objectiveType: type, objectiveId: id }: Intervention): ObjectiveRef {
  return { type, id };
}
