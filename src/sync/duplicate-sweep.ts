import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import { markersIn } from "../domain/marker.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import {
  identityOf,
  hasOnlyKnownValues,
  chooseSurvivor,
  type MatchCandidate,
} from "../domain/match-candidate.ts";
import { retryContext, type SyncContext } from "./context.ts";
import { claim, belongsToOther } from "./upstream-restore.ts";
import { recordsAbove, watermarkOf } from "./record-search.ts";
import { afterFailure, foundAs } from "./attempt-outcome.ts";

/** An entry, and the records of the centre's list that bear its reference. */
interface Found {
  readonly entry: OutboxEntry;
  readonly marked: readonly MatchCandidate[];
}

/** After a POST: looks for a second record that came of it, and removes it. */
export class DuplicateSweep {
  readonly #parts: SyncContext;

  constructor(parts: SyncContext) {
    this.#parts = parts;
  }

  /**
   * Looks for the doubles of several records in one reading of the centre's list.
   * @param giveWay called between some records and the next: others wait for no sweep of hundreds
   */
  async work(due: readonly OutboxEntry[], giveWay: () => Promise<void>): Promise<void> {
    const [lowest] = [...due].sort((a, b) => (a.watermark ?? 0) - (b.watermark ?? 0));
    if (!lowest) return;
    const { centre, store, watch, clock } = this.#parts;
    const walk = await recordsAbove(centre, watermarkOf(lowest));
    const isWhole = walk.kind === "complete";
    if (!isWhole) await watch.note(walk.outcome);
    if (isWhole && walk.isRestored) store.write(() => store.outbox.auditAll());
    const byMarker = new Map<string, MatchCandidate[]>();
    const rows = isWhole ? walk.rows : walk.seen;
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows)
      for (const marker of markersIn(row)) byMarker.set(marker, [...(byMarker.get(marker) ?? []), row]);
    const readAtMs = clock.monotonicMs();
    for (let from = 0; from < due.length; from += IN_ONE_COMMIT) {
      if (from > 0) await giveWay();
      // The others stay due, for a list that shows what dispatchers have done meanwhile.
      if (clock.monotonicMs() - readAtMs > LIST_AGE_MS) return;
      const part = due.slice(from, from + IN_ONE_COMMIT).map((entry) => {
        const marker = store.markerOf(store.record(entry.interventionId).uid);
        const marked = byMarker.get(marker) ?? [];
        return { entry, marked: [...marked, ...this.#rewritten(entry, byId, marked)] };
      });
      const further = store.write(() => part.filter((one) => !this.#endSingle(one, isWhole)));
      for (const { entry, marked } of further) await this.#sweep(entry.interventionId, marked, isWhole);
    }
  }

  /** The record that is linked, where a dispatcher has written over its reference. */
  #rewritten(
    entry: OutboxEntry,
    byId: ReadonlyMap<number, MatchCandidate>,
    marked: readonly MatchCandidate[],
  ): readonly MatchCandidate[] {
    const row = entry.upstreamId === null ? undefined : byId.get(entry.upstreamId);
    if (!row || marked.length === 0 || marked.includes(row)) return [];
    const { store } = this.#parts;
    const marker = store.markerOf(store.record(entry.interventionId).uid);
    const base = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
    return identityOf(row, { marker, base, watermark: entry.watermark }) === "ours" ? [row] : [];
  }

  /** Ends the search for a record of which the list shows no second one. @returns false when there is more to do */
  #endSingle({ entry, marked }: Found, isWhole: boolean): boolean {
    const { store, watch } = this.#parts;
    const now = store.entry(entry.interventionId);
    // Linked to another one since the list was read, which does not show that one: it is swept another time.
    if (now.phase !== entry.phase || now.upstreamId !== entry.upstreamId || now.sweepAtMs !== entry.sweepAtMs)
      return true;
    if (watch.isOpen && marked.some(({ id }) => id !== now.upstreamId)) return false;
    this.#end(entry.interventionId, isWhole && watch.isOpen);
    return true;
  }

  /** @param marked the records there that bear its reference */
  async #sweep(interventionId: number, marked: readonly MatchCandidate[], isWhole: boolean): Promise<void> {
    const { store, watch } = this.#parts;
    // What was seen twice is seen to, however little of the list could be read; only all of it ends the search.
    const doubles = watch.isOpen ? store.write(() => this.#doubles(interventionId, marked, isWhole)) : [];
    const isClean = watch.isOpen && (await this.#remove(interventionId, doubles));
    store.write(() => this.#end(interventionId, isClean && isWhole));
  }

  /** @returns whether none is left */
  async #remove(interventionId: number, doubles: readonly MatchCandidate[]): Promise<boolean> {
    const { centre, watch, log } = this.#parts;
    for (const double of doubles) {
      const outcome = await centre.write({ method: "DELETE", path: `/interventii/${double.id}` });
      await watch.note(outcome);
      if (outcome.event !== "removed") return false;
      log.info("duplicate-deleted", { interventionId, upstreamId: double.id });
    }
    return true;
  }

  /** The records there that are ours and too many. Where a dispatcher has worked on one of them, that one is kept. */
  #doubles(interventionId: number, marked: readonly MatchCandidate[], isWhole: boolean): MatchCandidate[] {
    const { store } = this.#parts;
    const entry = store.entry(interventionId);
    const stored = store.record(interventionId);
    const ours = marked.filter((row) => !belongsToOther(this.#parts, entry, row));
    for (const row of ours) claim(this.#parts, entry, row);
    const extras = ours.filter(({ id }) => id !== entry.upstreamId);
    // Deleted here is deleted there, whoever has worked on it.
    if (entry.phase === "closed") return entry.deleted ? extras : [];
    if (entry.phase === "gone") return this.#adopt(entry, ours);
    if (extras.length === 0) return [];
    // What has come here of a record lives on in the one that is kept: the merge brings it there.
    const here = store.outgoing(fieldsOf(stored.record), stored.uid);
    const known = [store.sentOf(entry), here];
    const isSpare = (row: MatchCandidate, kept: MatchCandidate | undefined): boolean =>
      hasOnlyKnownValues(row, kept ? [...known, kept] : known, entry.inFlightValues);
    const linked = ours.find(({ id }) => id === entry.upstreamId);
    // A crew may be at work on it: of a part of the list it says nothing that the linked one is not there.
    if (!linked && !isWhole && entry.phase === "linked") return [];
    const [touched, ...further] = extras.filter((row) => !isSpare(row, linked));
    const oldest = ours.reduce((lowest, row) => (row.id < lowest.id ? row : lowest));
    const better = this.#betterOf({
      linked,
      touched: further.length > 0 ? undefined : touched,
      oldest,
      isSpare,
    });
    const isTold = touched !== undefined && better === undefined;
    if (isTold) this.#reportDuplicates(entry, extras);
    if (better && entry.phase !== "linked") return [];
    if (better) this.#relink(entry, better);
    const kept = better ?? linked;
    return ours.filter((row) => row.id !== (kept?.id ?? entry.upstreamId) && isSpare(row, kept));
  }

  /**
   * The one to be linked in place of the linked one; undefined where that one stays. A dispatcher's work decides, else
   * the lowest id: a second program that sweeps the same records decides alike. One that the list does not show is not
   * the one that is kept.
   */
  #betterOf({
    linked,
    touched,
    oldest,
    isSpare,
  }: {
    linked: MatchCandidate | undefined;
    touched: MatchCandidate | undefined;
    oldest: MatchCandidate;
    isSpare: (row: MatchCandidate, kept: MatchCandidate | undefined) => boolean;
  }): MatchCandidate | undefined {
    if (touched) return !linked || isSpare(linked, touched) ? touched : undefined;
    if (!linked) return oldest;
    return oldest.id < linked.id && isSpare(linked, oldest) ? oldest : undefined;
  }

