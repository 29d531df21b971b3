import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import { markersIn } from "../domain/marker.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { isUntouched, keptOf, type Sighting } from "../domain/sighting.ts";
import { momentOf, type SyncParts } from "./parts.ts";
import { claim, isAnothers } from "./restore.ts";
import { recordsAbove, watermarkOf } from "./search.ts";
import { afterFailure, foundAs } from "./settlement.ts";

/** After a POST: looks for a second record that came of it, and removes it. */
export class Sweeping {
  readonly #parts: SyncParts;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /** Looks for the doubles of several records in one reading of the centre's list. */
  async work(due: readonly OutboxEntry[]): Promise<void> {
    const [lowest] = [...due].sort((a, b) => (a.watermark ?? 0) - (b.watermark ?? 0));
    if (!lowest) return;
    const { centre, ledger, watch } = this.#parts;
    const walk = await recordsAbove(centre, watermarkOf(lowest));
    const isWhole = walk.kind === "complete";
    if (!isWhole) await watch.note(walk.verdict);
    if (isWhole && walk.isRestored) ledger.write(() => ledger.outbox.auditAll());
    const byMarker = new Map<string, Sighting[]>();
    for (const row of isWhole ? walk.rows : walk.seen)
      for (const marker of markersIn(row)) byMarker.set(marker, [...(byMarker.get(marker) ?? []), row]);
    for (const { interventionId } of due) {
      const marker = ledger.markerOf(ledger.record(interventionId).uid);
      // What was seen twice is seen to, however little of the list could be read; only all of it ends the search.
      if (watch.isOpen) await this.#sweep(interventionId, byMarker.get(marker) ?? [], isWhole);
      else this.#postpone(interventionId);
    }
  }

  /** @param marked the records there that bear its reference */
  async #sweep(interventionId: number, marked: readonly Sighting[], isWhole: boolean): Promise<void> {
    const { centre, ledger, watch } = this.#parts;
    for (const double of ledger.write(() => this.#doubles(interventionId, marked))) {
      const verdict = await centre.write({ method: "DELETE", path: `/interventii/${double.id}` });
      await watch.note(verdict);
      if (verdict.event !== "removed") return this.#postpone(interventionId);
      this.#parts.log.info("double-removed", { interventionId, upstreamId: double.id });
    }
    if (isWhole) this.#finish(interventionId);
    else this.#postpone(interventionId);
  }

  /** The records there that are ours and too many. Where a dispatcher has worked on one of them, that one is kept. */
  #doubles(interventionId: number, marked: readonly Sighting[]): Sighting[] {
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

  #finish(interventionId: number): void {
    const { ledger, clock, patience } = this.#parts;
    ledger.write(() => {
      const entry = ledger.entry(interventionId);
      const sweeps = entry.sweeps + 1;
      const nextMs = entry.doubted ? patience.sweepMs[sweeps] : undefined;
      ledger.outbox.save({
        ...entry,
        sweeps,
        sweepAtMs: nextMs === undefined ? null : clock.wallMs() + nextMs,
        ...(nextMs === undefined ? { attempt: null, doubted: false } : {}),
      });
    });
  }

  #postpone(interventionId: number): void {
    const { ledger, clock } = this.#parts;
    ledger.write(() => {
      const entry = ledger.entry(interventionId);
      const { nextAtMs = 0 } = afterFailure(
        entry,
        { link: "ok", code: "", reason: "" },
        momentOf(this.#parts),
      );
      ledger.outbox.save({ ...entry, sweepAtMs: Math.max(nextAtMs, clock.wallMs() + POSTPONE_LEAST_MS) });
    });
  }
}

/** A sweep that could not be finished is tried again no sooner. */
const POSTPONE_LEAST_MS = 60_000;
