import type { Watermark } from "../domain/list-reading.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { chooseSurvivor, findMatches, type MatchCandidate } from "../domain/match-candidate.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import { keyHeader } from "./key-header.ts";
import { centreFor, retryContext, logOutcome, type SyncContext } from "./context.ts";
import { claim, belongsToOther } from "./upstream-restore.ts";
import { recordsAbove, watermarkOf } from "./record-search.ts";
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
import { WatermarkReader } from "./watermark-reader.ts";

/** Brings a record to the centre that is not known to be there: sends it, or finds out whether it has arrived. */
export class CreateFlow {
  readonly #parts: SyncContext;
  readonly #watermarks: WatermarkReader;

  constructor(parts: SyncContext) {
    this.#parts = parts;
    this.#watermarks = new WatermarkReader(parts);
  }

  /** Keeps a connection for alarms warm while other records are sent. */
  keepUrgentWarm(): Promise<void> {
    return this.#watermarks.keepFresh(this.#parts.centre.urgent);
  }

  /** Takes one entry a step further. */
  async work(entry: OutboxEntry): Promise<void> {
    if (entry.phase === "unsure") return this.#resolveAmbiguous(entry);
    const { store } = this.#parts;
    if (entry.deleted) return this.#withdraw(entry.interventionId);
    const watermark = await this.#watermark(entry);
    if (watermark === undefined) return;
    const sent = await store.share(() => this.#freeze(entry.interventionId, watermark));
    if (sent) await this.#post(sent);
  }

  /** What is deleted before anything of it can have arrived needs nothing at the centre. */
  #withdraw(interventionId: number): void {
    const { store, clock, timeouts } = this.#parts;
    store.write(() => {
      const entry = store.entry(interventionId);
      store.apply(entry, "withdrawn", closing(entry, timeouts, clock.wallMs()));
    });
  }

