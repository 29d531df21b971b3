import { createHash } from "node:crypto";
import { fieldsOf, instantsOf, type InterventionFields } from "../domain/intervention.ts";
import { referenceTo } from "../domain/intervention-text.ts";
import { linesOf, wordsOf } from "../domain/kept-lines.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { priorityOrderOf, type OutboxEntry } from "../domain/outbox.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import type { SyncContext } from "./context.ts";
import type { PutStep } from "./linked-step.ts";
import { both, joinedLinesOf, tripLinesOf, unreadLinesOf, type TripLines } from "./unread-notes.ts";

/**
 * Creates a record for lines of the notes that the dispatch centre's notes have no room for: what has joined a record is never
 * dropped. It names the first one. Call it in the transaction that takes the lines out of the first record.
 * @param first the record that the lines are from, as it is now
 * @param lines its lines that are left over
 * @param isAlarm whether a trip may be among them: then it is planned with the services of the first, otherwise a mere note
 * @param refusedSinceMs wall clock since which the centre has refused the lines, milliseconds since 1970; null if it has not: then a
 *   centre that refuses the new record too is not asked for ten more minutes before its lines are divided again
 */
export function continueRecord(
  { store, clock, timezone, locale }: Pick<SyncContext, "store" | "clock" | "timezone" | "locale">,
  { record, uid, rev, createdBy }: StoredIntervention,
  lines: string,
  isAlarm: boolean,
  refusedSinceMs: number | null = null,
): void {
  const newUid = uidOf(uid, rev, lines);
  // The lines stay in the first record if its text at the centre is not valid here.
  if (store.interventions.findByUid(newUid)) return;
  const fields: InterventionFields = {
    ...fieldsOf(record),
    description: referenceTo(record, locale),
    notes: lines,
    dateEnd: null,
    ...(isAlarm ? { status: "planned" } : { crews: 1, police: false, ambulance: false, firetruck: false }),
  };
  const stored = store.interventions.insert({
    uid: newUid,
    fields,
    // The start is known already.
    instants: instantsOf(fields, timezone, {}),
    dispeceratId: record.dispeceratId,
    createdBy,
    nowMs: clock.wallMs(),
  });
  const { id } = stored.record;
  store.outbox.insert(id, priorityOrderOf(fields.priority));
  // Its lines count as those of trips that have joined it, so that what is cut off this record is continued too.
  if (isAlarm)
    store.outbox.save({
      ...store.entry(id),
      joinedRev: stored.rev,
      joinedAtMs: refusedSinceMs ?? clock.wallMs(),
    });
  const event = { event: "intervention-created", who: "sync" } as const;
  store.recordEvent(event, id, { after: stored.record });
}

/**
 * Creates a record for the lines of trips that the centre has cut off the notes of an update, or that the update has pushed out. What
 * is cut off that record is continued in the same way, if the centre has kept one of its lines: one that keeps no line would get a
 * record for each of them.
 */
export function continueCutLines(
  context: SyncContext,
  entry: OutboxEntry,
  { body, local, lines }: PutStep,
  answered: UpstreamRecord,
): void {
  if (body.notes === undefined) return;
  const { store, syncConditions } = context;
  const sent = store.unmarked({ notes: body.notes }, local.uid).notes;
  const stored = store.unmarked(answered, local.uid)["notes"];
  const lost = syncConditions.noteNotes(entry.interventionId, sent, stored);
  // With those that no read has shown yet: this response shows whether they are there.
  const trips = both(unreadLinesOf(entry.base), tripLinesOf(entry, lines));
  continueCut(context, local, { sent, stored, lost }, trips);
}

/**
 * The same for the lines of trips that had joined the record before its POST.
 * @param entry before the answer
 */
export function continueCutPost(context: SyncContext, entry: OutboxEntry, answered: UpstreamRecord): void {
  const { store, syncConditions } = context;
  const first = store.record(entry.interventionId);
  const notesOf = (record: UpstreamRecord): unknown => store.unmarked(record, first.uid)["notes"];
  const sent = notesOf(store.sentOf(entry));
  const stored = notesOf(answered);
  const lost = syncConditions.noteNotes(entry.interventionId, sent, stored);
  continueCut(context, first, { sent, stored, lost }, { joined: joinedLinesOf(context, entry), earlier: [] });
}

/** Notes that the centre has cut, without our marker. */
interface Cut {
  readonly sent: unknown;
  readonly stored: unknown;
  /** The lines of `sent` that are missing in `stored`. */
  readonly lost: readonly string[];
}

/**
 * Creates a record for lines of trips that the centre has cut off the notes of another one. If those are all of its lines, the
 * centre would cut them off the next record too: only the condition is raised. Lines that the centre had before are a mere note if
 * no trip has joined: a restore calls no crew.
 */
export function continueCut(
  context: SyncContext,
  first: StoredIntervention,
  { sent, stored, lost }: Cut,
  { joined, earlier }: TripLines,
): void {
  const whole = wordsOf(typeof stored === "string" ? stored : "");
  const pushedOut = earlier.filter((line) => !whole.includes(wordsOf(line)));
  // A restore has made a line longer.
  const isOlder = (line: string): boolean => pushedOut.some((older) => line.startsWith(older));
  const cut = lost.filter((line) => joined.includes(line) || isOlder(line));
  const isSame =
    typeof sent === "string" && linesOf(sent).every((line) => lost.includes(line) && joined.includes(line));
  if (cut.length > 0 && !isSame) continueRecord(context, first, cut.join("\n"), joined.length > 0);
}

/** A UUID, as the references of records at the centre require; derived, so that a simulation can be repeated. */
function uidOf(uid: string, rev: number, lines: string): string {
  const hash = createHash("sha256").update(`${uid}/${rev}/${lines}`).digest("hex");
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, at) => hash.slice(ends[at - 1] ?? 0, end)).join("-");
}
