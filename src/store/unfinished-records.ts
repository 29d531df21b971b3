import type { Statement } from "better-sqlite3";
import type { ObjectiveType, Priority, Status } from "../generated/types.ts";
import { Store } from "./database.ts";
import { isDamage } from "./integrity.ts";

/** A record that is not done. */
export interface UnfinishedRecord {
  readonly id: number;
  /** Its uid; for a record of a trip the key of the trip. */
  readonly uid: string;
  readonly name: string;
  /** Whether an ambulance or the fire brigade is requested; 0 or 1. */
  readonly isRescue: 0 | 1;
}

/** What the panel shows of a record that is not done. */
export interface UnfinishedDetails {
  readonly id: number;
  /** As in `UnfinishedRecord`. */
  readonly uid: string;
  readonly status: Status;
  readonly priority: Priority;
  readonly objectiveType: ObjectiveType;
  readonly objectiveId: number;
  readonly crews: number;
  /** 0 or 1, as stored. */
  readonly police: 0 | 1;
  readonly ambulance: 0 | 1;
  readonly firetruck: 0 | 1;
  /** When the record was written, milliseconds since 1970. */
  readonly createdMs: number;
  /** When it began or begins, for that of a trip the time of the trip, milliseconds since 1970; null if it is not known. */
  readonly startMs: number | null;
}

/** One of the newest alarms that are not done. */
export interface NewestAlarm {
  readonly id: number;
  readonly name: string;
}

/** Alarms that are named as the newest: more than a person reads at once. */
export const NEWEST_ALARMS_MAX = 20;

interface NamedRecord {
  readonly name: string;
  /** 0 or 1. */
  readonly isAlarm: 0 | 1;
}

/** The number of records that are not done: alarms and work, already started or in the future (`Ahead`). */
export interface UnfinishedCounts {
  readonly alarms: number;
  readonly alarmsAhead: number;
  readonly work: number;
  readonly workAhead: number;
}

/** Without any such record. */
export const NOTHING_UNFINISHED: UnfinishedCounts = { alarms: 0, alarmsAhead: 0, work: 0, workAhead: 0 };

/**
 * Whether a record counts as an alarm. Trips create type `other` unless their profile sets another; in the contract
 * it means neither maintenance, inspection nor repair. A request for police, ambulance or fire brigade is an alarm
 * of any type. The index uses the same expression.
 */
const IS_ALARM = "(type = 'other' OR police OR ambulance OR firetruck)";
const IS_UNFINISHED = "deleted_at IS NULL AND status <> 'done'";
const IS_RESCUE = "(ambulance OR firetruck)";
const BY_PRIORITY = "CASE priority WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END";
const HAS_BEGUN = "(status = 'in_progress' OR dateStartMs IS NULL OR dateStartMs <= :startedMs)";
/**
 * At a dispatch centre: an alarm that a site has sent has begun whatever its start says. The clock or the time zone of the site may
 * be ahead, and then its trips start in the future.
 */
const IS_SENT_BY_SITE = `created_by IN (
  SELECT id FROM accounts WHERE site IS NOT NULL UNION ALL SELECT account FROM sites WHERE account IS NOT NULL)`;
const ALARM_HAS_BEGUN = `(${HAS_BEGUN} OR ${IS_SENT_BY_SITE})`;

/**
 * Index of unfinished records with all columns of the headline, so that 100,000 done ones cost nothing.
 * `deleted_at` is always null in it, but without it SQLite would read the table.
 */
export const UNFINISHED_INDEX = `
  CREATE INDEX interventions_unfinished ON interventions(${IS_ALARM}, id, status, dateStartMs, deleted_at) WHERE ${IS_UNFINISHED};
`;

/** One group per query: SQLite groups by an expression only after it has read the rows. */
export const COUNT = `
  SELECT count(*) AS records, count(*) FILTER (WHERE ${HAS_BEGUN}) AS begun FROM interventions
  WHERE ${IS_UNFINISHED} AND ${IS_ALARM} = :isAlarm
`;

/** Apart from the others, because the index does not have the account. */
const COUNT_SENT_AHEAD = `
  SELECT count(*) FROM interventions WHERE ${IS_UNFINISHED} AND ${IS_ALARM} = 1 AND NOT ${HAS_BEGUN} AND ${IS_SENT_BY_SITE}
`;

