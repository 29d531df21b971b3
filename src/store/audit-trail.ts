import { createHash } from "node:crypto";
import type { EventName } from "../domain/event.ts";
import { Store, type Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** A row of the event log. */
export interface EventRow {
  readonly seq: number;
  /** Wall clock, milliseconds since 1970. */
  readonly at: number;
  readonly event: EventName;
  readonly who: string;
  readonly origin: string;
  readonly subject: string;
  /** JSON. */
  readonly detail: string;
}

export interface AuditRow extends EventRow {
  readonly position: number;
  /** SHA-256 over the hash before it and this entry, in hexadecimal digits. */
  readonly hash: string;
}

/** Events about access, deletion and zones out of service. Routine events of records and sensors are not audited. */
const AUDITED: readonly EventName[] = [
  "signed-in",
  "sign-in-failed",
  "sign-in-blocked",
  "forbidden",
  "intervention-deleted",
  "account-added",
  "account-password-set",
  "account-role-changed",
  "account-disabled",
  "account-enabled",
  "signing-key-rotated",
  "signing-key-forgotten",
  "database-recovered",
  "database-restored",
  "backup-downloaded",
  "restart-ordered",
  "reload-applied",
  "reload-rejected",
  "configuration-changed",
  "configuration-reverted",
  "log-detailed",
  "machine-confirmed",
  "zone-bypassed",
  "zone-restored",
  "walk-test-started",
  "walk-test-ended",
];
/**
 * At most one entry per account and address in ten minutes, so that a client that signs in for each request does
 * not fill the disk.
 */
const REPEATED: ReadonlySet<EventName> = new Set<EventName>([
  "signed-in",
  "sign-in-failed",
  "sign-in-blocked",
  "forbidden",
]);
const REPEAT_WINDOW_MS = 600_000;
/** Maximum entries per hour of events that need no account, because guessed names are unlimited. */
const UNKNOWN: ReadonlySet<EventName> = new Set<EventName>(["sign-in-failed", "sign-in-blocked"]);
const UNKNOWN_MAX = 100;
const HOUR_MS = 3_600_000;

/** The hash before the first entry. */
const INITIAL_HASH = "0".repeat(64);

/** The audited events, kept by age and chained by hashes. */
export class AuditTrail extends Store {
  readonly #insert = this.prepare(
    `INSERT INTO audit(position, seq, at, event, who, origin, subject, detail, hash)
     VALUES(:position, :seq, :at, :event, :who, :origin, :subject, :detail, :hash)`,
  );
  readonly #last = this.prepare<Pick<AuditRow, "position" | "hash">>(
    "SELECT position, hash FROM audit ORDER BY position DESC LIMIT 1",
  );
  readonly #repetition = this.prepare(
    "SELECT 1 FROM audit WHERE event = ? AND who = ? AND origin = ? AND at BETWEEN ? AND ? LIMIT 1",
  );
  readonly #count = this.prepare<number>(
    "SELECT count(*) FROM audit WHERE event = ? AND at BETWEEN ? AND ?",
  ).pluck();
  readonly #lastOfBatch = this.prepare<Pick<AuditRow, "position" | "at" | "hash">>(
    `SELECT position, at, hash FROM (SELECT position, at, hash FROM audit ORDER BY position LIMIT :batch)
     WHERE position < (SELECT max(position) FROM audit)
       AND position < coalesce((SELECT min(position) FROM audit WHERE at >= :beforeMs), 9e18)
     ORDER BY position DESC LIMIT 1`,
  );
  readonly #cut = this.prepare(
    "INSERT OR REPLACE INTO audit_cut(one, position, at, hash) VALUES(1, :position, :at, :hash)",
  );
  readonly #removeUpTo = this.prepare("DELETE FROM audit WHERE position <= ?");

  static isAudited(event: EventName): boolean {
    return AUDITED.includes(event);
  }

  /** Chains an event unless it is a repetition; call it in the event's transaction. */
  add(row: EventRow): void {
    if (this.#isRepeated(row)) return;
    const { position, hash } = this.#last.get() ?? cutOf(this.database);
    const next = { ...row, position: position + 1 };
    this.#insert.run({ ...next, hash: hashOf(hash, next) });
  }

  /** Chains events that an earlier release has only added to the event log. */
  adopt(): void {
    const missing = this.prepare<number>(
      `SELECT seq FROM events
       WHERE event IN (SELECT value FROM json_each(?)) AND seq > coalesce((SELECT max(seq) FROM audit), 0)
       ORDER BY seq`,
    )
      .pluck()
      .all(JSON.stringify(AUDITED));
    if (missing.length === 0) return;
    // Row by row, because all of them may take more memory than a thread has.
    const find = this.prepare<EventRow>(
      "SELECT seq, at, event, who, origin, subject, detail FROM events WHERE seq = ?",
    );
    transaction(this.database, () => {
      for (const seq of missing) this.add(find.get(seq) as EventRow);
    });
  }

  /**
   * Removes the oldest entries before a time, at most `batch`, and stores the hash of the last removed one. The
   * newest entry stays.
   * @returns the number of removed entries
   */
  removeBefore(beforeMs: number, batch: number): number {
    return transaction(this.database, () => {
      const last = this.#lastOfBatch.get({ batch, beforeMs });
      if (!last) return 0;
      this.#cut.run(last);
      return this.#removeUpTo.run(last.position).changes;
    });
  }

  #isRepeated({ event, who, origin, at }: EventRow): boolean {
    if (!REPEATED.has(event)) return false;
    if (this.#repetition.get(event, who, origin, at - REPEAT_WINDOW_MS, at) !== undefined) return true;
    return UNKNOWN.has(event) && (this.#count.get(event, at - HOUR_MS, at) as number) >= UNKNOWN_MAX;
  }
}

/** The result of verifying the chain. */
export interface TrailReport {
  readonly entries: number;
  /** Wall clock of the first and the last entry, milliseconds since 1970; null without entries. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Entries removed by retention, and the time of the last one. */
  readonly removed: number;
  readonly removedUntilMs: number | null;
  /** Hash of the last entry: stored elsewhere, it later shows whether the end was cut off. */
  readonly head: string;
  /** The first entry that does not match the chain; null if all do. */
  readonly broken: { readonly position: number; readonly why: string } | null;
}

/** Verifies the chain from its anchor to its end. */
export function verifyTrail(database: Database): TrailReport {
  const cut = cutOf(database);
  let { position, hash: head } = cut;
  let entries = 0;
  let fromMs: number | null = null;
  let toMs: number | null = null;
  let broken: TrailReport["broken"] = null;
  for (const row of trailRows(database)) {
    entries += 1;
    fromMs ??= row.at;
    toMs = row.at;
    const why =
      row.position !== position + 1
        ? `the entry ${position + 1} before it is missing`
        : row.hash !== hashOf(head, row)
          ? "its content, or the entry before it, is not what it was when it was written"
          : undefined;
    if (why !== undefined) broken ??= { position: row.position, why };
    ({ position, hash: head } = row);
  }
  const removed = cut.position;
  return { entries, fromMs, toMs, removed, removedUntilMs: cut.at, head, broken };
}

/** All entries in order. */
export function trailRows(database: Database): IterableIterator<AuditRow> {
  return database.prepare("SELECT * FROM audit ORDER BY position").iterate() as IterableIterator<AuditRow>;
}

function cutOf(database: Database): { position: number; hash: string; at: number | null } {
  const cut = database.prepare("SELECT position, hash, at FROM audit_cut").get();
  return (cut as ReturnType<typeof cutOf> | undefined) ?? { position: 0, hash: INITIAL_HASH, at: null };
}

function hashOf(before: string, row: Omit<AuditRow, "hash">): string {
  const { position, seq, at, event, who, origin, subject, detail } = row;
  const words = JSON.stringify([before, position, seq, at, event, who, origin, subject, detail]);
  return createHash("sha256").update(words).digest("hex");
}
