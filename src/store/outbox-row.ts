import {
  hasUnsentTrip,
  type InFlightValues,
  type OutboxAttempt,
  type OutboxEntry,
} from "../domain/outbox.ts";
import { storedJson } from "./stored-json.ts";

/** The columns of an entry, each with its name in an `OutboxRow`. */
export const ENTRY = `intervention_id AS interventionId, phase AS phase, rank AS priorityOrder, want_rev AS wantRev,
  synced_rev AS syncedRev, deleted AS deleted, upstream_id AS upstreamId, base AS base, attempt_key AS attemptKey,
  attempt_body AS attemptBody, attempt_rev AS attemptRev, attempt_at AS attemptAtMs, sends AS sends, attempts AS attempts,
  next_at AS nextAtMs, last_code AS lastCode, last_error AS lastError, agreed AS agreed, watermark AS watermark,
  witness AS watermarkFingerprint, doubted AS possiblyDuplicated, sweeps AS sweeps, sweep_at AS sweepAtMs,
  verify_at AS verifyAtMs, missing_since AS missingSinceMs, refusals AS refusals, joined_rev AS joinedRev,
  joined_at AS joinedAtMs, unpulled AS unpulled, arrived_at AS arrivedAtMs, ghosts AS inFlightValues, ghosts_until AS inFlightUntilMs`; // words: allowed

const STORED = ENTRY.split(/,\s+/)
  .map((one) => one.split(" AS ") as [column: string, name: keyof OutboxRow])
  .filter(([column]) => column !== "intervention_id");

/** The columns of a stored entry after its key, in the order of `valuesOf`. */
export const ENTRY_COLUMNS = STORED.map(([column]) => column);

/** An entry as it is stored. */
export interface OutboxRow extends Omit<
  OutboxEntry,
  "deleted" | "attempt" | "possiblyDuplicated" | "inFlightValues" | "joinedRev" | "unpulled"
> {
  readonly deleted: 0 | 1;
  readonly attemptKey: string | null;
  readonly attemptBody: string | null;
  readonly attemptRev: number | null;
  readonly attemptAtMs: number | null;
  readonly possiblyDuplicated: 0 | 1;
  readonly inFlightValues: string | null;
  readonly joinedRev: number | null;
  readonly unpulled: string | null;
}

/** The values of an entry for `ENTRY_COLUMNS`. */
export function valuesOf({
  attempt,
  inFlightValues,
  unpulled,
  ...entry
}: OutboxEntry): (string | number | null)[] {
  // Once confirmed by the centre, a later doubt about its content does not mark it as a missing trip again.
  const lacksTrip = hasUnsentTrip(entry);
  const row: OutboxRow = {
    ...entry,
    deleted: entry.deleted ? 1 : 0,
    attemptKey: attempt?.key ?? null,
    attemptBody: attempt?.body ?? null,
    attemptRev: attempt?.rev ?? null,
    attemptAtMs: attempt?.atMs ?? null,
    possiblyDuplicated: entry.possiblyDuplicated ? 1 : 0,
    inFlightValues: Object.keys(inFlightValues).length === 0 ? null : JSON.stringify(inFlightValues),
    joinedRev: lacksTrip ? entry.joinedRev : null,
    joinedAtMs: lacksTrip ? entry.joinedAtMs : null,
    unpulled: unpulled.length === 0 ? null : JSON.stringify(unpulled),
  };
  return STORED.map(([, name]) => row[name]);
}

/** The entry of a row. */
export function toEntry({
  attemptKey,
  attemptBody,
  attemptRev,
  attemptAtMs,
  ...row
}: OutboxRow): OutboxEntry {
  const attempt: OutboxAttempt | null =
    attemptKey === null || attemptBody === null
      ? null
      : { key: attemptKey, body: attemptBody, rev: attemptRev ?? 0, atMs: attemptAtMs ?? 0 };
  return {
    ...row,
    attempt,
    deleted: row.deleted === 1,
    possiblyDuplicated: row.possiblyDuplicated === 1,
    inFlightValues: row.inFlightValues === null ? {} : storedJson<InFlightValues>(row.inFlightValues, {}),
    joinedRev: row.joinedRev ?? 0,
    unpulled: row.unpulled === null ? [] : storedJson<readonly string[]>(row.unpulled, []),
  };
}
