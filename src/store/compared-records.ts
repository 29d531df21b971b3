import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import { Store } from "./database.ts";
import { setLastNumber } from "./sequence-gaps.ts";
import { storedJson } from "./stored-json.ts";

/** A record and its outbox state, for the comparison with the dispatch centre. */
export interface ComparedRow {
  readonly interventionId: number;
  readonly uid: string;
  readonly name: string;
  readonly phase: OutboxPhase;
  readonly upstreamId: number | null;
  readonly isDeleted: boolean;
  readonly watermark: number | null;
  /** Wall clock of the last local change, milliseconds since 1970. */
  readonly changedAtMs: number;
  /** What the caller keeps of the record as last known there. */
  readonly base: UpstreamRecord;
}

/** A record and its counterpart at the dispatch centre. */
interface Link {
  readonly interventionId: number;
  readonly upstreamId: number;
}

/** The records of this site including tombstones, for the comparison with the dispatch centre. */
export class ComparedRecords extends Store {
  readonly #all = this.prepare<
    Omit<ComparedRow, "isDeleted" | "base"> & { deleted: 0 | 1; base: string | null }
  >(
    `SELECT intervention_id AS interventionId, uid, name, phase, upstream_id AS upstreamId, deleted, watermark,
       updated_at AS changedAtMs, base
     FROM outbox JOIN interventions ON interventions.id = outbox.intervention_id ORDER BY intervention_id`,
  );
  readonly #links = this.prepare<{ id: number; upstreamId: number }>(
    "SELECT intervention_id AS id, upstream_id AS upstreamId FROM outbox WHERE upstream_id IS NOT NULL",
  );
  readonly #bases = this.prepare<Link & { rank: number; isLaterRead: 0 | 1; base: string | null }>(
    `SELECT intervention_id AS interventionId, upstream_id AS upstreamId, rank, verify_at IS NOT NULL AS isLaterRead, base
     FROM outbox WHERE phase = 'linked' AND deleted = 0 AND want_rev = synced_rev`,
  );
  readonly #sent = this.prepare(
    "SELECT 1 FROM outbox WHERE upstream_id IS NOT NULL OR watermark IS NOT NULL LIMIT 1",
  );
  readonly #highestLinked = this.prepare<number>(
    "SELECT coalesce(max(upstream_id), 0) FROM outbox WHERE upstream_id IS NOT NULL",
  ).pluck();

  /**
   * All records. One row at a time is read, because all texts together may be too large for the memory.
   * @param baseOf what to keep of a record as last known at the centre
   */
  all(baseOf: (base: UpstreamRecord) => UpstreamRecord): ComparedRow[] {
    const rows: ComparedRow[] = [];
    for (const { deleted, base, ...row } of this.#all.iterate()) {
      const kept = baseOf(storedJson<UpstreamRecord>(base ?? "{}", {}));
      rows.push({ ...row, isDeleted: deleted === 1, base: kept });
    }
    return rows;
  }

  /** The current upstream id of each linked record, by its local id. */
  links(): Map<number, number> {
    return new Map(this.#links.all().map(({ id, upstreamId }) => [id, upstreamId]));
  }

  /**
   * The linked records without a change to send whose base fits: those first that are still read regularly, then by priority, the
   * newest first. One row at a time is read here as well.
   * @param fits called with the id and the record as last known at the centre
   */
  linksWhere(fits: (upstreamId: number, base: UpstreamRecord) => boolean): Link[] {
    const found: (Link & { rank: number; isLaterRead: number })[] = [];
    for (const { base, ...link } of this.#bases.iterate())
      if (fits(link.upstreamId, storedJson<UpstreamRecord>(base ?? "{}", {}))) found.push(link);
    return found.sort(
      (a, b) => b.isLaterRead - a.isLaterRead || a.rank - b.rank || b.interventionId - a.interventionId,
    );
  }

  /** Whether any record was ever sent to a dispatch centre. */
  hasSent(): boolean {
    return this.#sent.get() !== undefined;
  }

  /** The highest upstream id of a linked record; 0 for none. */
  highestLinked(): number {
    return this.#highestLinked.get() as number;
  }

  /** Skips this number of ids above the highest one, so that they are never assigned. */
  skipIds(count: number): void {
    const highest = this.prepare<number>(
      `SELECT max(coalesce((SELECT max(id) FROM interventions), 0),
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'interventions'), 0))`,
    ).pluck();
    setLastNumber(this.database, "interventions", (highest.get() as number) + count);
  }
}
