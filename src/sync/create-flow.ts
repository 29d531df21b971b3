import type { Watermark } from "../domain/list-reading.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { chooseSurvivor, findMatches, type MatchCandidate } from "../domain/match-candidate.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import { keyHeader } from "./key-header.ts";
import { centreFor, retryContext, logOutcome, type SyncContext } from "./context.ts";
import { claim, belongsToOther } from "./recovery/upstream-restore.ts";
import { recordsAbove, watermarkOf } from "./recovery/record-search.ts";
import {
  afterFailure,
  afterPost,
  effectiveOutcome,
  retryAlarmRejection,
  closing,
  DENIED,
  inheritedInFlightValues,
  foundAs,
  latestArrivalMs,
} from "./attempt-outcome.ts";
import { WatermarkReader } from "./recovery/watermark-reader.ts";

/** Creates a record at the dispatch centre: sends it, or searches for it after an unconfirmed POST. */
export class CreateFlow {
  readonly #parts: SyncContext;
  readonly #watermarks: WatermarkReader;

  constructor(parts: SyncContext) {
    this.#parts = parts;
    this.#watermarks = new WatermarkReader(parts);
  }

  /** Keeps a connection of the urgent queue open while other records are sent. */
  keepUrgentWarm(): Promise<void> {
    return this.#watermarks.keepFresh(this.#parts.centre.urgent);
  }

  /** Performs the next step of one entry. */
  async work(entry: OutboxEntry): Promise<void> {
    if (entry.phase === "unsure") return this.#resolveAmbiguous(entry);
    const { store } = this.#parts;
    if (entry.deleted) return this.#withdraw(entry.interventionId);
    const watermark = await this.#watermark(entry);
    if (watermark === undefined) return;
    const sent = await store.share(() => this.#freeze(entry.interventionId, watermark));
    if (sent) await this.#post(sent);
  }

  /** Nothing of the record can have arrived, so nothing is deleted at the dispatch centre. */
  #withdraw(interventionId: number): void {
    const { store, clock, timeouts } = this.#parts;
    store.write(() => {
      const entry = store.entry(interventionId);
      store.apply(entry, "withdrawn", closing(entry, timeouts, clock.wallMs()));
    });
  }

