import type { Statement } from "better-sqlite3";
import { NEWEST_MISSING } from "../domain/absence.ts";
import type { Comparison } from "../domain/difference.ts";
import {
  VERIFY_IMMEDIATELY,
  type OutboxEntry,
  type OutboxSummary,
  URGENT_PRIORITY_ORDER,
  WAITS_FOR_LINK,
} from "../domain/outbox.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import { BLOCKED_RETRY_MS, CHECK_INTERVAL_MS_MAX } from "../domain/backoff.ts";
import { UpstreamCapabilities } from "./upstream-capabilities.ts";
import { Store } from "./database.ts";
import { ACTIVE, STUCK } from "./due-entries.ts";
import { CachedResult } from "./cached-result.ts";
import { ENTRY, ENTRY_COLUMNS, type OutboxRow, toEntry, valuesOf } from "./outbox-row.ts";
import { SummedInsert, SummedUpdate } from "./row-checksums.ts";

/** Entries that wait for their objective at the dispatch centre. */
const BLOCKED = `${ACTIVE} AND phase = 'blocked'`;

/** Columns of a new entry, and those that are 0 in it. */
const INITIAL_COLUMNS = ["intervention_id", "phase", "rank", "want_rev", "doubted", "watermark"];
const ZERO_COLUMNS = ["synced_rev", "deleted", "sends", "attempts", "next_at", "sweeps", "refusals"];

