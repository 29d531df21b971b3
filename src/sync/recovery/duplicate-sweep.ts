import { fieldsOf } from "../../domain/intervention.ts";
import { markersIn } from "../../domain/marker.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import {
  identityOf,
  hasOnlyKnownValues,
  chooseSurvivor,
  type MatchCandidate,
} from "../../domain/match-candidate.ts";
import type { SyncContext } from "../context.ts";
import { isOwnCall } from "./copied-records.ts";
import { formerIdOf, noteRestore } from "./gone-records.ts";
import { belongsToOther, claim } from "./id-owner.ts";
import { recordsAbove, watermarkOf } from "./record-search.ts";
import { withTexts } from "./shortened-rows.ts";
import { afterFailure } from "../attempt-outcome.ts";
import { removeDuplicates } from "./duplicate-removal.ts";
import { asFirstSent, foundAs } from "./unconfirmed-post.ts";

/** An entry and the listed records that carry its marker. */
interface MarkedEntry {
  readonly entry: OutboxEntry;
  readonly marked: readonly MatchCandidate[];
}

/** Searches for duplicates created by a POST, and deletes them. */
export class DuplicateSweep {
  readonly #context: SyncContext;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /**
   * Sweeps several records with one read of the list.
   * @param giveWay called between batches so that new records do not wait for the whole sweep
   */
  async work(due: readonly OutboxEntry[], giveWay: () => Promise<void>): Promise<void> {
    const [lowest] = [...due].sort((a, b) => (a.watermark ?? 0) - (b.watermark ?? 0));
    if (!lowest) return;
    const { centre, store, linkFaults, clock } = this.#context;
    const list = await recordsAbove(centre, watermarkOf(lowest));
    const found = await withTexts(this.#context, centre, list, due);
    const isWhole = found.kind === "complete";
    if (!isWhole) await linkFaults.noteList(found.outcome);
    if (isWhole && found.isRestored) store.write(() => noteRestore(this.#context, lowest.watermark ?? 0));
    const byMarker = new Map<string, MatchCandidate[]>();
    const rows = isWhole ? found.rows : found.seen;
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows)
      for (const marker of markersIn(row)) byMarker.set(marker, [...(byMarker.get(marker) ?? []), row]);
    const readAtMs = clock.monotonicMs();
    for (let from = 0; from < due.length; from += BATCH_ENTRIES) {
      if (from > 0) await giveWay();
      // The rest stays due: this list is too old to show what dispatchers have done since.
      if (clock.monotonicMs() - readAtMs > LIST_AGE_MS_MAX) return;
      const part = due.slice(from, from + BATCH_ENTRIES).map((entry) => {
        const marked = byMarker.get(store.markerSent(entry)) ?? [];
        return { entry, marked: [...marked, ...this.#unmarked(entry, byId, marked)] };
      });
      const further = store.write(() => part.filter((one) => !this.#endSingle(one, isWhole)));
      for (const { entry, marked } of further) await this.#sweep(entry.interventionId, marked, isWhole);
    }
  }

  /** The linked record, if a dispatcher has removed its marker. */
  #unmarked(
    entry: OutboxEntry,
    byId: ReadonlyMap<number, MatchCandidate>,
    marked: readonly MatchCandidate[],
  ): readonly MatchCandidate[] {
    const row = entry.upstreamId === null ? undefined : byId.get(entry.upstreamId);
    if (!row || marked.length === 0 || marked.includes(row)) return [];
    const { store } = this.#context;
    const marker = store.markerSent(entry);
    const base = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
    return identityOf(row, { marker, base, watermark: entry.watermark }) === "ours" ? [row] : [];
  }

  /**
   * Ends the sweep of a record without duplicates.
   * @returns false if there is more to do
   */
  #endSingle({ entry, marked }: MarkedEntry, isWhole: boolean): boolean {
    const { store, linkFaults } = this.#context;
    const current = store.entry(entry.interventionId);
    // Linked to another record since the list was read: left to the next sweep.
    if (
      current.phase !== entry.phase ||
      current.upstreamId !== entry.upstreamId ||
      current.sweepAtMs !== entry.sweepAtMs
    )
      return true;
    if (linkFaults.isOpen && marked.some(({ id }) => id !== current.upstreamId)) return false;
    this.#end(entry.interventionId, isWhole && linkFaults.isOpen);
    return true;
  }

  /** @param marked the listed records that carry its marker */
  async #sweep(interventionId: number, marked: readonly MatchCandidate[], isWhole: boolean): Promise<void> {
    const { store, linkFaults } = this.#context;
    // Duplicates in an incomplete list are removed too; only a complete list ends the sweep.
    const duplicates = linkFaults.isOpen
      ? store.write(() => this.#findDuplicates(interventionId, marked, isWhole))
      : [];
    const { phase, upstreamId } = store.entry(interventionId);
    const isClean = linkFaults.isOpen && (await removeDuplicates(this.#context, interventionId, duplicates));
    store.write(() => {
      const now = store.entry(interventionId);
      // Linked to another record, or unlinked, during the requests: left to the next sweep.
      if (now.phase === phase && now.upstreamId === upstreamId) this.#end(interventionId, isClean && isWhole);
    });
  }

  /** The duplicates to delete. A record that a dispatcher has worked on is kept, and one of another event is left alone. */
  #findDuplicates(
    interventionId: number,
    marked: readonly MatchCandidate[],
    isWhole: boolean,
  ): MatchCandidate[] {
    const { store } = this.#context;
    const entry = store.entry(interventionId);
    const stored = store.record(interventionId);
    const ours = marked.filter(
      (row) =>
        row.id === entry.upstreamId ||
        (isOwnCall(this.#context, entry, row) && !belongsToOther(this.#context, entry, row)),
    );
    for (const row of ours) claim(this.#context, entry, row);
    const extras = ours.filter(({ id }) => id !== entry.upstreamId);
    // A record that was deleted here is deleted there, even if a dispatcher has worked on it.
    if (entry.phase === "closed") return entry.deleted ? extras : [];
    if (entry.phase === "gone") return this.#adopt(entry, ours);
    if (extras.length === 0) return [];
    // Values that were already pulled are not lost: the merge pushes them to the kept record.
    const outgoing = store.outgoing(fieldsOf(stored.record), stored.uid);
    const known = [store.sentOf(entry), outgoing];
    const isExpendable = (row: MatchCandidate, kept: MatchCandidate | undefined): boolean =>
      hasOnlyKnownValues(row, kept ? [...known, kept] : known, entry.inFlightValues);
    const linked = ours.find(({ id }) => id === entry.upstreamId);
    // Part of a list does not prove that the linked record is missing, and a crew may be working on it.
    if (!linked && !isWhole && entry.phase === "linked") return [];
    const [edited, ...further] = extras.filter((row) => !isExpendable(row, linked));
    const oldest = ours.reduce((lowest, row) => (row.id < lowest.id ? row : lowest));
    const better = betterOf(linked, further.length > 0 ? undefined : edited, oldest, isExpendable);
    const isUndecided = edited !== undefined && better === undefined;
    if (isUndecided) this.#reportDuplicates(entry, extras);
    if (better && entry.phase !== "linked") return [];
    if (better) this.#relink(entry, better);
    const kept = better ?? linked;
    return ours.filter((row) => row.id !== (kept?.id ?? entry.upstreamId) && isExpendable(row, kept));
  }

  #reportDuplicates({ interventionId, upstreamId }: OutboxEntry, extras: readonly MatchCandidate[]): void {
    const ids = extras.map(({ id }) => id);
    this.#context.store.recordConflict(interventionId, "duplicates", {
      reason: `the dispatch centre has duplicates of this record (${ids.join(", ")} besides ${upstreamId}) and dispatchers have edited several; delete all but one there`,
    });
  }

  /** The linked record was deleted there and a duplicate remains: link that one. */
  #adopt(entry: OutboxEntry, ours: readonly MatchCandidate[]): MatchCandidate[] {
    const { store } = this.#context;
    const kept = chooseSurvivor(ours, [store.sentOf(entry)], entry.inFlightValues);
    if (!kept || !entry.attempt) return [];
    const found = foundAs(this.#context, entry, kept);
    // The record itself may be back. A duplicate has only the values of the first request, never those sent since to the other one.
    const isDuplicate = kept.id !== formerIdOf(entry);
    store.apply(
      entry,
      "found",
      isDuplicate ? { ...found, ...asFirstSent(this.#context, entry, kept) } : found,
    );
    return [];
  }

  #relink(entry: OutboxEntry, row: MatchCandidate): void {
    const { store, clock } = this.#context;
    store.outbox.save({
      ...entry,
      ...asFirstSent(this.#context, entry, row),
      upstreamId: row.id,
      verifyAtMs: clock.wallMs(),
      nextAtMs: 0,
    });
  }

  /** @param isDone false to repeat the sweep later */
  #end(interventionId: number, isDone: boolean): void {
    const { store, clock, timeouts } = this.#context;
    const entry = store.entry(interventionId);
    const nowMs = clock.wallMs();
    if (!isDone) {
      const { nextAtMs = 0 } = afterFailure(this.#context, entry, { link: "ok", code: "", reason: "" });
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

/**
 * Entries per transaction: an fsync for each takes seconds on a slow SD card, and one for all would delay
 * sensor readings.
 */
const BATCH_ENTRIES = 50;
/** Maximum age of a list: it lacks what dispatchers have done since. */
const LIST_AGE_MS_MAX = 60_000;
/** Minimum wait before an unfinished sweep is repeated. */
const MIN_POSTPONE_MS = 60_000;

/**
 * The record to link instead of the linked one; undefined to keep that one. A record with a dispatcher's work
 * wins, else the lowest id, so that two programs decide alike. A record that is not listed is not kept.
 */
function betterOf(
  linked: MatchCandidate | undefined,
  edited: MatchCandidate | undefined,
  oldest: MatchCandidate,
  isExpendable: (row: MatchCandidate, kept: MatchCandidate) => boolean,
): MatchCandidate | undefined {
  if (edited) return !linked || isExpendable(linked, edited) ? edited : undefined;
  if (!linked) return oldest;
  return oldest.id < linked.id && isExpendable(linked, oldest) ? oldest : undefined;
}
