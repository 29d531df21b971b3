import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import { markersIn } from "../domain/marker.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import type { CentreRecord } from "../domain/merge.ts";
import { identityOf, isUntouched, keptOf, type Sighting } from "../domain/sighting.ts";
import { momentOf, type SyncParts } from "./parts.ts";
import { claim, isAnothers } from "./restore.ts";
import { recordsAbove, watermarkOf } from "./search.ts";
import { afterFailure, foundAs } from "./settlement.ts";

/** An entry, and the records of the centre's list that bear its reference. */
interface Found {
  readonly entry: OutboxEntry;
  readonly marked: readonly Sighting[];
}

/** After a POST: looks for a second record that came of it, and removes it. */
export class Sweeping {
  readonly #parts: SyncParts;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /**
   * Looks for the doubles of several records in one reading of the centre's list.
   * @param giveWay called between some records and the next: others wait for no sweep of hundreds
   */
  async work(due: readonly OutboxEntry[], giveWay: () => Promise<void>): Promise<void> {
    const [lowest] = [...due].sort((a, b) => (a.watermark ?? 0) - (b.watermark ?? 0));
    if (!lowest) return;
    const { centre, ledger, watch, clock } = this.#parts;
    const walk = await recordsAbove(centre, watermarkOf(lowest));
    const isWhole = walk.kind === "complete";
    if (!isWhole) await watch.note(walk.verdict);
    if (isWhole && walk.isRestored) ledger.write(() => ledger.outbox.auditAll());
    const byMarker = new Map<string, Sighting[]>();
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
        const marker = ledger.markerOf(ledger.record(entry.interventionId).uid);
        const marked = byMarker.get(marker) ?? [];
        return { entry, marked: [...marked, ...this.#rewritten(entry, byId, marked)] };
      });
      const further = ledger.write(() => part.filter((one) => !this.#endSingle(one, isWhole)));
      for (const { entry, marked } of further) await this.#sweep(entry.interventionId, marked, isWhole);
    }
  }

  /** The record that is linked, where a dispatcher has written over its reference. */
  #rewritten(
    entry: OutboxEntry,
    byId: ReadonlyMap<number, Sighting>,
    marked: readonly Sighting[],
  ): readonly Sighting[] {
    const row = entry.upstreamId === null ? undefined : byId.get(entry.upstreamId);
    if (!row || marked.length === 0 || marked.includes(row)) return [];
    const { ledger } = this.#parts;
    const marker = ledger.markerOf(ledger.record(entry.interventionId).uid);
    const base = JSON.parse(entry.base ?? "{}") as CentreRecord;
    return identityOf(row, { marker, base, watermark: entry.watermark }) === "ours" ? [row] : [];
  }