/** The outbox: one row per record, written in the record's own transaction. */
export class OutboxStore extends Store {
  readonly #facts = new UpstreamCapabilities(this.database);
  readonly #insert = new SummedInsert(this.database, "outbox", [...INITIAL_COLUMNS, ...ZERO_COLUMNS]);
  readonly #soughtAbove = this.prepare<number>(
    "SELECT watermark FROM sought_records WHERE uid = (SELECT uid FROM interventions WHERE id = ?)",
  ).pluck();
  readonly #find = this.prepare<OutboxRow>(`SELECT ${ENTRY} FROM outbox WHERE intervention_id = ?`);
  readonly #findByUpstreamId = this.prepare<OutboxRow>(`SELECT ${ENTRY} FROM outbox WHERE upstream_id = ?`);
  readonly #save = new SummedUpdate(this.database, "outbox", "intervention_id", ENTRY_COLUMNS);
  readonly #dueSweeps = this.prepare<OutboxRow>(
    `SELECT ${ENTRY} FROM outbox WHERE sweep_at <= :nowMs AND phase IN ('linked','closed','gone')
     ORDER BY sweep_at LIMIT :limit`,
  );
  readonly #shiftDeadlines = this.prepare(
    `UPDATE outbox SET next_at = iif(next_at = ${WAITS_FOR_LINK}, next_at, max(0, next_at + :byMs)), attempt_at = attempt_at + :byMs, sweep_at = sweep_at + :byMs,
       ghosts_until = ghosts_until + :byMs, missing_since = missing_since + :byMs, joined_at = joined_at + :byMs,
       verify_at = iif(verify_at = ${VERIFY_IMMEDIATELY}, ${VERIFY_IMMEDIATELY}, max(verify_at + :byMs, ${VERIFY_IMMEDIATELY + 1}))
     WHERE phase <> 'closed' OR sweep_at IS NOT NULL`,
  );
  readonly #inPhases = this.prepare<OutboxRow>(
    `SELECT ${ENTRY} FROM outbox WHERE phase IN (SELECT value FROM json_each(?)) ORDER BY intervention_id LIMIT ?`,
  );
  // Several queries, because each uses its own index; a single condition would read and sort every entry.
  readonly #pending = [`${ACTIVE} AND phase <> 'blocked'`, BLOCKED, STUCK].map((which) => this.#list(which));
  readonly #needingAttention = [BLOCKED, `${STUCK} AND phase <> 'linked'`].map((which) => this.#list(which));
  readonly #joinedSince = this.prepare<OutboxRow>(
    `SELECT ${ENTRY} FROM outbox WHERE phase IN ('gone','closed') AND deleted = 0 AND joined_rev > synced_rev`,
  );
  readonly #newestMissing = this.prepare<OutboxRow>(
    `SELECT ${ENTRY} FROM outbox WHERE ${STUCK} AND phase = 'gone' AND deleted = 0 AND last_code = '${NEWEST_MISSING}'`,
  );
  readonly #nameOf = this.prepare<string>("SELECT name FROM interventions WHERE id = ?").pluck();
  readonly #makeBlockedDue = this.prepare(
    "UPDATE outbox SET next_at = 0 WHERE phase = 'blocked' AND next_at > 0",
  );
  readonly #linkedBetween = this.prepare<number>(
    "SELECT count(*) FROM outbox WHERE upstream_id > ? AND upstream_id <= ? AND phase IN ('linked','writing')",
  ).pluck();
  // One query per index: a single condition would read every entry, those of years ago included.
  readonly #stuck = this.prepare<Pick<OutboxSummary, "rejected" | "gone" | "rejectedAlarms" | "doubtful">>(
    `SELECT
       count(*) FILTER (WHERE phase = 'rejected') AS rejected,
       count(*) FILTER (WHERE phase = 'gone') AS gone,
       count(*) FILTER (WHERE phase = 'rejected' AND rank = ${URGENT_PRIORITY_ORDER}) AS rejectedAlarms,
       count(*) FILTER (WHERE phase = 'linked') AS doubtful
     FROM outbox WHERE ${STUCK}`,
  );
  readonly #active = this.prepare<
    Pick<OutboxSummary, "blocked" | "waiting" | "waitingAlarms"> & { blockedAlarms: number }
  >(
    `SELECT count(*) FILTER (WHERE phase = 'blocked') AS blocked, count(*) FILTER (WHERE phase <> 'blocked') AS waiting,
       count(*) FILTER (WHERE phase <> 'blocked' AND rank = ${URGENT_PRIORITY_ORDER}) AS waitingAlarms,
       count(*) FILTER (WHERE phase = 'blocked' AND rank = ${URGENT_PRIORITY_ORDER}) AS blockedAlarms
     FROM outbox WHERE ${ACTIVE}`,
  );
  // In the order of the ids, which is faster by half than a join in the order of sending. Further trips make none of them younger.
  readonly #oldestWaiting = this.prepare<Pick<OutboxSummary, "oldestWaitingMs">>(
    `SELECT min(atMs) AS oldestWaitingMs FROM (
       SELECT min(updated_at) AS atMs FROM interventions
         WHERE id IN (SELECT intervention_id FROM outbox WHERE ${ACTIVE} AND phase <> 'blocked')
       UNION ALL SELECT min(joined_at) FROM outbox WHERE ${ACTIVE} AND phase <> 'blocked')`,
  );
  readonly #summary = new CachedResult(this.database, () => {
    const { blockedAlarms = 0, ...active } = this.#active.get() ?? {};
    const { rejectedAlarms = 0, ...stuck } = this.#stuck.get() ?? {};
    const alarms = { rejectedAlarms: rejectedAlarms + blockedAlarms };
    return { ...stuck, ...active, ...alarms, ...this.#oldestWaiting.get() } as OutboxSummary;
  });

  /**
   * Adds the first entry of a record. A record recreated after a database loss may already be at the dispatch
   * centre.
   */
  insert(interventionId: number, priorityOrder: number): void {
    const watermark = this.#soughtAbove.get(interventionId) ?? null;
    const isSought = Number(watermark !== null);
    const initial = [interventionId, "new", priorityOrder, 1, isSought, watermark];
    this.#insert.run([...initial, ...ZERO_COLUMNS.map(() => 0)]);
  }

  find(interventionId: number): OutboxEntry | undefined {
    return this.#find.all(interventionId).map(toEntry)[0];
  }

  /** The entry of a record by its id at the dispatch centre. */
  findByUpstreamId(upstreamId: number): OutboxEntry | undefined {
    return this.#findByUpstreamId.all(upstreamId).map(toEntry)[0];
  }

  /** Writes all values of an entry. */
  save(entry: OutboxEntry): void {
    this.#save.run(entry.interventionId, valuesOf(entry));
  }

  /** Entries due for a sweep, longest overdue first. */
  dueSweeps(nowMs: number, limit: number): OutboxEntry[] {
    return this.#dueSweeps.all({ nowMs, limit }).map(toEntry);
  }

  /** Shifts all stored times after a clock step. */
  shiftDeadlines(byMs: number): void {
    this.#shiftDeadlines.run({ byMs });
  }

  /** Entries in some phases, oldest record first. */
  inPhases(phases: readonly OutboxPhase[], limit: number): OutboxEntry[] {
    return this.#inPhases.all(JSON.stringify(phases), limit).map(toEntry);
  }

  /** Entries in the order of sending: at most `limit` that are queued, that are blocked, and that are stuck. */
  pending(limit: number): { readonly entries: OutboxEntry[]; readonly isComplete: boolean } {
    const found = this.#pending.map((some) => some.all(limit + 1).map(toEntry));
    const entries = inOrder(found.flatMap((some) => some.slice(0, limit)));
    return { entries, isComplete: found.every(({ length }) => length <= limit) };
  }

  /** Entries that need a user's attention, in the order of sending. */
  needingAttention(limit: number): OutboxEntry[] {
    return inOrder(this.#needingAttention.flatMap((some) => some.all(limit).map(toEntry)));
  }

  /** Entries whose record a trip has joined after it was deleted upstream or dropped. */
  joinedSince(): OutboxEntry[] {
    return this.#joinedSince.all().map(toEntry);
  }

  /** Entries that are gone and whose record a dispatcher has deleted, or the centre has lost. */
  newestMissing(): OutboxEntry[] {
    return this.#newestMissing.all().map(toEntry);
  }

  /** The name of an entry's record, or of its tombstone. */
  nameOf({ interventionId }: OutboxEntry): string {
    return this.#nameOf.get(interventionId) as string;
  }

  /** Makes all queued entries due at once, and the verifications of synced ones. */
  makeAllDue(): void {
    this.database
      .prepare(`UPDATE outbox SET next_at = min(next_at, 0) WHERE ${ACTIVE} OR verify_at IS NOT NULL`)
      .run();
    // Keeps their order, so that each of many is verified in turn.
    this.database
      .prepare(
        `UPDATE outbox SET verify_at = max(${VERIFY_IMMEDIATELY + 1}, verify_at - ${CHECK_INTERVAL_MS_MAX}) WHERE verify_at > ${VERIFY_IMMEDIATELY}`,
      )
      .run();
  }

  /** Makes the entries due that wait for their objective at the dispatch centre. */
  makeBlockedDue(): void {
    this.#makeBlockedDue.run();
  }

  /** Limits times that are further ahead than possible, after the clock was set back while the daemon was stopped. */
  clampDeadlines(nowMs: number): void {
    this.database
      .prepare(
        `UPDATE outbox SET
           next_at = min(next_at, :latestMs), attempt_at = min(attempt_at, :nowMs),
           missing_since = min(missing_since, :nowMs),
           sweep_at = min(sweep_at, :latestCheckMs), verify_at = min(verify_at, :latestCheckMs),
           ghosts_until = min(ghosts_until, :latestCheckMs)
         WHERE next_at > :latestMs OR attempt_at > :nowMs OR missing_since > :nowMs OR sweep_at > :latestCheckMs
            OR verify_at > :latestCheckMs OR ghosts_until > :latestCheckMs`,
      )
      .run({ nowMs, latestMs: nowMs + BLOCKED_RETRY_MS, latestCheckMs: nowMs + CHECK_INTERVAL_MS_MAX });
    // Open records are verified more often.
    this.database
      .prepare(
        `UPDATE outbox SET verify_at = :latestMs WHERE verify_at > :latestMs AND phase = 'linked'
           AND intervention_id IN (SELECT id FROM interventions WHERE status <> 'done')`,
      )
      .run({ latestMs: nowMs + BLOCKED_RETRY_MS });
  }

  /**
   * Makes all linked records due for verification, after the dispatch centre was restored from a backup. It reuses
   * ids below every watermark.
   */
  auditAll(): void {
    this.database.prepare(`UPDATE outbox SET verify_at = ${VERIFY_IMMEDIATELY} WHERE phase = 'linked'`).run();
    this.database.prepare("UPDATE outbox SET watermark = 0, witness = NULL WHERE watermark > 0").run();
  }

  /** The number of linked records with an upstream id above the first and up to the second. */
  linkedBetween(aboveId: number, upToId: number): number {
    return this.#linkedBetween.get(aboveId, upToId) as number;
  }

  /** The last comparison with the dispatch centre; null before the first. */
  comparison(): Comparison | null {
    return this.#facts.comparison;
  }

  /** Counts of the queue and its oldest change. It is asked for every second, also with a long queue. */
  summary(): OutboxSummary {
    return this.#summary.get();
  }

  #list(which: string): Statement<unknown[], OutboxRow> {
    return this.prepare<OutboxRow>(
      `SELECT ${ENTRY} FROM outbox WHERE ${which} ORDER BY rank, intervention_id LIMIT ?`,
    );
  }
}

/** Each entry once, in the order of sending. */
function inOrder(entries: readonly OutboxEntry[]): OutboxEntry[] {
  const byId = new Map(entries.map((entry) => [entry.interventionId, entry]));
  return [...byId.values()].sort(
    (a, b) => a.priorityOrder - b.priorityOrder || a.interventionId - b.interventionId,
  );
}