  /** The centre's highest id before the send; undefined when the link does not give it. */
  async #watermark(entry: OutboxEntry): Promise<Watermark | undefined> {
    const { watch } = this.#parts;
    // After a restore ids are given again, so a later reading may only lower the mark.
    const lower = (top: Watermark): Watermark => {
      if (entry.watermark === null || top.id < entry.watermark) return top;
      const oldest = { id: top.id - SEARCH_IDS_MAX, witness: null };
      return entry.watermark < oldest.id ? oldest : watermarkOf(entry);
    };
    const read = await this.#watermarks.read(centreFor(this.#parts, entry));
    if (!("outcome" in read)) return lower(read);
    // A list has nothing to do with the record: if it cannot be had, that is the link, unless one 403 was a stray one.
    const doubtful = read.outcome.link === "forbidden";
    await watch.note({ ...read.outcome, mayBeRecordSpecific: doubtful });
    if (doubtful && watch.isOpen) this.#postpone(entry.interventionId, read.outcome);
    // A centre that cannot list is searched from the beginning when it comes to that.
    return read.outcome.link === "ok" ? { id: 0, witness: null } : undefined;
  }

  #postpone(interventionId: number, outcome: Pick<WriteOutcome, "link" | "code" | "reason">): void {
    const { store, clock } = this.#parts;
    const entry = store.entry(interventionId);
    const failure = afterFailure(entry, outcome, retryContext(this.#parts));
    const postponed = { ...entry, ...failure, nextAtMs: clock.wallMs() + FORBIDDEN_READ_WAIT_MS };
    store.write(() => store.outbox.save(postponed));
  }

  /** Writes down what is about to be sent; undefined when the record was deleted meanwhile. */
  #freeze(interventionId: number, { id, witness }: Watermark): OutboxEntry | undefined {
    const { store, timeouts, clock } = this.#parts;
    const found = store.entry(interventionId);
    // The other lane was faster: the record's priority has changed meanwhile.
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
      // It may be there from before a copy was put back here, or from an earlier attempt that was given up.
      const atMs = entry.attempt?.atMs ?? 0;
      store.apply(entry, "look", {
        attempt: { ...attempt, atMs },
        ...watermark,
        ...inFlightValues,
        sends: 1,
        nextAtMs: 0,
      });
      return undefined;
    }
    return store.apply(entry, "send", {
      attempt,
      ...watermark,
      sends: entry.sends + 1,
      ...inFlightValues,
    });
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
      if (outcome.event !== "applied") this.#watermarks.forget();
      if (outcome.event === "applied") store.facts.noteKeys(answer.echoesKey === true);
      const { honoursKeys } = store.facts;
      const after = afterPost(entry, outcome, retryContext(this.#parts), { timeouts, honoursKeys });
      store.apply(entry, outcome.event, { ...after, ...changes });
      if (outcome.record) this.#parts.reference.note(entry, outcome.record.json);
      if (outcome.record) linkedIds.note();
      if (outcome.event === "refused")
        store.recordConflict(interventionId, {
          phase: "rejected",
          code: outcome.code,
          reason: outcome.reason,
        });
      return outcome;
    });
    logOutcome(this.#parts, interventionId, outcome);
    await watch.note(outcome);
  }

  /** An id that is another record's here says that one of the two is mistaken: the one whose mark the answer lacks. */
  #checkIdOwner(entry: OutboxEntry, outcome: WriteOutcome): WriteOutcome {
    if (!outcome.record) return outcome;
    const { record, ...rest } = outcome;
    const row = JSON.parse(record.json) as MatchCandidate;
    if (!belongsToOther(this.#parts, entry, row)) {
      claim(this.#parts, entry, row);
      return outcome;
    }
    const owner = this.#parts.store.outbox.findByUpstreamId(record.id);
    const reason = `the centre answered with its record ${record.id}, which is intervention ${owner?.interventionId} here; was the centre restored from a backup?`;
    return { ...rest, event: "refused", reason };
  }

  /** A POST was not answered: is the record there, may it still come, or must it be sent again? */
  async #resolveAmbiguous(asked: OutboxEntry): Promise<void> {
    const { interventionId } = asked;
    const { store, watch, timeouts, clock } = this.#parts;
    const centre = centreFor(this.#parts, asked);
    const walk = await recordsAbove(centre, watermarkOf(asked));
    if (walk.kind === "undetermined") {
      const denied = store.write(() => {
        const entry = store.entry(interventionId);
        // What bears the reference is found, however little of the list could be read.
        const hits =
          entry.phase === "unsure"
            ? this.#candidates({ ...entry, watermarkFingerprint: null }, walk.seen)
            : [];
        if (hits.length > 0) return this.#adopt(entry, hits);
        const cannotArrive = clock.wallMs() >= latestArrivalMs(entry, timeouts);
        if (entry.phase === "unsure" && entry.lastCode === DENIED && cannotArrive && !entry.deleted)
          return this.#resend(entry, true);
        return store.outbox.save({
          ...entry,
          ...afterFailure(entry, walk.outcome, retryContext(this.#parts)),
        });
      });
      await watch.note(walk.outcome);
      return denied ? this.#post(denied) : undefined;
    }
    const again = store.write(() => {
      if (walk.isRestored) store.outbox.auditAll();
      const entry = store.entry(interventionId);
      if (entry.phase !== "unsure") return undefined;
      // The centre was found to be restored meanwhile: it may be below where this walk ended.
      if ((entry.watermark ?? 0) < (asked.watermark ?? 0)) return undefined;
      const hits = this.#candidates(entry, walk.rows);
      if (hits.length > 0) return this.#adopt(entry, hits);
      const arrivesByMs = latestArrivalMs(entry, timeouts);
      const cannotArrive = clock.wallMs() >= arrivesByMs;
      if (cannotArrive && entry.deleted) {
        store.apply(entry, "absent", closing(entry, timeouts, clock.wallMs()));
        return undefined;
      }
      // A centre that knows keys again makes no second record of a request that is still on its way.
      if (cannotArrive || (store.facts.honoursKeys && !entry.deleted)) return this.#resend(entry, cannotArrive);
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
    const sought = { marker, sent: store.sentOf(entry), isMarked, madeAfter };
    return findMatches(rows, sought, (row) => belongsToOther(this.#parts, entry, row));
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
      // Duplicates are removed at once.
      ...(hits.length > 1 && linked.sweepAtMs !== null ? { sweepAtMs: wallMs } : {}),
    });
    linkedIds.note();
    log.info("record-adopted", { interventionId: entry.interventionId, upstreamId: kept.id });
    return undefined;
  }

  #resend(entry: OutboxEntry, cannotArrive: boolean): OutboxEntry {
    const { store, clock } = this.#parts;
    const attempt = entry.attempt && { ...entry.attempt, atMs: clock.wallMs() };
    // The search has shown that no earlier send has arrived; one that still does is what the sweeps are for.
    const sends = cannotArrive ? 1 : entry.sends + 1;
    return store.apply(entry, "send", { attempt, sends, base: null, agreed: null });
  }
}

/** No search goes further back: so many ids are what a busy centre gives in days, and half of what one walk can read. */
const SEARCH_IDS_MAX = 20_000;
/** What a stray refusal of a read holds up waits so long. */
const FORBIDDEN_READ_WAIT_MS = 5_000;
