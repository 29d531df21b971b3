import type { Clock } from "../domain/clock.ts";
import { EVENT_NAMES } from "../domain/event.ts";
import {
  chained,
  isAudited,
  isLimited,
  omissionReason,
  NO_CUT,
  REPEAT_WINDOW_MS,
  LIMITED_EVENTS_WINDOW_MS,
  type AuditRow,
  type EventRow,
  type OmittedEvents,
  type TrailCut,
} from "./audit-chain.ts";
import { Store, type Database } from "./database.ts";
import { TrailCheck, type TrailReport } from "./trail-check.ts";
import { readTransaction, transaction } from "./transaction.ts";

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
  readonly #account = this.prepare(`SELECT 1 FROM accounts WHERE ${isOf(":who")}`);
  readonly #countOfAccount = this.prepare<number>(
    "SELECT count(*) FROM audit WHERE event = :event AND who = :who AND at BETWEEN :sinceMs AND :untilMs",
  ).pluck();
  readonly #countOfStrangers = this.prepare<number>(
    `SELECT count(*) FROM audit WHERE event = :event AND at BETWEEN :sinceMs AND :untilMs
       AND NOT EXISTS (SELECT 1 FROM accounts WHERE ${isOf("audit.who")})`,
  ).pluck();
  readonly #leaveOut = this.prepare(
    `UPDATE audit_left_out SET since = CASE WHEN entries = 0 THEN :at ELSE since END, entries = entries + 1
     WHERE event = :event`,
  );
  readonly #leftOut = this.prepare<OmittedEvents>(
    `SELECT event, since, entries FROM audit_left_out
     WHERE entries > 0 AND abs(:at - since) >= ${LIMITED_EVENTS_WINDOW_MS}`,
  );
  readonly #forgetLeftOut = this.prepare("UPDATE audit_left_out SET entries = 0 WHERE event = ?");

  /** Chains an event unless it is a repetition; call it in the event's transaction. @param isNew false: left out, it is not counted */
  add(row: EventRow, isNew = true): void {
    const why = this.#omissionReason(row);
    if (why === "limit" && isNew) this.#leaveOut.run({ event: row.event, at: row.at });
    if (why !== undefined) return;
    this.#insert.run(chained(this.#last.get() ?? cutOf(this.database), row));
  }

  /** What the limit has left out more than an hour before a time; it is forgotten, to be added as an event. */
  takeLeftOut(at: number): OmittedEvents[] {
    const due = this.#leftOut.all({ at });
    for (const { event } of due) this.#forgetLeftOut.run(event);
    return due;
  }

  /** Chains events that an earlier release has only added to the event log. */
  adopt(): void {
    const missing = this.prepare<number>(
      `SELECT seq FROM events
       WHERE event IN (SELECT value FROM json_each(?)) AND seq > coalesce((SELECT max(seq) FROM audit), 0)
       ORDER BY seq`,
    )
      .pluck()
      .all(JSON.stringify(EVENT_NAMES.filter(isAudited)));
    if (missing.length === 0) return;
    // Row by row, because all of them may take more memory than a thread has.
    const find = this.prepare<EventRow>(
      "SELECT seq, at, event, who, origin, subject, detail FROM events WHERE seq = ?",
    );
    transaction(this.database, () => {
      // Those that the limit has left out are among them at each opening, and have been counted.
      for (const seq of missing) this.add(find.get(seq) as EventRow, false);
    });
  }

  #omissionReason({ event, who, origin, at }: EventRow): ReturnType<typeof omissionReason> {
    if (!isLimited(event)) return undefined;
    const repeats = this.#repetition.get(event, who, origin, at - REPEAT_WINDOW_MS, at) === undefined ? 0 : 1;
    // Later ones count too: a clock that is set back does not begin the limit again.
    const window = { event, sinceMs: at - LIMITED_EVENTS_WINDOW_MS, untilMs: at + LIMITED_EVENTS_WINDOW_MS };
    return omissionReason(event, repeats, () =>
      this.#account.get({ who }) === undefined
        ? (this.#countOfStrangers.get(window) as number)
        : (this.#countOfAccount.get({ ...window, who }) as number),
    );
  }
}

/** The account with exactly this address, by the index that ignores case. */
function isOf(who: string): string {
  return `email = ${who} AND email = ${who} COLLATE BINARY`;
}

/**
 * Verifies the chain from its anchor to its end, as it is at one moment: retention removes rows and moves the anchor.
 * @param soughtHash a hash to look for; optional
 */
export function verifyTrail(database: Database, soughtHash?: string): TrailReport {
  return readTransaction(database, () => {
    const check = new TrailCheck(cutOf(database), soughtHash);
    for (const row of trailRows(database)) check.add(row);
    return check.report();
  });
}

/** Entries verified in one turn of the event loop: on a Raspberry Pi a few milliseconds. */
const ROWS_PER_TURN = 50;

/** Verifies the chain while it is used: each turn of the event loop verifies a few entries, and other work goes on in between. */
export async function verifyTrailInTurns(
  database: Database,
  clock: Pick<Clock, "afterEventLoopTurn">,
): Promise<TrailReport> {
  const next = database.prepare(
    `SELECT * FROM audit WHERE position > ? ORDER BY position LIMIT ${ROWS_PER_TURN}`,
  );
  let check = new TrailCheck(cutOf(database));
  for (;;) {
    const cut = cutOf(database);
    // Retention has removed entries that are not verified yet.
    if (cut.position > check.position) check = new TrailCheck(cut);
    const rows = next.all(check.position) as AuditRow[];
    for (const row of rows) check.add(row);
    if (rows.length < ROWS_PER_TURN) return check.report();
    await new Promise<void>((resolve) => {
      clock.afterEventLoopTurn(resolve);
    });
  }
}

/** The end of a trail. */
export type TrailEnd = Pick<AuditRow, "position" | "at" | "hash">;

/** The newest entry; undefined for an empty trail. */
export function trailEnd(database: Database): TrailEnd | undefined {
  return database.prepare("SELECT position, at, hash FROM audit ORDER BY position DESC LIMIT 1").get() as
    | TrailEnd
    | undefined;
}

/** Whether a trail still has an entry, or retention has removed it. */
export function hasTrailEnd(database: Database, { position, hash }: TrailEnd): boolean {
  const stored = database.prepare<[number], string>("SELECT hash FROM audit WHERE position = ?").pluck();
  return cutOf(database).position >= position || stored.get(position) === hash;
}

/**
 * The newest entry up to the position of a lost one; undefined for none. Entries of a start that a power cut has interrupted during
 * its report are not part of the former trail.
 */
export function trailEndBefore(database: Database, lost: TrailEnd): TrailEnd | undefined {
  return database
    .prepare<[number, number], TrailEnd>(
      `SELECT position, at, hash FROM audit WHERE position <= ?
         AND NOT (at >= ? AND origin = 'start' AND event IN ('database-recovered', 'data-lost'))
       ORDER BY position DESC LIMIT 1`,
    )
    .get(lost.position, lost.at);
}

/** All entries in order. */
export function trailRows(database: Database): IterableIterator<AuditRow> {
  return database.prepare("SELECT * FROM audit ORDER BY position").iterate() as IterableIterator<AuditRow>;
}

function cutOf(database: Database): TrailCut {
  const cut = database.prepare("SELECT position, hash, at FROM audit_cut").get();
  return (cut as TrailCut | undefined) ?? NO_CUT;
}
