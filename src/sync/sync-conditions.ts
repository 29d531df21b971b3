import { ALARM_RETRY_MS } from "../domain/backoff.ts";
import { missingLines } from "../domain/kept-lines.ts";
import { carriesMarker } from "../domain/match-candidate.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { DueEntries } from "../store/due-entries.ts";
import type { SyncContext } from "./context.ts";
import type { Link } from "./link.ts";
import { UNPROVED } from "./recovery/last-codes.ts";

/** How long a reassigned id is shown as a condition. */
const REASSIGNED_SHOWN_FOR_MS = 86_400_000;
/** After this time without a comparison it is reported: a list may fail for hours. */
const NOT_COMPARED_AFTER_MS = 86_400_000;
/** After this time an unconfirmed alarm is reported: a search would have found it by then. */
const UNPROVED_AFTER_MS = 30_000;
/** After this time an alarm that the centre does not accept is reported: as long as a rejected one is tried. */
const LATE_AFTER_MS = ALARM_RETRY_MS.reduce((sum, ms) => sum + ms, 0);

type SyncConditionsContext = Pick<SyncContext, "store" | "conditions" | "clock"> & {
  readonly due: DueEntries;
  readonly link: Pick<Link, "state">;
};

/** Raises and clears the conditions of the outbox and of the dispatch centre's habits. */
export class SyncConditions {
  readonly #context: SyncConditionsContext;
  /** Monotonic clock of the first comparison that failed since the last one that succeeded; undefined for none. */
  #notComparedSinceMs: number | undefined;
  /** Ids of the alarms that are reported as unconfirmed; each is until its record is found or created. */
  #unproved: readonly number[] = [];

  constructor(context: SyncConditionsContext) {
    this.#context = context;
  }

  /** Declares the lasting facts again, also for an event before a restart. */
  declareFacts(): void {
    this.#declareLostMarker();
    this.#declareCutNotes();
    this.declareReassignedId();
  }

  /**
   * Compares notes with what the dispatch centre has stored of them.
   * @param sent the notes as sent, without our marker
   * @param stored those of the response, likewise; undefined if it has none
   * @returns the lines that it has lost
   */
  noteNotes(interventionId: number, sent: unknown, stored: unknown): readonly string[] {
    const { facts } = this.#context.store;
    const lost = missingLines(sent, stored);
    const length = typeof sent === "string" ? [...sent].length : 0;
    const kept = typeof stored === "string" ? [...stored].length : 0;
    if (lost.length > 0) facts.noteCutNotes({ interventionId, sent: length, kept });
    // Only a text as long as the cut one shows that nothing is cut now.
    else if (stored !== undefined && length >= (facts.cutNotes?.sent ?? Number.POSITIVE_INFINITY))
      facts.noteCutNotes(null);
    this.#declareCutNotes();
    return lost;
  }

  /**
   * Compares a record with what the dispatch centre has stored of it: does it keep our marker?
   * @param outgoing the record as sent
   * @param record the record in the response
   */
  noteMarker(entry: OutboxEntry, outgoing: UpstreamRecord, record: UpstreamRecord): void {
    const { store } = this.#context;
    const { interventionId } = entry;
    const field = store.marker;
    if (field === "off") return;
    const sent = outgoing[field];
    const shown = record[field];
    // A response without the field proves nothing.
    if (typeof sent !== "string" || shown === undefined) return;
    const { facts } = store;
    const marker = store.markerSent(entry);
    const length = [...sent].length;
    const kept = typeof shown === "string" ? [...shown].length : 0;
    if (!carriesMarker(record, marker))
      facts.noteLostReference({ interventionId, field, sent: length, kept });
    // Only a text as long as the truncated one shows that nothing is cut now.
    else if (length >= (facts.lostReference?.sent ?? Number.POSITIVE_INFINITY)) facts.noteLostReference(null);
    this.#declareLostMarker();
  }

  /** Called when the dispatch centre has given an entry's id to another record. */
  noteReassignedId({ interventionId, upstreamId }: OutboxEntry): void {
    if (upstreamId === null) return;
    const { store, clock } = this.#context;
    store.facts.noteReassignedId({ interventionId, upstreamId, atMs: clock.wallMs() });
    this.declareReassignedId();
  }

  declareReassignedId(): void {
    const { store, clock, conditions } = this.#context;
    const last = store.facts.reassignedId;
    const isShown = last !== null && Math.abs(clock.wallMs() - last.atMs) <= REASSIGNED_SHOWN_FOR_MS;
    if (!isShown) return conditions.clear("upstream-ids-given-again");
    const { interventionId, upstreamId } = last;
    conditions.raise("upstream-ids-given-again", { interventionId, upstreamId });
  }

  /**
   * Called after each comparison with the list of the dispatch centre.
   * @param failure code of the read that has failed; undefined if the list was complete
   */
  noteComparison(failure: string | undefined): void {
    const { clock, conditions } = this.#context;
    if (failure === undefined) {
      this.#notComparedSinceMs = undefined;
      conditions.clear("upstream-list-too-large");
      conditions.clear("upstream-list-postponed");
      return conditions.clear("upstream-not-compared");
    }
    this.#notComparedSinceMs ??= clock.monotonicMs();
    if (clock.monotonicMs() - this.#notComparedSinceMs >= NOT_COMPARED_AFTER_MS)
      conditions.raise("upstream-not-compared", { code: failure });
  }

  /** Declares the records that do not reach the dispatch centre. */
  declareRejections(): void {
    const { store, due, clock, conditions } = this.#context;
    const sentBeforeMs = clock.wallMs() - UNPROVED_AFTER_MS;
    const unproved = due.unprovedAlarms([...UNPROVED], sentBeforeMs, this.#unproved);
    this.#unproved = unproved;
    const [first] = unproved;
    if (first)
      conditions.raise("upstream-alarm-unproved", { interventionId: first, alarms: unproved.length });
    else conditions.clear("upstream-alarm-unproved");
    const { blocked, rejected, gone, rejectedAlarms } = store.outbox.summary();
    if (blocked + rejected + gone === 0) conditions.clear("upstream-rejects-records");
    else conditions.raise("upstream-rejects-records", { rejected, blocked, gone });
    const alarms = rejectedAlarms + this.#lateAlarms();
    if (alarms === 0) conditions.clear("upstream-rejects-alarm");
    else conditions.raise("upstream-rejects-alarm", { rejected: alarms });
  }

  /** Alarms that the centre answers with a conflict or an error of its own each time are never rejected for good. */
  #lateAlarms(): number {
    const { due, clock, link } = this.#context;
    if (link.state.state !== "up") return 0;
    return due.lateAlarms(clock.wallMs(), LATE_AFTER_MS, [...UNPROVED]);
  }

  #declareCutNotes(): void {
    const { store, conditions } = this.#context;
    const cut = store.facts.cutNotes;
    if (cut === null) conditions.clear("upstream-notes-cut");
    else conditions.raise("upstream-notes-cut", cut);
  }

  #declareLostMarker(): void {
    const { store, conditions } = this.#context;
    const lost = store.facts.lostReference;
    // A result for another field does not apply to the one in use.
    if (lost === null || lost.field !== store.marker) conditions.clear("upstream-reference-lost");
    else conditions.raise("upstream-reference-lost", lost);
  }
}
