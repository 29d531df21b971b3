import type { EventDetail } from "./event.ts";

/**
 * What an entry `sync-conflict` of the event log is about, each as an English sentence before the number of the
 * intervention; the panel has the same in its catalogues.
 */
export const CONFLICT_SENTENCES = {
  fields: "The dispatch centre had changed the same data of intervention",
  "not-valid-here": "The dispatch centre has a value that is not valid here, in intervention",
  reopened: "After the dispatch centre had set it to done, a trip reopened intervention",
  rejected: "The dispatch centre rejected intervention",
  "change-rejected": "The dispatch centre rejected a change of intervention",
  "deletion-rejected": "The dispatch centre rejected the deletion of intervention",
  "other-record": "The dispatch centre responded with another record for intervention",
  deleted: "The dispatch centre deleted intervention",
  "deleted-when-done": "The dispatch centre deleted finished intervention",
  "deleted-or-lost": "The dispatch centre has deleted or lost intervention",
  "out-of-scope": "The account of the site may no longer use, at the dispatch centre, intervention",
  restored: "The dispatch centre was restored from a backup and had lost intervention",
  "sent-again": "Sent again after a new trip: intervention",
  linked: "Linked to a record at the dispatch centre that has no reference: intervention",
  unlinked: "The record at the dispatch centre is no longer that of intervention",
  "shown-again": "The dispatch centre again shows intervention",
  "deleted-again": "Deleted again after the dispatch centre had it again: intervention",
  copied: "The dispatch centre has a copy of intervention",
  duplicates: "The dispatch centre has duplicates, edited by dispatchers, of intervention",
} as const;

export type ConflictKind = keyof typeof CONFLICT_SENTENCES;

/** A field that both sides have changed. */
export interface MergeConflict {
  readonly field: string;
  readonly here: unknown;
  readonly there: unknown;
  readonly kept: "here" | "there";
}

/** What the conflicts of a merge are about. */
export function mergeConflictKind(conflicts: readonly MergeConflict[]): ConflictKind {
  // The status `done` of the centre loses only to a trip that has joined.
  return conflicts.some(({ field, there, kept }) => field === "status" && there === "done" && kept === "here")
    ? "reopened"
    : "fields";
}

/** What an entry is about. Those of earlier releases have no kind; it follows from their other details. */
export function conflictKind(detail: EventDetail): ConflictKind {
  const { conflict, fields, phase, code } = detail;
  if (typeof conflict === "string" && conflict in CONFLICT_SENTENCES) return conflict as ConflictKind;
  if (Array.isArray(fields)) return mergeConflictKind(fields as readonly MergeConflict[]);
  const reason = String(detail["reason"]);
  if (phase === "linked") return "linked";
  if (phase === "unsure") return "unlinked";
  if (phase === "rejected") return /responded with record \d/.test(reason) ? "other-record" : "rejected";
  if (phase === undefined) return reason.includes("has a copy") ? "copied" : "duplicates";
  if (code === undefined) return reason.includes("assigns ids again") ? "restored" : "sent-again";
  if (phase === "closed") return "deleted-when-done";
  return code === "NEWEST-MISSING" ? "deleted-or-lost" : "deleted";
}

/** Both values of the fields of a merge, and which of them was kept. */
export function conflictText({ fields }: EventDetail): string {
  if (!Array.isArray(fields)) return "";
  const texts = (fields as readonly MergeConflict[]).map(({ field, here, there, kept }) => {
    const [mine, theirs] = [
      `${shortValue(here)} of this site`,
      `${shortValue(there)} of the dispatch centre`,
    ];
    return `${field}: ${kept === "here" ? `${mine} kept, not ${theirs}` : `${theirs} kept, not ${mine}`}`;
  });
  return texts.join("; ");
}

/** A line of the log has several of them. */
const VALUE_LENGTH_MAX = 60;

function shortValue(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "null" : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
