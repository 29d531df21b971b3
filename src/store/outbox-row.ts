import type { InFlightValues, OutboxAttempt, OutboxEntry } from "../domain/outbox.ts";
import type { OutboxPhase } from "../domain/outbox-phase.ts";
import { storedJson } from "./stored-json.ts";

/** The columns of a stored entry after its key, in the order of `valuesOf`. */
export const ENTRY_COLUMNS =
  `phase rank want_rev synced_rev deleted upstream_id base attempt_key attempt_body attempt_rev
  attempt_at sends attempts next_at last_code last_error agreed watermark witness doubted sweeps sweep_at
  ghosts ghosts_until verify_at missing_since refusals joined_rev arrived_at`.split(/\s+/); // words: allowed

/** The values of an entry for `ENTRY_COLUMNS`. */
export function valuesOf(entry: OutboxEntry): (string | number | null)[] {
  const { attempt, inFlightValues } = entry;
  return [
    entry.phase,
    entry.priorityOrder,
    entry.wantRev,
    entry.syncedRev,
    Number(entry.deleted),
    entry.upstreamId,
    entry.base,
    attempt?.key ?? null,
    attempt?.body ?? null,
    attempt?.rev ?? null,
    attempt?.atMs ?? null,
    entry.sends,
    entry.attempts,
    entry.nextAtMs,
    entry.lastCode,
    entry.lastError,
    entry.agreed,
    entry.watermark,
    entry.watermarkFingerprint,
    Number(entry.possiblyDuplicated),
    entry.sweeps,
    entry.sweepAtMs,
    Object.keys(inFlightValues).length === 0 ? null : JSON.stringify(inFlightValues),
    entry.inFlightUntilMs,
    entry.verifyAtMs,
    entry.missingSinceMs,
    entry.refusals,
    // Once confirmed by the centre, a later doubt about its content does not mark it as a missing trip again.
    entry.joinedRev > entry.syncedRev ? entry.joinedRev : null,
    entry.arrivedAtMs,
  ];
}

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
  readonly agreed: string | null;
  readonly watermark: number | null;
  readonly witness: string | null;
  readonly doubted: 0 | 1;
  readonly sweeps: number;
  readonly sweep_at: number | null;
  readonly ghosts: string | null; // words: allowed
  readonly ghosts_until: number | null;
  readonly verify_at: number | null;
  readonly missing_since: number | null;
  readonly refusals: number;
  readonly joined_rev: number | null;
  readonly arrived_at: number | null;
}

/** An entry from its row; undefined for no row. */
export function toEntry(found: unknown): OutboxEntry | undefined {
  if (found === undefined) return undefined;
  const row = found as OutboxRow;
  return {
    interventionId: row.intervention_id,
    phase: row.phase,
    priorityOrder: row.rank,
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
    agreed: row.agreed,
    watermark: row.watermark,
    watermarkFingerprint: row.witness,
    possiblyDuplicated: row.doubted === 1,
    sweeps: row.sweeps,
    sweepAtMs: row.sweep_at,
    inFlightValues: row.ghosts === null ? {} : storedJson<InFlightValues>(row.ghosts, {}), // words: allowed
    inFlightUntilMs: row.ghosts_until,
    verifyAtMs: row.verify_at,
    missingSinceMs: row.missing_since,
    refusals: row.refusals,
    joinedRev: row.joined_rev ?? 0,
    arrivedAtMs: row.arrived_at,
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