  #reportDuplicates({ interventionId, upstreamId }: OutboxEntry, extras: readonly MatchCandidate[]): void {
    const ids = extras.map(({ id }) => id);
    this.#parts.store.recordConflict(interventionId, {
      reason: `the centre has this record more than once (${ids.join(", ")} beside ${upstreamId}) and people have worked on each; delete all but one there`,
    });
  }

  /** Of two records the one that was linked is deleted: then the other one is it. */
  #adopt(entry: OutboxEntry, ours: readonly MatchCandidate[]): MatchCandidate[] {
    const { store, timeouts, clock } = this.#parts;
    const kept = chooseSurvivor(ours, [store.sentOf(entry)], entry.inFlightValues);
    if (!kept || !entry.attempt) return [];
    const linked = foundAs(entry, kept.id, {
      timeouts,
      wallMs: clock.wallMs(),
      honoursKeys: store.facts.honoursKeys,
    });
    store.apply(entry, "found", linked);
    return [];
  }

  #relink(entry: OutboxEntry, { id }: MatchCandidate): void {
    const { store, clock } = this.#parts;
    // What was sent at first is what both have in common: the merge brings our later changes and keeps theirs.
    const body = entry.attempt?.body ?? entry.base ?? "{}";
    store.outbox.save({
      ...entry,
      upstreamId: id,
      base: body,
      agreed: JSON.stringify(fieldsOf(JSON.parse(body) as Intervention)),
      syncedRev: Math.min(entry.attempt?.rev ?? entry.wantRev, entry.wantRev - 1),
      verifyAtMs: clock.wallMs(),
      nextAtMs: 0,
    });
  }

  /** @param isDone false: it is tried again */
  #end(interventionId: number, isDone: boolean): void {
    const { store, clock, timeouts } = this.#parts;
    const entry = store.entry(interventionId);
    const nowMs = clock.wallMs();
    if (!isDone) {
      const { nextAtMs = 0 } = afterFailure(
        entry,
        { link: "ok", code: "", reason: "" },
        retryContext(this.#parts),
      );
      store.outbox.save({ ...entry, sweepAtMs: Math.max(nextAtMs, nowMs + MIN_POSTPONE_MS) });
      return;
    }
    const sweeps = entry.sweeps + 1;
    const nextMs = entry.possiblyDuplicated ? timeouts.sweepDelaysMs[sweeps] : undefined;
    store.outbox.save({
      ...entry,
      sweeps,
      sweepAtMs: nextMs === undefined ? null : nowMs + nextMs,
      ...(nextMs === undefined ? { attempt: null, possiblyDuplicated: false } : {}),
    });
  }
}

/** A flush for each would take a slow card seconds, and all in one would hold up the readings of the sensors. */
const IN_ONE_COMMIT = 50;
/** What a dispatcher does after the list was read is not in it. */
const LIST_AGE_MS = 60_000;
/** A sweep that could not be finished is tried again no sooner. */
const MIN_POSTPONE_MS = 60_000;
