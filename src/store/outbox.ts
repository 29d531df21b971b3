import type { OutboxAttempt, OutboxEntry, OutboxPhase } from "../domain/outbox.ts";
import type { Database } from "./database.ts";

/** What the outbox holds, in numbers that people ask for. */
export interface OutboxSummary {
  /** Records that the centre does not have in their newest form and that will go there by themselves. */
  readonly waiting: number;
  readonly blocked: number;
  readonly rejected: number;
  readonly gone: number;
  /** Wall clock of the oldest waiting record's last change, milliseconds since 1970; null when none waits. */
  readonly oldestWaitingMs: number | null;
}

/** The outbox: one row a record, written in the record's own transaction. */
export class OutboxStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The first entry of a record. */
  insert(interventionId: number, rank: number): void {
    this.#database
      .prepare("INSERT INTO outbox(intervention_id, phase, rank, want_rev) VALUES(?, 'new', ?, 1)")
      .run(interventionId, rank);
  }

  find(interventionId: number): OutboxEntry | undefined {
    return toEntry(
      this.#database.prepare("SELECT * FROM outbox WHERE intervention_id = ?").get(interventionId),
    );
  }

  /** The entry whose record has that id at the centre. */
  findByUpstreamId(upstreamId: number): OutboxEntry | undefined {
    return toEntry(this.#database.prepare("SELECT * FROM outbox WHERE upstream_id = ?").get(upstreamId));
  }

  /** Writes an entry back as a whole. */
  save(entry: OutboxEntry): void {
    const { attempt, deleted, ...plain } = entry;
    this.#database
      .prepare(
        `UPDATE outbox SET phase = :phase, rank = :rank, want_rev = :wantRev, synced_rev = :syncedRev,
           deleted = :deleted, upstream_id = :upstreamId, base = :base, attempt_key = :key, attempt_body = :body,
           attempt_rev = :rev, attempt_at = :atMs, sends = :sends, attempts = :attempts, next_at = :nextAtMs,
           last_code = :lastCode, last_error = :lastError
         WHERE intervention_id = :interventionId`,
      )
      .run({ ...plain, ...(attempt ?? NO_ATTEMPT), deleted: Number(deleted) });
  }

  /** The first entry that may be worked on now: high priority first, then the order of creation. */
  nextDue(nowMs: number): OutboxEntry | undefined {
    return toEntry(
      this.#database
        .prepare(
          `SELECT * FROM outbox WHERE (${ACTIVE}) AND next_at <= ? ORDER BY rank, intervention_id LIMIT 1`,
        )
        .get(nowMs),
    );
  }

  /** When the next waiting entry becomes due, milliseconds since 1970. */
  nextDueAtMs(): number | undefined {
    return (
      (this.#database.prepare(`SELECT min(next_at) FROM outbox WHERE ${ACTIVE}`).pluck().get() as
        | number
        | null) ?? undefined
    );
  }

  /** Entries in a phase, oldest record first. */
  inPhases(phases: readonly OutboxPhase[], limit: number): OutboxEntry[] {
    return this.#database
      .prepare(
        "SELECT * FROM outbox WHERE phase IN (SELECT value FROM json_each(?)) ORDER BY intervention_id LIMIT ?",
      )
      .all(JSON.stringify(phases), limit)
      .map((row) => toEntry(row) as OutboxEntry);
  }

  /** Entries that are not at rest, in the order in which they will be worked on. */
  pending(limit: number): OutboxEntry[] {
    return this.#database
      .prepare(
        `SELECT * FROM outbox WHERE ${ACTIVE} OR phase IN ('rejected','gone')
         ORDER BY rank, intervention_id LIMIT ?`,
      )
      .all(limit)
      .map((row) => toEntry(row) as OutboxEntry);
  }

  /** Makes every waiting entry due at once. */
  makeAllDue(): void {
    this.#database.prepare(`UPDATE outbox SET next_at = 0 WHERE ${ACTIVE}`).run();
  }

  /** Brings entries that wait longer than any back-off can ask for (the clock went back) down to that limit. */
  clampNextAt(latestMs: number): void {
    this.#database
      .prepare("UPDATE outbox SET next_at = :latestMs WHERE next_at > :latestMs")
      .run({ latestMs });
  }

  summary(): OutboxSummary {
    const counts = this.#database
      .prepare(
        `SELECT
           count(*) FILTER (WHERE phase = 'blocked') AS blocked,
           count(*) FILTER (WHERE phase = 'rejected') AS rejected,
           count(*) FILTER (WHERE phase = 'gone') AS gone
         FROM outbox WHERE phase IN ('blocked','rejected','gone')`,
      )
      .get() as { blocked: number; rejected: number; gone: number };
    const waiting = this.#database
      .prepare(
        `SELECT count(*) AS waiting, min(interventions.updated_at) AS oldestWaitingMs
         FROM outbox JOIN interventions ON interventions.id = outbox.intervention_id WHERE ${ACTIVE} AND phase <> 'blocked'`,
      )
      .get() as { waiting: number; oldestWaitingMs: number | null };
    return { ...counts, ...waiting };
  }
}

/** Entries with work to do; the partial index outbox_due covers exactly these. */
const ACTIVE =
  "(phase IN ('new','posting','unsure','writing','blocked') OR (phase = 'linked' AND want_rev > synced_rev))";

const NO_ATTEMPT = { key: null, body: null, rev: null, atMs: null };

interface OutboxRow {
  readonly intervention_id: number;
  readonly phase: OutboxPhase;
  readonly rank: number;
  readonly want_rev: number;
  readonly synced_rev: number;
  readonly deleted: 0 | 1;
  readonly upstream_id: number | null;
  readonly base: string | null;
  readonly attempt_key: string | null;
  readonly attempt_body: string | null;
  readonly attempt_rev: number | null;
  readonly attempt_at: number | null;
  readonly sends: number;
  readonly attempts: number;
  readonly next_at: number;
  readonly last_code: string | null;
  readonly last_error: string | null;
}

function toEntry(found: unknown): OutboxEntry | undefined {
  if (found === undefined) return undefined;
  const row = found as OutboxRow;
  return {
    interventionId: row.intervention_id,
    phase: row.phase,
    rank: row.rank,
    wantRev: row.want_rev,
    syncedRev: row.synced_rev,
    deleted: row.deleted === 1,
    upstreamId: row.upstream_id,
    base: row.base,
    attempt: toAttempt(row),
    sends: row.sends,
    attempts: row.attempts,
    nextAtMs: row.next_at,
    lastCode: row.last_code,
    lastError: row.last_error,
  };
}

function toAttempt(row: OutboxRow): OutboxAttempt | null {
  if (row.attempt_key === null || row.attempt_body === null) return null;
  return {
    key: row.attempt_key,
    body: row.attempt_body,
    rev: row.attempt_rev ?? 0,
    atMs: row.attempt_at ?? 0,
  };
}
