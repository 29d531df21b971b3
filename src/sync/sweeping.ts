import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { carries, isUntouched, keptOf, type Sighting } from "../domain/sighting.ts";
import { momentOf, type SyncParts } from "./parts.ts";
import { claim, isAnothers } from "./restore.ts";
import { recordsAbove, watermarkOf } from "./search.ts";
import { afterFailure, linkedTo } from "./settlement.ts";

/** After a POST that was not answered: looks for a second record that came of it later, and removes it. */
export class Sweeping {
  readonly #parts: SyncParts;

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  async work(due: OutboxEntry): Promise<void> {
    const { interventionId } = due;
    const { centre, ledger, watch } = this.#parts;
    const walk = await recordsAbove(centre, watermarkOf(due));
    if (walk.kind === "undetermined") {
      this.#postpone(interventionId);
      return watch.note(walk.verdict);
    }
    const doubles = ledger.write(() => {
      if (walk.isRestored) ledger.outbox.auditAll();
      return this.#doubles(interventionId, walk.rows);
    });
    for (const double of doubles) {
      const verdict = await centre.write({ method: "DELETE", path: `/interventii/${double.id}` });
      await watch.note(verdict);
      if (verdict.event !== "removed") return this.#postpone(interventionId);
      this.#parts.log.info("double-removed", { interventionId, upstreamId: double.id });
    }
    this.#finish(interventionId);
  }

  /** The records there that are ours and too many. Where a dispatcher has worked on one of them, that one is kept. */
  #doubles(interventionId: number, rows: readonly Sighting[]): Sighting[] {
    const { ledger } = this.#parts;
    const entry = ledger.entry(interventionId);
    const stored = ledger.record(interventionId);
    const marker = ledger.markerOf(stored.uid);
    const ours = rows.filter((row) => carries(row, marker) && !isAnothers(this.#parts, entry, row));
    for (const row of ours) claim(this.#parts, entry, row);
    const extras = ours.filter(({ id }) => id !== entry.upstreamId);
    // Deleted here is deleted there, whoever has worked on it.
    if (entry.phase === "closed") return extras;
    if (entry.phase === "gone") return this.#adopt(entry, ours);
    // What has come here of a record lives on in the one that is kept: the merge brings it there.
    const here = ledger.outgoing(fieldsOf(stored.record), stored.uid);
    const known = [ledger.sentOf(entry), here];
    const isSpare = (row: Sighting, kept: Sighting | undefined): boolean =>
      isUntouched(row, kept ? [...known, kept] : known, entry.ghosts);
    const linked = ours.find(({ id }) => id === entry.upstreamId);
    const [touched, ...further] = extras.filter((row) => !isSpare(row, linked));
    if (!touched) return extras;
    const isBetter = entry.phase === "linked" && linked && further.length === 0 && isSpare(linked, touched);
    if (isBetter) this.#relink(entry, touched);
    else this.#tellPeople(entry, extras);
    const kept = isBetter ? touched : linked;
    return ours.filter((row) => row.id !== (kept?.id ?? entry.upstreamId) && isSpare(row, kept));
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
    const linked = linkedTo(entry, kept.id, entry.attempt.body, patience, clock.wallMs());
    ledger.apply(entry, "found", { ...linked, verifyAtMs: clock.wallMs() });
    return [];
  }

  #relink(entry: OutboxEntry, { id }: Sighting): void {
    const { ledger, clock } = this.#parts;
    if (!entry.attempt) throw new Error(`intervention ${entry.interventionId} is swept without an attempt`);
    ledger.outbox.save({
      ...entry,
      upstreamId: id,
      // What was sent at first is what both have in common: the merge brings our later changes and keeps theirs.
      base: entry.attempt.body,
      agreed: JSON.stringify(fieldsOf(JSON.parse(entry.attempt.body) as Intervention)),
      syncedRev: Math.min(entry.attempt.rev, entry.wantRev - 1),
      verifyAtMs: clock.wallMs(),
      nextAtMs: 0,
    });
  }

  #finish(interventionId: number): void {
    const { ledger, clock, patience } = this.#parts;
    ledger.write(() => {
      const entry = ledger.entry(interventionId);
      const sweeps = entry.sweeps + 1;
      const nextMs = patience.sweepMs[sweeps];
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
