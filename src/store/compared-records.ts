import type { UpstreamRecord } from "../domain/merge.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import type { Database } from "./database.ts";

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
  readonly base: UpstreamRecord;
}

/** The records of this site including tombstones, for the comparison with the dispatch centre. */
export class ComparedRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): ComparedRow[] {
    const rows = this.#database
      .prepare(
        `SELECT intervention_id AS interventionId, uid, name, phase, upstream_id AS upstreamId, deleted, watermark,
           updated_at AS changedAtMs, base
         FROM outbox JOIN interventions ON interventions.id = outbox.intervention_id ORDER BY intervention_id`,
      )
      .all() as (Omit<ComparedRow, "isDeleted" | "base"> & { deleted: 0 | 1; base: string | null })[];
    return rows.map(({ deleted, base, ...row }) => ({
      ...row,
      isDeleted: deleted === 1,
      base: JSON.parse(base ?? "{}") as UpstreamRecord,
    }));
  }

  /** The current upstream id of each linked record, by its local id. */
  links(): Map<number, number> {
    const rows = this.#database
      .prepare(
        "SELECT intervention_id AS id, upstream_id AS upstreamId FROM outbox WHERE upstream_id IS NOT NULL",
      )
      .all() as { id: number; upstreamId: number }[];
    return new Map(rows.map(({ id, upstreamId }) => [id, upstreamId]));
  }

  /** Whether any record was ever sent to a dispatch centre. */
  hasSent(): boolean {
    return (
      this.#database
        .prepare("SELECT 1 FROM outbox WHERE upstream_id IS NOT NULL OR watermark IS NOT NULL LIMIT 1")
        .get() !== undefined
    );
  }

  /** The highest upstream id of a linked record; 0 for none. */
  highestLinked(): number {
    return this.#database
      .prepare("SELECT coalesce(max(upstream_id), 0) FROM outbox WHERE upstream_id IS NOT NULL")
      .pluck()
      .get() as number;
  }

  /** Skips this number of ids above the highest one, so that they are never assigned. */
  skipIds(count: number): void {
    const highest = this.#database
      .prepare("SELECT coalesce(max(id), 0) FROM interventions")
      .pluck()
      .get() as number;
    const seq = this.#database
      .prepare("SELECT seq FROM sqlite_sequence WHERE name = 'interventions'")
      .pluck();
    const next = Math.max(highest, (seq.get() as number | undefined) ?? 0) + count;
    const { changes } = this.#database
      .prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'interventions'")
      .run(next);
    if (changes === 0)
      this.#database.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES('interventions', ?)").run(next);
  }
}
