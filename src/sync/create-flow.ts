import type { Watermark } from "../domain/list-reading.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import {
  afterPost,
  closing,
  countAttempt,
  effectiveOutcome,
  inheritedInFlightValues,
  retryRejection,
} from "./attempt-outcome.ts";
import { report, type SyncContext } from "./context.ts";
import { continueCutPost } from "./continuation.ts";
import { noteShownIds } from "./recovery/gone-records.ts";
import { checkIdOrder, WatermarkReader } from "./recovery/highest-id.ts";
import { checkIdOwner } from "./recovery/id-owner.ts";
import { isSuccess, PAGE } from "./recovery/last-codes.ts";
import { NO_WATERMARK } from "./recovery/record-search.ts";
import { UnconfirmedPost } from "./recovery/unconfirmed-post.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import { attemptOf, shortenRefused } from "./short-post.ts";

/** Creates a record at the dispatch centre; after an unconfirmed POST it is searched for before it is sent again. */
export class CreateFlow {
  readonly #context: SyncContext;
  readonly #watermarks: WatermarkReader;
  readonly #unconfirmed: UnconfirmedPost;

  constructor(context: SyncContext) {
    this.#context = context;
    this.#watermarks = new WatermarkReader(context);
    this.#unconfirmed = new UnconfirmedPost(context);
  }

  /** Keeps a connection of the urgent queue open while other records are sent. */
  keepUrgentWarm(): Promise<void> {
    return this.#watermarks.keepFresh(this.#context.centre.urgent);
  }

  /** Performs the next step of one entry. */
  async work(entry: OutboxEntry): Promise<void> {
    const sent =
      entry.phase === "unsure" ? await this.#unconfirmed.resolve(entry) : await this.#prepare(entry);
    if (sent) await this.#post(sent);
  }

  async #prepare(entry: OutboxEntry): Promise<OutboxEntry | undefined> {
    // A deleted record needs no request.
    const read = entry.deleted ? NO_WATERMARK : await this.#watermarks.of(entry);
    const { interventionId } = entry;
    const { store } = this.#context;
    return store.share(() =>
      "outcome" in read ? countAttempt(store, interventionId) : this.#freeze(interventionId, read),
    );
  }

  /** Stores what is about to be sent; undefined if the record was deleted in the meantime. */
  #freeze(interventionId: number, { id, rowFingerprint }: Watermark): OutboxEntry | undefined {
    const { store } = this.#context;
    const found = store.entry(interventionId);
    // The priority has changed and the other queue has taken the record.
    if (found.phase !== "new" && found.phase !== "blocked") return undefined;
    const entry = found.phase === "blocked" ? store.apply(found, "retry", {}) : found;
    // Nothing of the record can have arrived, so nothing is deleted at the dispatch centre.
    if (entry.deleted) return void store.apply(entry, "withdrawn", closing(this.#context, entry));
    const attempt = attemptOf(this.#context, entry, store.record(interventionId));
    const stored = {
      attempt,
      watermark: id,
      watermarkFingerprint: rowFingerprint && JSON.stringify(rowFingerprint),
      ...inheritedInFlightValues(this.#context, entry, attempt.key),
    };
    if (!entry.possiblyDuplicated || entry.sends > 0)
      return store.apply(entry, "send", { ...stored, sends: entry.sends + 1 });
    // It may exist from before a restore from backup, or from an earlier attempt.
    const earlier = { ...attempt, atMs: entry.attempt?.atMs ?? 0 };
    return void store.apply(entry, "look", {
      ...stored,
      attempt: earlier,
      sends: 1,
      nextAtMs: Math.min(entry.nextAtMs, 0),
    });
  }

  async #post(entry: OutboxEntry): Promise<void> {
    const { interventionId, attempt } = entry;
    const { centre, store, failpoint } = this.#context;
    if (!attempt) throw new Error(`intervention ${interventionId} is sent without an attempt`);
    failpoint("sync-posting-committed");
    const answer = await centre.of(entry).create(attempt.key, attempt.body);
    failpoint("sync-answered");
    const outcome = await store.share(() => this.#record(store.entry(interventionId), answer));
    await report(this.#context, interventionId, outcome);
    await checkIdOrder(this.#context, entry, outcome);
  }

  /** Stores the answer to a POST. */
  #record(entry: OutboxEntry, answer: WriteOutcome): WriteOutcome {
    const { store, linkedIds, syncConditions } = this.#context;
    const own = checkIdOwner(this.#context, entry, effectiveOutcome(entry, answer));
    // A response with another record says nothing about the content, and the request may have created one.
    const isAnothers = answer.event === "applied" && own.event !== "applied";
    const sentRev = isAnothers ? entry.wantRev : (entry.attempt?.rev ?? entry.wantRev);
    const judged = retryRejection(this.#context, entry, own, sentRev);
    const { outcome, changes } = isAnothers ? judged : shortenRefused(this.#context, entry, own, judged);
    const { event, code, reason, record } = outcome;
    if (event === "applied") store.facts.noteKeys(answer.echoesKey === true);
    else this.#watermarks.reset();
    const { attempt } = entry;
    // The request may have created a record: it is searched for before it is sent again.
    const kept = isAnothers && event !== "ambiguous" ? { attempt, possiblyDuplicated: true } : {};
    const isPage = answer.event === "not-applied" && event === "ambiguous" && isSuccess(code);
    const page = isPage ? { lastCode: PAGE } : {};
    store.apply(entry, event, { ...afterPost(this.#context, entry, outcome), ...changes, ...kept, ...page });
    if (record) {
      const answered = JSON.parse(record.json) as UpstreamRecord;
      syncConditions.noteMarker(entry, store.sentOf(entry), answered);
      continueCutPost(this.#context, entry, answered);
      linkedIds.note();
      noteShownIds(this.#context, [record.id]);
    }
    const conflict = isAnothers ? "other-record" : "rejected";
    if (event === "refused")
      store.recordConflict(entry.interventionId, conflict, { phase: "rejected", code, reason });
    return outcome;
  }
}
