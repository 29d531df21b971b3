import type { InterventionFields } from "../domain/intervention.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { StoredIntervention } from "../store/interventions.ts";

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
      /** The values of earlier updates that may still arrive. */
      readonly earlier: Pick<OutboxEntry, "inFlightValues" | "inFlightUntilMs">;
    }
  | { readonly kind: "delete" };

/**
 * The record as known after an update: the sent fields from the response, the others as read before. Changes
 * made in between are found by the next read.
 */
export function knownOf(
  { body, shown }: Extract<Step, { kind: "put" }>,
  answered: UpstreamRecord,
): UpstreamRecord {
  const sent = Object.keys(body).map((field) => [field, answered[field] ?? shown[field]]);
  const known = { ...answered, ...shown, ...Object.fromEntries(sent) };
  // If the centre does not reopen a finished record, the next read treats that as the dispatcher's change and
  // pulls it.
  const staysDone = body.status !== undefined && body.status !== "done" && answered["status"] === "done";
  return staysDone ? { ...known, status: body.status } : known;
}