/** The interventions that are not done. */
export class UnfinishedInterventions extends Store {
  readonly #count = this.prepare<{ records: number; begun: number }>(COUNT);
  readonly #countSentAhead = this.prepare<number>(COUNT_SENT_AHEAD).pluck();
  readonly #worst = this.#ofGroups<UnfinishedRecord>(
    `id, uid, name, ${IS_RESCUE} AS isRescue`,
    `${IS_RESCUE} DESC, ${IS_SENT_BY_SITE} DESC, ${BY_PRIORITY}, id DESC`,
    ALARM_HAS_BEGUN,
  );
  readonly #newestAlarms = this.prepare<NewestAlarm>(
    `SELECT id, name FROM interventions WHERE ${IS_UNFINISHED} AND ${IS_ALARM} = 1 AND ${ALARM_HAS_BEGUN}
     ORDER BY id DESC LIMIT :limit`,
  );
  /** Reads the index alone. */
  readonly #ids = this.#ofGroups<{ readonly id: number }>("id", "id DESC", HAS_BEGUN);
  readonly #one = this.prepare<UnfinishedRecord>(
    `SELECT id, uid, name, ${IS_RESCUE} AS isRescue FROM interventions WHERE id = ?`,
  );
  readonly #isArrivedOrClosed = this.prepare<number>(
    `SELECT (upstream_id IS NOT NULL AND coalesce(joined_rev, 0) <= synced_rev) OR phase = 'closed' FROM outbox
     WHERE intervention_id = ?`,
  ).pluck();
  readonly #status = this.prepare<Status>(
    "SELECT status FROM interventions WHERE id = ? AND deleted_at IS NULL",
  ).pluck();
  readonly #details = this.prepare<UnfinishedDetails>(
    `SELECT id, uid, status, priority, objectiveType, objectiveId, crews, police, ambulance, firetruck, created_at AS createdMs, dateStartMs AS startMs FROM interventions WHERE id = ?`,
  );

  readonly #named = this.prepare<NamedRecord>(
    `SELECT name, ${IS_ALARM} AS isAlarm FROM interventions WHERE id = ? AND deleted_at IS NULL`,
  );

  /** @param startedMs starts up to this time count as started, milliseconds since 1970 */
  counts(startedMs: number): UnfinishedCounts {
    const of = (isAlarm: 0 | 1) =>
      this.#count.get({ isAlarm, startedMs }) as { records: number; begun: number };
    const alarms = of(1);
    const work = of(0);
    const sentAhead = this.#sentAhead(alarms.records - alarms.begun, startedMs);
    return {
      alarms: alarms.begun + sentAhead,
      alarmsAhead: alarms.records - alarms.begun - sentAhead,
      work: work.begun,
      workAhead: work.records - work.begun,
    };
  }

  /** The alarms of sites among those ahead. If their rows are damaged, all of them count: the others must still be counted. */
  #sentAhead(ahead: number, startedMs: number): number {
    if (ahead === 0) return 0;
    try {
      return this.#countSentAhead.get({ startedMs }) ?? 0;
    } catch (error) {
      if (isDamage(error)) return ahead;
      throw error;
    }
  }

  /**
   * The worst records of a group: those that request an ambulance or the fire brigade, at a dispatch centre then those that a site
   * has sent, then by priority, each newest first. Before the limit, so that newer burglaries do not hide a fire, nor the work of
   * users an alarm.
   */
  worst(group: keyof UnfinishedCounts, startedMs: number, limit: number): UnfinishedRecord[] {
    return this.#worst[group].all({ startedMs, limit });
  }

  /** The alarms that were recorded last, newest first, however urgent they are. */
  newestAlarms(startedMs: number): NewestAlarm[] {
    return this.#newestAlarms.all({ startedMs, limit: NEWEST_ALARMS_MAX });
  }

  /**
   * The records of a group that are on undamaged pages, newest first: a query ends at the first damaged page.
   * @throws SqliteError if the index is damaged
   */
  readable(group: keyof UnfinishedCounts, startedMs: number, limit: number): UnfinishedRecord[] {
    return this.#ids[group].all({ startedMs, limit }).flatMap(({ id }) => {
      try {
        return this.#one.all(id);
      } catch (error) {
        if (isDamage(error)) return [];
        throw error;
      }
    });
  }

  /** Whether no trip of a record is still to arrive at the centre: it has them all, or the record was dropped. */
  isArrivedOrClosed(interventionId: number): boolean {
    return this.#isArrivedOrClosed.get(interventionId) === 1;
  }

  /** The status of a record, done or not; undefined if it is deleted. */
  statusOf(id: number): Status | undefined {
    return this.#status.get(id);
  }

  /** The name of a record, done or not, and whether it is an alarm by its fields; undefined if it is deleted. */
  named(id: number): NamedRecord | undefined {
    return this.#named.get(id);
  }

  /** What the panel shows of a record; undefined if it is gone. */
  details(id: number): UnfinishedDetails | undefined {
    return this.#details.get(id);
  }

  /**
   * A statement for each group: SQLite compares the expression of the index with a number.
   * @param alarmHasBegun the condition that an alarm has begun
   */
  #ofGroups<Row>(
    columns: string,
    order: string,
    alarmHasBegun: string,
  ): Record<keyof UnfinishedCounts, Statement<unknown[], Row>> {
    const of = (isAlarm: 0 | 1, condition: string) =>
      this.prepare<Row>(
        `SELECT ${columns} FROM interventions WHERE ${IS_UNFINISHED} AND ${IS_ALARM} = ${isAlarm} AND ${condition}
         ORDER BY ${order} LIMIT :limit`,
      );
    return {
      alarms: of(1, alarmHasBegun),
      alarmsAhead: of(1, `NOT ${alarmHasBegun}`),
      work: of(0, HAS_BEGUN),
      workAhead: of(0, `NOT ${HAS_BEGUN}`),
    };
  }
}
