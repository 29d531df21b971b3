import { judgeAbsence, type ListPresence } from "../../domain/absence.ts";
import { VERIFY_IMMEDIATELY, type OutboxEntry } from "../../domain/outbox.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { SyncContext } from "../context.ts";
import { detectRestore } from "./highest-id.ts";
import { unlink } from "./id-owner.ts";
import { findInList } from "./record-search.ts";
import { closing } from "../attempt-outcome.ts";

/** `lastCode` of a record that is shown without our marker and without other proof of identity. */
export const UNCLEAR = "UNCLEAR";

/** Handles a linked record that the dispatch centre no longer shows, or shows without proof of identity. */
export class AbsentRecords {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /**
   * Looks a record that a read by id does not find up in the list, once the waiting time for that step is over.
   * @returns why the list could not be read, or what it shows; neither if it was not needed
   */
  async lookUpInList(entry: OutboxEntry): Promise<{ failure?: ReadOutcome; list?: ListPresence }> {
    const { store, clock } = this.#context;
    const { upstreamId, interventionId } = entry;
    const { missingSinceMs } = store.entry(interventionId);
    if (upstreamId === null || judgeAbsence(missingSinceMs, clock.wallMs()).kind !== "ask-list") return {};
    const centre = this.#context.centre.of(entry);
    const failure = await detectRestore(this.#context, centre);
    return failure ? { failure } : { list: await findInList(centre, upstreamId) };
  }

  /** Called when the dispatch centre responds that the record does not exist. */
  missing(entry: OutboxEntry, reason: string, list: ListPresence | undefined): void {
    const { store, clock } = this.#context;
    const nowMs = clock.wallMs();
    if (entry.verifyAtMs === VERIFY_IMMEDIATELY && !entry.deleted) return unlink(this.#context, entry);
    const step = judgeAbsence(entry.missingSinceMs, nowMs, list ?? "undetermined");
    // A DELETE was sent and its response was lost: the record is missing because it was applied.
    const mayBeDeletedByUs = entry.deleted && entry.attempts > 0;
    if ((step.kind !== "wait" || mayBeDeletedByUs) && entry.deleted)
      return void store.apply(entry, "removed", closing(this.#context, entry));
    if (step.kind !== "wait") return this.#markDeletedUpstream(entry, "404", reason);
    const { sinceMs, againAtMs } = step;
    this.#defer(entry, { missingSinceMs: sinceMs, nextAtMs: againAtMs, lastCode: "404", lastError: reason });
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

  #markDeletedUpstream(entry: OutboxEntry, code: string, reason: string): void {
    const { store } = this.#context;
    store.apply(entry, "missing", {
      upstreamId: null,
      lastCode: code,
      lastError: reason,
      verifyAtMs: null,
      missingSinceMs: null,
      // If there may be a duplicate, the sweep still needs the attempt.
      attempt: entry.sweepAtMs === null ? null : entry.attempt,
    });
    store.recordConflict(entry.interventionId, { phase: "gone", code, reason });
  }
}
