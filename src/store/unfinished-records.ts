import type { Database } from "./database.ts";

/** A record that is not done. */
export interface UnfinishedRecord {
  readonly id: number;
  /** Its identity; the key of the trip that made it, if a trip did. */
  readonly uid: string;
  readonly name: string;
}

/** How many living records are not done: alarms and work, with their start behind or ahead. */
export interface UnfinishedCounts {
  readonly alarms: number;
  readonly alarmsAhead: number;
  readonly work: number;
  readonly workAhead: number;
}

/**
 * Whether a record is an alarm, as far as its own fields say: `other` is what a trip makes unless its profile asks for
 * work, and the word of the interface for what is not maintenance, inspection or repair; a record that asks for the
 * police, an ambulance or a fire crew is one whatever its type. The index has the same expression.
 */
const IS_ALARM = "(type = 'other' OR police OR ambulance OR firetruck)";
const IS_UNFINISHED = "deleted_at IS NULL AND status <> 'done'";
const HAS_BEGUN = "(status = 'in_progress' OR dateStartMs IS NULL OR dateStartMs <= :startedMs)";

/**
 * Holds every unfinished record with what the headline asks for: 100,000 done ones cost nothing. `deleted_at` is null in
 * all of it and there for SQLite, which reads the table itself for a column that an index lacks.
 */
export const UNFINISHED_INDEX = `
  CREATE INDEX interventions_unfinished ON interventions(${IS_ALARM}, id, status, dateStartMs, deleted_at) WHERE ${IS_UNFINISHED};
`;

/** Of one group at a time: SQLite groups by an expression only after it has read the rows. */
export const COUNT = `
  SELECT count(*) AS records, count(*) FILTER (WHERE ${HAS_BEGUN}) AS begun FROM interventions
  WHERE ${IS_UNFINISHED} AND ${IS_ALARM} = :isAlarm
`;

/** The interventions that people still have to finish. */
export class UnfinishedInterventions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param startedMs a start up to then has begun, milliseconds since 1970 */
  counts(startedMs: number): UnfinishedCounts {
    const of = (isAlarm: 0 | 1) =>
      this.#database.prepare(COUNT).get({ isAlarm, startedMs }) as { records: number; begun: number };
    const alarms = of(1);
    const work = of(0);
    return {
      alarms: alarms.begun,
      alarmsAhead: alarms.records - alarms.begun,
      work: work.begun,
      workAhead: work.records - work.begun,
    };
  }

  /** The newest records of a group, the newest first. */
  newest(group: keyof UnfinishedCounts, startedMs: number, limit: number): UnfinishedRecord[] {
    const isAlarm = Number(group === "alarms" || group === "alarmsAhead");
    const isAhead = group === "alarmsAhead" || group === "workAhead";
    return this.#database
      .prepare(
        `SELECT id, uid, name FROM interventions
         WHERE ${IS_UNFINISHED} AND ${IS_ALARM} = :isAlarm AND ${isAhead ? `NOT ${HAS_BEGUN}` : HAS_BEGUN}
         ORDER BY id DESC LIMIT :limit`,
      )
      .all({ isAlarm, startedMs, limit }) as UnfinishedRecord[];
  }
}
