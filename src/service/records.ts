import { AppError } from "../domain/errors.ts";
import {
  changedFields,
  type Intervention,
  type InterventionCreate,
  type InterventionFields,
} from "../domain/intervention.ts";
import type { ObjectiveRef } from "../domain/objective.ts";
import type { Principal } from "../domain/principal.ts";
import { validateInterventionUpdate } from "../generated/validators.js";
import type { ListPage } from "../store/intervention-lists.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { validated } from "./validation.ts";

/** The key of a request and the hash of its body. */
export interface IdempotencyKey {
  readonly key: string;
  readonly fingerprint: string;
}

/** A created record, or the one that an earlier request with the same key has created. */
export interface CreatedRecord {
  /** For 30 days as in the first response, afterwards as it is. */
  readonly record: Intervention;
  /** The revision of these fields. */
  readonly rev: number;
  readonly replayed: boolean;
}

/** The revisions of a record for which a request is meant. */
export interface Preconditions {
  /** The If-Match header (RFC 9110, 13.1.1); undefined for any revision. */
  readonly ifMatch?: string | undefined;
  /** The If-None-Match header (RFC 9110, 13.1.2): the request is only for a record that has none of its tags. */
  readonly ifNoneMatch?: string | undefined;
}

/** A requested change of a record. */
export interface ChangeRequest extends Preconditions {
  /** The body, which is not validated yet: a missing record and an older revision are reported first. */
  readonly body: unknown;
  /** Whether a trip joined the record, so that it must be sent whatever its state at the centre. */
  readonly hasTripJoined?: boolean;
}

/**
 * Reads and writes interventions: what the routes call, in whatever thread or database the records are. Every write is
 * resolved once it is durable. Arguments and results are plain data.
 */
export interface Records {
  /**
   * Creates a record from a validated body.
   * @param idempotency a repeated request with the same key creates nothing for 30 days, and after that as long as its record exists
   * @throws AppError `invalid` (dates), `not-found` (objective), `key-reused` (other body), `unavailable` (full disk)
   */
  create(
    body: InterventionCreate,
    principal: Principal,
    idempotency?: IdempotencyKey,
  ): Promise<CreatedRecord>;
  /**
   * @param reference of the record, as it is in its notes: it proves that the account of a site has known a record that it may no
   *   longer use
   * @throws AppError `not-found`, with the reason `deleted` for a record that was deleted, and `out-of-scope` for one that exists
   */
  get(id: number, reference?: string): Promise<StoredIntervention>;
  /** A record, or the tombstone of a deleted one; undefined if there is neither. */
  find(id: number): Promise<StoredIntervention | undefined>;
  /**
   * Reads a slice of a list.
   * @param signal aborted when the list is no longer needed
   * @throws AppError `unavailable` if it cannot be read now; `invalid` if it takes too long
   */
  page(query: InterventionQuery, signal: AbortSignal): Promise<ListPage>;
  /**
   * Changes the fields of the body and no others; an invalid field changes nothing. For the account of a site, a foreign record or
   * objective is missing.
   * @throws AppError `not-found` (record or objective), `precondition-failed`, `invalid`
   */
  change(id: number, request: ChangeRequest, principal: Principal): Promise<StoredIntervention>;
  /**
   * Deletes a record permanently. For the account of a site, a foreign one is missing.
   * @param match undefined for any revision
   * @throws AppError `not-found`, `precondition-failed`
   */
  remove(id: number, match: Preconditions | undefined, principal: Principal): Promise<Intervention>;
}

/**
 * Decides a change from the newest revision, without effects, so that every database calls it where it must: inside its
 * transaction.
 * @returns the fields to change
 * @throws AppError `precondition-failed`, `invalid`
 */
export function decideChange(
  newest: StoredIntervention,
  { body, ...match }: ChangeRequest,
): Partial<InterventionFields> {
  assertMatch(newest, match);
  return changedFields(validated(validateInterventionUpdate, body));
}

/**
 * The objective that a change moves a record to, which has to exist.
 * @param merged the record with the changes
 * @returns undefined if the objective stays
 * @throws AppError `invalid` for another type with the same id, which would be a different objective
 */
export function newObjectiveOf(
  current: InterventionFields,
  merged: InterventionFields,
  changes: Partial<InterventionFields>,
): ObjectiveRef | undefined {
  const { objectiveType: type, objectiveId: id } = merged;
  if (changes.objectiveId === undefined && type !== current.objectiveType)
    throw new AppError("invalid", "objectiveType cannot change without objectiveId");
  return type === current.objectiveType && id === current.objectiveId ? undefined : { type, id };
}

/**
 * A record that exists.
 * @param stored the record or its tombstone
 * @throws AppError `not-found`; the reason tells a deletion from a record that this database never had or has lost
 */
export function existing(id: number, stored: StoredIntervention | undefined): StoredIntervention {
  if (stored?.deleted === false) return stored;
  throw new AppError("not-found", `intervention ${id} does not exist`, stored ? { reason: "deleted" } : {});
}

/** The error of a record that names no known objective. */
export function unknownObjective({ type, id }: ObjectiveRef): AppError {
  return new AppError("not-found", `objective ${id} does not exist in ${type}`);
}

/** The entity tag of a revision. Strong, as required by If-Match (RFC 9110 13.1.1). */
export function etagOf(rev: number): string {
  return `"${versionOf(rev)}"`;
}

/** What the entity tag of a revision has within its quotes. */
export function versionOf(rev: number): string {
  return String(rev);
}

/** Entity tags in a list, weak or strong (RFC 9110, 8.8.3). */
const TAGS = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** Whether an If-None-Match header (RFC 9110, 13.1.2) names a version: then the client has it already. Undefined names none. */
export function isKnown(ifNoneMatch: string | undefined, version: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === "*" || [...ifNoneMatch.matchAll(TAGS)].some(([, tag]) => tag === version);
}

/** Whether an If-Match header (RFC 9110, 13.1.1) allows a change of what has this entity tag; undefined allows any. */
export function isMatch(ifMatch: string | undefined, etag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === "*") return true;
  return ifMatch.split(",").some((tag) => tag.trim() === etag);
}

/** @throws AppError `precondition-failed` */
export function assertMatch(
  { record, rev }: StoredIntervention,
  { ifMatch, ifNoneMatch }: Preconditions = {},
): void {
  if (!isMatch(ifMatch, etagOf(rev)))
    throw new AppError(
      "precondition-failed",
      `intervention ${record.id} has changed since it was read; read it again`,
    );
  if (isKnown(ifNoneMatch, versionOf(rev)))
    throw new AppError("precondition-failed", `intervention ${record.id} exists with this entity tag`);
}
