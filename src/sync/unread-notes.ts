import { addedLines, isCutOff, linesOf } from "../domain/kept-lines.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { hasUnsentTrip, type OutboxEntry } from "../domain/outbox.ts";
import { FIRST_REV } from "../store/interventions.ts";
import type { SyncContext } from "./context.ts";
import type { PutStep } from "./linked-step.ts";

/*
 * A centre that cuts notes may answer a write without them, or with the request itself: only a read shows what it has stored. Until
 * then the record as last known has one more field, with the lines of trips that nothing from the centre has shown yet.
 */

const UNREAD_LINES = "unreadLines";

type StoreContext = Pick<SyncContext, "store">;

/** What a read shows of notes that the centre has cut. */
export interface CutNotes {
  /** The notes as sent, without our marker. */
  readonly sent: string;
  /** The lines of trips among them that the centre was not yet known to have or to lack. */
  readonly lines: readonly string[];
}

/** A record as sent, whose notes no read has shown. @param lines those of trips that have joined */
export function asUnreadNotes(record: UpstreamRecord, lines: readonly string[]): UpstreamRecord {
  return { ...record, [UNREAD_LINES]: lines };
}

/** The lines of trips in the notes of a record that no read has shown; undefined if one has. */
export function unreadLinesOf(base: string | null): readonly string[] | undefined {
  return (JSON.parse(base ?? "{}") as UpstreamRecord)[UNREAD_LINES] as readonly string[] | undefined;
}

/**
 * The lines of trips that have joined a record before its POST: all lines of one that continues another, whose trips have joined
 * that one, and those after the first of any other.
 */
export function joinedLinesOf({ store }: StoreContext, entry: OutboxEntry): readonly string[] {
  const { notes } = store.unmarked(store.sentOf(entry), store.record(entry.interventionId).uid);
  if (!hasUnsentTrip(entry) || typeof notes !== "string") return [];
  const isContinuation = entry.joinedRev === FIRST_REV;
  return linesOf(notes).slice(isContinuation ? 0 : 1);
}

/**
 * The record in the answer to a POST. Notes that it shows in another way than they were sent are what the centre has stored.
 * @param json the record
 */
export function answeredToPost(context: StoreContext, entry: OutboxEntry, json: string): string {
  const { store } = context;
  const answered = JSON.parse(json) as UpstreamRecord;
  if (isStored(context, answered["notes"], store.sentOf(entry)["notes"])) return json;
  return JSON.stringify(asUnreadNotes(answered, joinedLinesOf(context, entry)));
}

/** The lines of trips that are unread after the answer to an update; undefined if it shows what the centre has stored. */
export function unreadAfterPut(
  context: StoreContext,
  entry: OutboxEntry,
  { body, added }: PutStep,
  answered: UpstreamRecord,
): readonly string[] | undefined {
  const earlier = unreadLinesOf(entry.base);
  if (body.notes === undefined) return earlier;
  if (isStored(context, answered["notes"], body.notes)) return undefined;
  return [...(earlier ?? []), ...(hasUnsentTrip(entry) ? added : [])];
}

/** Santinela cuts nothing. */
function isStored({ store }: StoreContext, answered: unknown, sent: unknown): boolean {
  return store.facts.reportsDeletions || (answered !== undefined && answered !== sent);
}

/**
 * Whether a read shows that the centre has cut the notes that were last sent, so that they are not a dispatcher's change: those of
 * an update without a useful answer, or of a write that no read has followed.
 * @returns undefined if not
 */
export function cutNotesOf(
  { store }: StoreContext,
  entry: OutboxEntry,
  uid: string,
  seen: UpstreamRecord,
): CutNotes | undefined {
  const unread = unreadLinesOf(entry.base);
  const agreed = store.agreedOf(entry, uid);
  const inFlight = entry.inFlightValues["notes"] ?? [];
  const isCut = (text: unknown): text is string => {
    const { notes } = store.outgoing({ ...agreed, notes: text as string }, uid);
    return typeof text === "string" && isCutOff(notes, seen["notes"], store.facts.cutNotes?.kept);
  };
  if (unread && isCut(agreed.notes)) return { sent: agreed.notes, lines: unread };
  const sent = inFlight.findLast(isCut);
  if (sent === undefined) return undefined;
  const lines = hasUnsentTrip(entry) ? addedLines(agreed.notes, sent) : [];
  return { sent, lines: [...(unread ?? []), ...lines] };
}
