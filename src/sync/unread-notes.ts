import { isZoneLine } from "../domain/incident-notes.ts";
import { addedLines, isCutOff, linesOf, missingLines } from "../domain/kept-lines.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { hasUnsentTrip, type OutboxEntry } from "../domain/outbox.ts";
import { FIRST_REV } from "../store/interventions.ts";
import type { SyncContext } from "./context.ts";
import type { PutStep } from "./linked-step.ts";

/*
 * A centre that cuts notes may answer a write without them, or with the request itself: only a read shows what it has stored. Until
 * then the record as last known has more fields, with the lines of trips that nothing from the centre has shown yet.
 */

const UNREAD_LINES = "unreadLines";
const UNREAD_EARLIER_LINES = "unreadEarlierLines";

type StoreContext = Pick<SyncContext, "store">;

/** Lines of trips that must not be lost if the centre cuts notes. */
export interface TripLines {
  /** Those of trips that join with the update: the centre is not yet known to have or to lack them. */
  readonly joined: readonly string[];
  /** Those that the centre had before the update, which may push them out. */
  readonly earlier: readonly string[];
}

/** What a read shows of notes that the centre has cut. */
export interface CutNotes {
  /** The notes as sent, without our marker. */
  readonly sent: string;
  readonly lines: TripLines;
}

/** A record as sent, whose notes no read has shown. */
export function asUnreadNotes(record: UpstreamRecord, { joined, earlier }: TripLines): UpstreamRecord {
  return { ...record, [UNREAD_LINES]: joined, [UNREAD_EARLIER_LINES]: earlier };
}

/** The lines of trips in the notes of a record that no read has shown; undefined if one has. */
export function unreadLinesOf(base: string | null): TripLines | undefined {
  const record = JSON.parse(base ?? "{}") as Readonly<Record<string, readonly string[] | undefined>>;
  const joined = record[UNREAD_LINES];
  // A record from before the second field has only the first.
  return joined && { joined, earlier: record[UNREAD_EARLIER_LINES] ?? [] };
}

/**
 * The zones' lines that the centre has.
 * @param agreed the local notes when both sides last agreed
 * @param shown the centre's notes at that time
 */
export function zoneLinesThere(agreed: string | null, shown: unknown): readonly string[] {
  const missing = missingLines(agreed, shown ?? null);
  return linesOf(agreed ?? "").filter((line) => isZoneLine(line) && !missing.includes(line));
}

/** The lines of trips that an update may lose. */
export function tripLinesOf(entry: OutboxEntry, { added, earlier }: PutStep["lines"]): TripLines {
  return { joined: hasUnsentTrip(entry) ? added : [], earlier };
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
  return JSON.stringify(asUnreadNotes(answered, { joined: joinedLinesOf(context, entry), earlier: [] }));
}

/** The lines of trips that are unread after the answer to an update; undefined if it shows what the centre has stored. */
export function unreadAfterPut(
  context: StoreContext,
  entry: OutboxEntry,
  { body, lines }: PutStep,
  answered: UpstreamRecord,
): TripLines | undefined {
  const unread = unreadLinesOf(entry.base);
  if (body.notes === undefined) return unread;
  if (isStored(context, answered["notes"], body.notes)) return undefined;
  return both(unread, tripLinesOf(entry, lines));
}

/** Lines of trips that are unread, and further ones. */
export function both(unread: TripLines | undefined, { joined, earlier }: TripLines): TripLines {
  return {
    joined: [...(unread?.joined ?? []), ...joined],
    earlier: [...new Set([...(unread?.earlier ?? []), ...earlier])],
  };
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
  const known = store.unmarked(JSON.parse(entry.base ?? "{}") as UpstreamRecord, uid);
  // Notes that no read has shown are not those that the centre had.
  const earlier = unread ? [] : zoneLinesThere(agreed.notes, known["notes"]);
  return {
    sent,
    lines: both(unread, tripLinesOf(entry, { added: addedLines(agreed.notes, sent), earlier })),
  };
}