  /** Ends the search for a record of which the list shows no second one. @returns false when there is more to do */
  #endSingle({ entry, marked }: Found, isWhole: boolean): boolean {
    const { ledger, watch } = this.#parts;
    const now = ledger.entry(entry.interventionId);
    // Linked to another one since the list was read, which does not show that one: it is swept another time.
    if (now.phase !== entry.phase || now.upstreamId !== entry.upstreamId || now.sweepAtMs !== entry.sweepAtMs)
      return true;
    if (watch.isOpen && marked.some(({ id }) => id !== now.upstreamId)) return false;
    this.#end(entry.interventionId, isWhole && watch.isOpen);
    return true;
  }

  /** @param marked the records there that bear its reference */
  async #sweep(interventionId: number, marked: readonly Sighting[], isWhole: boolean): Promise<void> {
    const { ledger, watch } = this.#parts;
    // What was seen twice is seen to, however little of the list could be read; only all of it ends the search.
    const doubles = watch.isOpen ? ledger.write(() => this.#doubles(interventionId, marked, isWhole)) : [];
    const isClean = watch.isOpen && (await this.#remove(interventionId, doubles));
    ledger.write(() => this.#end(interventionId, isClean && isWhole));
  }

  /** @returns whether none is left */
  async #remove(interventionId: number, doubles: readonly Sighting[]): Promise<boolean> {
    const { centre, watch, log } = this.#parts;
    for (const double of doubles) {
      const verdict = await centre.write({ method: "DELETE", path: `/interventii/${double.id}` });
      await watch.note(verdict);
      if (verdict.event !== "removed") return false;
      log.info("double-removed", { interventionId, upstreamId: double.id });
    }
    return true;
  }

  /** The records there that are ours and too many. Where a dispatcher has worked on one of them, that one is kept. */
  #doubles(interventionId: number, marked: readonly Sighting[], isWhole: boolean): Sighting[] {
    const { ledger } = this.#parts;
    const entry = ledger.entry(interventionId);
    const stored = ledger.record(interventionId);
    const ours = marked.filter((row) => !isAnothers(this.#parts, entry, row));
    for (const row of ours) claim(this.#parts, entry, row);
    const extras = ours.filter(({ id }) => id !== entry.upstreamId);
    // Deleted here is deleted there, whoever has worked on it.
    if (entry.phase === "closed") return entry.deleted ? extras : [];
    if (entry.phase === "gone") return this.#adopt(entry, ours);
    if (extras.length === 0) return [];
    // What has come here of a record lives on in the one that is kept: the merge brings it there.
    const here = ledger.outgoing(fieldsOf(stored.record), stored.uid);
    const known = [ledger.sentOf(entry), here];
    const isSpare = (row: Sighting, kept: Sighting | undefined): boolean =>
      isUntouched(row, kept ? [...known, kept] : known, entry.ghosts);
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
    if (isTold) this.#tellPeople(entry, extras);
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
    linked: Sighting | undefined;
    touched: Sighting | undefined;
    oldest: Sighting;
    isSpare: (row: Sighting, kept: Sighting | undefined) => boolean;
  }): Sighting | undefined {
    if (touched) return !linked || isSpare(linked, touched) ? touched : undefined;
    if (!linked) return oldest;
    return oldest.id < linked.id && isSpare(linked, oldest) ? oldest : undefined;
  }

  #tellPeople({ interventionId, upstreamId }: OutboxEntry, extras: readonly Sighting[]): void {
    const ids = extras.map(({ id }) => id);
    this.#parts.ledger.tellConflict(interventionId, {
      reason: `the centre has this record more than once (${ids.join(", ")} beside ${upstreamId}) and people have worked on each; delete all but one there`,
    });
  }

  /** Of two records the one that was linked is deleted: then the other one is it. */
  #adopt(entry: OutboxEntry, ours: readonly Sighting[]): Sighting[] {
    const { ledger, patience, clock } = this.#parts;
    const kept = keptOf(ours, [ledger.sentOf(entry)], entry.ghosts);
    if (!kept || !entry.attempt) return [];
    const linked = foundAs(entry, kept.id, {
      patience,
      wallMs: clock.wallMs(),
      honoursKeys: ledger.facts.honoursKeys,
    });
    ledger.apply(entry, "found", linked);
    return [];
  }

  #relink(entry: OutboxEntry, { id }: Sighting): void {
    const { ledger, clock } = this.#parts;
    // What was sent at first is what both have in common: the merge brings our later changes and keeps theirs.
    const body = entry.attempt?.body ?? entry.base ?? "{}";
    ledger.outbox.save({
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
    const { ledger, clock, patience } = this.#parts;
    const entry = ledger.entry(interventionId);
    const nowMs = clock.wallMs();
    if (!isDone) {
      const { nextAtMs = 0 } = afterFailure(
        entry,
        { link: "ok", code: "", reason: "" },
        momentOf(this.#parts),
      );
      ledger.outbox.save({ ...entry, sweepAtMs: Math.max(nextAtMs, nowMs + POSTPONE_LEAST_MS) });
      return;
    }
    const sweeps = entry.sweeps + 1;
    const nextMs = entry.doubted ? patience.sweepMs[sweeps] : undefined;
    ledger.outbox.save({
      ...entry,
      sweeps,
      sweepAtMs: nextMs === undefined ? null : nowMs + nextMs,
      ...(nextMs === undefined ? { attempt: null, doubted: false } : {}),
    });
  }
}

/** A flush for each would take a slow card seconds, and all in one would hold up the readings of the sensors. */
const IN_ONE_COMMIT = 50;
/** What a dispatcher does after the list was read is not in it. */
const LIST_AGE_MS = 60_000;
/** A sweep that could not be finished is tried again no sooner. */
const POSTPONE_LEAST_MS = 60_000;