  /** The highest id at the dispatch centre before the send; undefined if the link fails. */
  async #watermark(entry: OutboxEntry): Promise<Watermark | undefined> {
    const { watch } = this.#parts;
    // After a restore from a backup ids are reused, so a later reading may only lower the watermark.
    const lower = (top: Watermark): Watermark => {
      if (entry.watermark === null || top.id < entry.watermark) return top;
      const oldest = { id: top.id - SEARCH_IDS_MAX, witness: null };
      return entry.watermark < oldest.id ? oldest : watermarkOf(entry);
    };
    const read = await this.#watermarks.read(centreFor(this.#parts, entry));
    if (!("outcome" in read)) return lower(read);
    // A list that cannot be read is a link fault, unless it was a single stray 403.
    const isForbidden = read.outcome.link === "forbidden";
    await watch.note({ ...read.outcome, mayBeRecordSpecific: isForbidden });
    if (isForbidden && watch.isOpen) this.#postpone(entry.interventionId, read.outcome);
    // A dispatch centre without a list is searched from the start if necessary.
    return read.outcome.link === "ok" ? { id: 0, witness: null } : undefined;
  }

  #postpone(interventionId: number, outcome: Pick<WriteOutcome, "link" | "code" | "reason">): void {
    const { store, clock } = this.#parts;
    const entry = store.entry(interventionId);
    const failure = afterFailure(entry, outcome, retryContext(this.#parts));
    const postponed = { ...entry, ...failure, nextAtMs: clock.wallMs() + FORBIDDEN_READ_WAIT_MS };
    store.write(() => store.outbox.save(postponed));
  }

  /** Stores what is about to be sent; undefined if the record was deleted in the meantime. */
  #freeze(interventionId: number, { id, witness }: Watermark): OutboxEntry | undefined {
    const { store, timeouts, clock } = this.#parts;
    const found = store.entry(interventionId);
    // The priority has changed and the other queue has taken the record.
    if (found.phase !== "new" && found.phase !== "blocked") return undefined;
    const entry = found.phase === "blocked" ? store.apply(found, "retry", {}) : found;
    if (entry.deleted) {
      store.apply(entry, "withdrawn", closing(entry, timeouts, clock.wallMs()));
      return undefined;
    }
    const attempt = store.newAttempt(entry, store.record(interventionId));
    const inFlightValues = inheritedInFlightValues(entry, attempt.key, timeouts, clock.wallMs());
    const watermark = { watermark: id, watermarkFingerprint: witness && JSON.stringify(witness) };
    if (entry.possiblyDuplicated && entry.sends === 0) {
      // It may exist from before a restore from backup, or from an earlier attempt.
      const earlier = { ...attempt, atMs: entry.attempt?.atMs ?? 0 };
      store.apply(entry, "look", {
        attempt: earlier,
        ...watermark,
        ...inFlightValues,
        sends: 1,
        nextAtMs: 0,
      });
      return undefined;
    }
    return store.apply(entry, "send", { attempt, ...watermark, ...inFlightValues, sends: entry.sends + 1 });
  }

  async #post(entry: OutboxEntry): Promise<void> {
    const { interventionId, attempt } = entry;
    const { failpoint } = this.#parts;
    if (!attempt) throw new Error(`intervention ${interventionId} is sent without an attempt`);
    failpoint("sync-posting-committed");
    const outcome = await centreFor(this.#parts, entry).write({
      method: "POST",
      path: "/interventii",
      body: attempt.body,
      headers: keyHeader(attempt.key),
    });
    failpoint("sync-answered");
    await this.#record(interventionId, outcome);
  }

  async #record(interventionId: number, answer: WriteOutcome): Promise<void> {
    const { store, linkedIds, timeouts, watch, clock } = this.#parts;
    const outcome = await store.share(() => {
      const entry = store.entry(interventionId);
      const asked = this.#checkIdOwner(entry, effectiveOutcome(entry, answer));
      const { outcome, changes } = retryAlarmRejection(entry, asked, clock.wallMs());
      if (outcome.event !== "applied") this.#watermarks.reset();
      if (outcome.event === "applied") store.facts.noteKeys(answer.echoesKey === true);
      const { honoursKeys } = store.facts;
      const after = afterPost(entry, outcome, retryContext(this.#parts), { timeouts, honoursKeys });
      store.apply(entry, outcome.event, { ...after, ...changes });
      if (outcome.record) this.#parts.reference.note(entry, outcome.record.json);
      if (outcome.record) linkedIds.note();
      const { code, reason } = outcome;
      if (outcome.event === "refused")
        store.recordConflict(interventionId, { phase: "rejected", code, reason });
      return outcome;
    });
    logOutcome(this.#parts, interventionId, outcome);
    await watch.note(outcome);
  }

  /** Rejects an id that is linked to another record here, unless only this record's marker is in the response. */
  #checkIdOwner(entry: OutboxEntry, outcome: WriteOutcome): WriteOutcome {
    if (!outcome.record) return outcome;
    const { record, ...rest } = outcome;
    const row = JSON.parse(record.json) as MatchCandidate;
    if (!belongsToOther(this.#parts, entry, row)) {
      claim(this.#parts, entry, row);
      return outcome;
    }
    const owner = this.#parts.store.outbox.findByUpstreamId(record.id);
    const reason = `the dispatch centre responded with record ${record.id}, which is linked to intervention ${owner?.interventionId}; was the centre restored from a backup?`;
    return { ...rest, event: "refused", reason };
  }

  /** Decides on an unconfirmed POST: adopt the record, wait for it, or send it again. */
  async #resolveAmbiguous(asked: OutboxEntry): Promise<void> {
    const { interventionId } = asked;
    const { store, watch, timeouts, clock } = this.#parts;
    const centre = centreFor(this.#parts, asked);
    const found = await recordsAbove(centre, watermarkOf(asked));
    if (found.kind === "undetermined") {
      const forced = store.write(() => {
        const entry = store.entry(interventionId);
        // A record with our marker counts even if the list is incomplete.
        const ofAnyAge = { ...entry, watermarkFingerprint: null };
        const hits = entry.phase === "unsure" ? this.#candidates(ofAnyAge, found.seen) : [];
        if (hits.length > 0) return this.#adopt(entry, hits);
        const cannotArrive = clock.wallMs() >= latestArrivalMs(entry, timeouts);
        if (entry.phase === "unsure" && entry.lastCode === DENIED && cannotArrive && !entry.deleted)
          return this.#resend(entry, true);
        const failure = afterFailure(entry, found.outcome, retryContext(this.#parts));
        return store.outbox.save({ ...entry, ...failure });
      });
      await watch.note(found.outcome);
      return forced ? this.#post(forced) : undefined;
    }
    const again = store.write(() => {
      if (found.isRestored) store.outbox.auditAll();
      const entry = store.entry(interventionId);
      if (entry.phase !== "unsure") return undefined;
      // A restore of the dispatch centre was detected: the record may be below this search.
      if ((entry.watermark ?? 0) < (asked.watermark ?? 0)) return undefined;
      const hits = this.#candidates(entry, found.rows);
      if (hits.length > 0) return this.#adopt(entry, hits);
      const arrivesByMs = latestArrivalMs(entry, timeouts);
      const cannotArrive = clock.wallMs() >= arrivesByMs;
      if (cannotArrive && entry.deleted) {
        store.apply(entry, "absent", closing(entry, timeouts, clock.wallMs()));
        return undefined;
      }
      // A repeated idempotency key creates no second record, so there is no need to wait.
      if (cannotArrive || (store.facts.honoursKeys && !entry.deleted))
        return this.#resend(entry, cannotArrive);
      store.outbox.save({ ...entry, nextAtMs: arrivesByMs });
      return undefined;
    });
    await watch.note({ link: "ok", code: "200", reason: "" });
    if (again) await this.#post(again);
  }

  #candidates(entry: OutboxEntry, rows: readonly MatchCandidate[]): MatchCandidate[] {
    const { store } = this.#parts;
    const marker = store.markerOf(store.record(entry.interventionId).uid);
    const isMarked = store.isMarked && store.facts.lostReference === null;
    const madeAfter = entry.watermarkFingerprint === null ? null : entry.watermark;
    const identity = { marker, sent: store.sentOf(entry), isMarked, madeAfter };
    return findMatches(rows, identity, (row) => belongsToOther(this.#parts, entry, row));
  }

  #adopt(entry: OutboxEntry, hits: readonly MatchCandidate[]): undefined {
    const { store, linkedIds, timeouts, clock, log } = this.#parts;
    const kept = chooseSurvivor(hits, [store.sentOf(entry)], entry.inFlightValues);
    for (const hit of hits) claim(this.#parts, entry, hit);
    if (!kept || !entry.attempt) throw new Error(`intervention ${entry.interventionId}: nothing to adopt`);
    const [wallMs, { honoursKeys }] = [clock.wallMs(), store.facts];
    const linked = foundAs(entry, kept.id, { timeouts, wallMs, honoursKeys });
    store.apply(entry, "found", {
      ...linked,
      base: store.baseOf(entry, linked.base ?? "{}", kept),
      // Sweep at once: there are duplicates.
      ...(hits.length > 1 && linked.sweepAtMs !== null ? { sweepAtMs: wallMs } : {}),
    });
    linkedIds.note();
    log.info("record-adopted", { interventionId: entry.interventionId, upstreamId: kept.id });
    return undefined;
  }

  #resend(entry: OutboxEntry, cannotArrive: boolean): OutboxEntry {
    const { store, clock } = this.#parts;
    const attempt = entry.attempt && { ...entry.attempt, atMs: clock.wallMs() };
    // No earlier send has arrived; the sweeps remove one that still does.
    const sends = cannotArrive ? 1 : entry.sends + 1;
    return store.apply(entry, "send", { attempt, sends, base: null, agreed: null });
  }
}

/** Maximum ids a search goes back: some days of a busy dispatch centre, and half of one search's page limit. */
const SEARCH_IDS_MAX = 20_000;
/** Wait after a single forbidden read. */
const FORBIDDEN_READ_WAIT_MS = 5_000;
