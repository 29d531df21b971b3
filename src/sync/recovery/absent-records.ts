import { judgeAbsence, OUT_OF_SCOPE, type ListPresence } from "../../domain/absence.ts";
import { uuidIn } from "../../domain/marker.ts";
import { VERIFY_IMMEDIATELY, type OutboxEntry } from "../../domain/outbox.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { SyncContext } from "../context.ts";
import { markGone } from "./gone-records.ts";
import { checkHighestId } from "./highest-id.ts";
import { unlink } from "./id-owner.ts";
import { findInList, readHighestId } from "./record-search.ts";
import { closing } from "../attempt-outcome.ts";

/** `lastCode` of a record that is shown without our marker and without other proof of identity. */
export const UNCLEAR = "UNCLEAR";

/** `lastCode` of a record whose read was answered with something else. */
export const UNREADABLE = "UNREADABLE";

/** What the list shows of a record that a read by id does not find; nothing if it was not needed. */
export interface Absence {
  /** Why the list could not be read. */
  readonly failure?: ReadOutcome;
  readonly list?: ListPresence;
  /** Whether the centre has no newer record. */
  readonly isNewest?: boolean;
}

/** Error codes of a 404 at a centre that has announced that it tells deletions. */
const DELETED = "deleted";
const NOT_FOUND = "not-found";
/** A centre knows that it has deleted a record for longer than this. */
const TOLD_FOR_MS = 30 * 86_400_000;

/** Handles a linked record that the dispatch centre no longer shows, or shows without proof of identity. */
export class AbsentRecords {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** The reference with which a record is read, so that a Santinela centre does not answer as if it did not exist; undefined elsewhere. */
  referenceOf({ interventionId }: OutboxEntry): string | undefined {
    const { store } = this.#context;
    const marker = store.markerOf(store.record(interventionId).uid);
    return store.facts.reportsDeletions && uuidIn(marker) !== undefined ? marker : undefined;
  }

  /** Looks a missing record up in the list, once the waiting time for that step is over. */
  async lookUpInList(entry: OutboxEntry, { errorCode }: ReadOutcome): Promise<Absence> {
    const { store, clock, linkedIds } = this.#context;
    const { upstreamId, interventionId } = entry;
    const { missingSinceMs } = store.entry(interventionId);
    const isNeeded = judgeAbsence(missingSinceMs, clock.wallMs()).kind === "ask-list";
    if (upstreamId === null || !isNeeded || errorCode === DELETED) return {};
    const centre = this.#context.centre.of(entry);
    const linkedId = linkedIds.id;
    const top = await readHighestId(centre);
    if ("outcome" in top) return { failure: top.outcome };
    checkHighestId(this.#context, top.topId, linkedId);
    return { list: await findInList(centre, upstreamId), isNewest: upstreamId > top.topId };
  }

  /** Called when the dispatch centre responds that the record does not exist. */
  missing(entry: OutboxEntry, seen: ReadOutcome, { list, isNewest }: Absence): void {
    const { code, reason, errorCode } = seen;
    const { store, clock } = this.#context;
    const nowMs = clock.wallMs();
    // Another error format may be that of a gateway, so only the list counts.
    const isOfInterface = seen.link === "ok";
    const isDeletion = errorCode === DELETED;
    const isLost = this.#isLost(entry, errorCode);
    const { reportsDeletions } = store.facts;
    // A restore was proved, or the centre tells that the record was not deleted.
    const isAudited = entry.verifyAtMs === VERIFY_IMMEDIATELY && !entry.deleted && !isDeletion;
    if (isAudited && isOfInterface && (isLost || !reportsDeletions)) return unlink(this.#context, entry);
    const step = isDeletion
      ? ({ kind: "believe" } as const)
      : judgeAbsence(entry.missingSinceMs, nowMs, list ?? "undetermined");
    // A DELETE was sent and its response was lost: the record is missing because it was applied.
    const mayBeDeletedByUs = isOfInterface && entry.deleted && entry.attempts > 0;
    if ((step.kind !== "wait" || mayBeDeletedByUs) && entry.deleted)
      return void store.apply(entry, "removed", closing(this.#context, entry));
    if (step.kind !== "wait") {
      if (isLost) return unlink(this.#context, entry);
      const isOutOfScope = errorCode === OUT_OF_SCOPE;
      const isDoubtful = !reportsDeletions && isNewest === true;
      return markGone(this.#context, entry, { reason, isNewest: isDoubtful, isOutOfScope });
    }
    const { sinceMs, againAtMs } = step;
    this.#defer(entry, { missingSinceMs: sinceMs, nextAtMs: againAtMs, lastCode: code, lastError: reason });
  }

  /** Whether the centre has lost the record: it would know of a deletion since it had it. */
  #isLost({ arrivedAtMs }: OutboxEntry, errorCode: string | undefined): boolean {
    const { store, clock } = this.#context;
    const isRecent = arrivedAtMs !== null && clock.wallMs() - arrivedAtMs < TOLD_FOR_MS;
    return store.facts.reportsDeletions && errorCode === NOT_FOUND && isRecent;
  }

  /**
   * The record is neither changed nor created again: a dispatcher has removed the marker, or the id belongs to
   * another intervention.
   */
  unclear(entry: OutboxEntry): void {
    const nowMs = this.#context.clock.wallMs();
    const { interventionId: id, upstreamId, missingSinceMs } = entry;
    this.#defer(entry, {
      missingSinceMs: missingSinceMs ?? nowMs,
      nextAtMs: nowMs + this.#context.timeouts.pullIntervalMs,
      lastCode: UNCLEAR,
      lastError: `record ${upstreamId} of the dispatch centre no longer carries our reference and its start date does not match; if it is this intervention, run santinela sync reassert ${id}; if not, run santinela sync retry ${id}`,
    });
  }

  /**
   * The changes of an entry whose read was not answered with its record: a centre that does so twice in a row shows nothing that
   * dispatchers do, and takes no changes.
   */
  unreadable(entry: OutboxEntry, { link, code }: ReadOutcome): Partial<OutboxEntry> {
    if (link !== "ok" || code !== "200") return {};
    const { interventionId, upstreamId, missingSinceMs } = entry;
    const lastCode = UNREADABLE;
    const lastError = `the dispatch centre answers the read of record ${upstreamId} without that record`;
    // A good read in between has cleared the error.
    if (entry.lastCode !== UNREADABLE || entry.lastError === null) return { lastCode, lastError };
    const { log, clock } = this.#context;
    if (missingSinceMs === null)
      log.warn("record-doubtful", { interventionId, upstreamId, reason: lastError });
    return { lastCode, lastError, missingSinceMs: missingSinceMs ?? clock.wallMs() };
  }

  #defer(entry: OutboxEntry, changes: Partial<OutboxEntry> & { nextAtMs: number }): void {
    const { store, log } = this.#context;
    const { interventionId, upstreamId, verifyAtMs } = entry;
    if (entry.missingSinceMs === null)
      log.warn("record-doubtful", { interventionId, upstreamId, reason: changes.lastError });
    store.outbox.save({
      ...entry,
      ...changes,
      verifyAtMs: verifyAtMs === VERIFY_IMMEDIATELY ? VERIFY_IMMEDIATELY : changes.nextAtMs,
    });
  }
}
