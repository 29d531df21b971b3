import type { MergeConflict } from "../domain/conflict.ts";
import { fieldsOf, type InterventionFields } from "../domain/intervention.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { asUnreadNotes, type TripLines } from "./unread-notes.ts";

/** The update to send for a linked record. */
export type PutStep = Extract<Step, { kind: "put" }>;

/** The request to send for a linked record. */
export type Step =
  | {
      readonly kind: "put";
      readonly body: Partial<InterventionFields>;
      readonly local: StoredIntervention;
      /** The record as read before the update. */
      readonly shown: UpstreamRecord;
      /** Entity tag of the record as read. */
      readonly tag: string | undefined;
      /** Lines of the local notes that are new in this update, and those of zones that the centre had before. */
      readonly lines: { readonly added: readonly string[]; readonly earlier: readonly string[] };
      /** The values of earlier updates that may still arrive. */
      readonly earlier: Pick<OutboxEntry, "inFlightValues" | "inFlightUntilMs">;
    }
  | { readonly kind: "delete" };

/**
 * The record as known after an update: the sent fields from the response, the others as read before. Changes
 * made in between are found by the next read.
 */
function knownOf({ body, shown }: PutStep, answered: UpstreamRecord): UpstreamRecord {
  const sent = Object.keys(body).map((field) => [
    field,
    answered[field] === undefined ? shown[field] : answered[field],
  ]);
  const known = { ...answered, ...shown, ...Object.fromEntries(sent) };
  // If the centre does not reopen a finished record, the next read treats that as the dispatcher's change and
  // pulls it.
  const staysDone = body.status !== undefined && body.status !== "done" && answered["status"] === "done";
  return staysDone ? { ...known, status: body.status } : known;
}

/**
 * The changes of an entry after an update. If a dispatcher has set the record done between its read and an update that brings
 * a trip, the trip was not known to the dispatcher: the record's former status is sent again.
 * @param unreadLines lines of trips that no read has shown; undefined if the answer shows what the centre has stored of the notes
 */
export function afterUpdate(
  step: PutStep,
  answered: UpstreamRecord,
  { joinedRev, syncedRev }: Pick<OutboxEntry, "joinedRev" | "syncedRev">,
  unreadLines?: TripLines,
): { readonly changes: Partial<OutboxEntry>; readonly conflicts: readonly MergeConflict[] } {
  const { body, shown, local } = step;
  const known = knownOf(step, answered);
  const base = unreadLines ? asUnreadNotes(known, unreadLines) : known;
  const agreed = fieldsOf(local.record);
  const { status: here } = agreed;
  const isClosed = body.status === undefined && answered["status"] === "done" && shown["status"] !== "done";
  if (!isClosed || here === "done" || joinedRev <= syncedRev)
    return {
      changes: { base: JSON.stringify(base), agreed: JSON.stringify(agreed), syncedRev: local.rev },
      conflicts: [],
    };
  const there = { status: "done" };
  return {
    changes: {
      base: JSON.stringify({ ...base, ...there }),
      agreed: JSON.stringify({ ...agreed, ...there }),
      syncedRev: local.rev - 1,
    },
    conflicts: [{ field: "status", here, there: "done", kept: "here" }],
  };
}
