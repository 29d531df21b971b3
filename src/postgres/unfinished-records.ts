import type { Objective } from "../domain/objective.ts";
import {
  NEWEST_ALARMS_MAX,
  NOTHING_UNFINISHED,
  type NewestAlarm,
  type UnfinishedCounts,
  type UnfinishedDetails,
  type UnfinishedRecord,
} from "../store/unfinished-records.ts";
import type { Queries } from "./connection.ts";
import { objectiveOf } from "./postgres-objectives.ts";

/** As at a site: a request for police, ambulance or fire brigade is an alarm of any type. */
const IS_ALARM = `("type" = 'other' OR "police" OR "ambulance" OR "firetruck")`;
const IS_UNFINISHED = `deleted_at IS NULL AND "status" <> 'done'`;
const IS_RESCUE = `("ambulance" OR "firetruck")`;
const HAS_BEGUN = `("status" = 'in_progress' OR "dateStartMs" IS NULL OR "dateStartMs" <= $1)`;
const IS_SENT_BY_SITE = `created_by IN (
  SELECT accounts.id FROM accounts WHERE site IS NOT NULL UNION ALL SELECT account FROM sites WHERE account IS NOT NULL)`;
/** As in `store/unfinished-records.ts`: the clock or the time zone of a site may be ahead, and its alarms have begun all the same. */
const ALARM_HAS_BEGUN = `(${HAS_BEGUN} OR ${IS_SENT_BY_SITE})`;
const BY_PRIORITY = `CASE "priority" WHEN 'high' THEN 0 WHEN 'medium' THEN 1 ELSE 2 END`;

/** The interventions that are not done, for the headline. */
export class PostgresUnfinished {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** @param startedMs starts up to this time count as started, milliseconds since 1970 */
  async counts(startedMs: number): Promise<UnfinishedCounts> {
    const [counts] = await this.#queries.query<UnfinishedCounts>(
      `SELECT count(*) FILTER (WHERE ${IS_ALARM} AND ${ALARM_HAS_BEGUN}) AS "alarms",
        count(*) FILTER (WHERE ${IS_ALARM} AND NOT ${ALARM_HAS_BEGUN}) AS "alarmsAhead",
        count(*) FILTER (WHERE NOT ${IS_ALARM} AND ${HAS_BEGUN}) AS "work",
        count(*) FILTER (WHERE NOT ${IS_ALARM} AND NOT ${HAS_BEGUN}) AS "workAhead"
       FROM interventions WHERE ${IS_UNFINISHED}`,
      [startedMs],
    );
    return counts ?? NOTHING_UNFINISHED;
  }

  /** The worst started records, in the order of `UnfinishedInterventions.worst`. */
  async worst(group: "alarms" | "work", startedMs: number, limit: number): Promise<UnfinishedRecord[]> {
    const isGroup =
      group === "alarms" ? `${IS_ALARM} AND ${ALARM_HAS_BEGUN}` : `NOT ${IS_ALARM} AND ${HAS_BEGUN}`;
    return this.#queries.query<UnfinishedRecord>(
      `SELECT id, uid, "name", ${IS_RESCUE}::int AS "isRescue" FROM interventions
       WHERE ${IS_UNFINISHED} AND ${isGroup}
       ORDER BY ${IS_RESCUE} DESC, ${IS_SENT_BY_SITE} DESC, ${BY_PRIORITY}, id DESC LIMIT $2`,
      [startedMs, limit],
    );
  }

  /** The alarms that were recorded last, newest first, however urgent they are. */
  async newestAlarms(startedMs: number): Promise<NewestAlarm[]> {
    return this.#queries.query<NewestAlarm>(
      `SELECT id, "name" FROM interventions WHERE ${IS_UNFINISHED} AND ${IS_ALARM} AND ${ALARM_HAS_BEGUN}
       ORDER BY id DESC LIMIT ${NEWEST_ALARMS_MAX}`,
      [startedMs],
    );
  }

  /** What the panel shows of these records, with their objectives; those that are gone are left out. */
  async details(ids: readonly number[]): Promise<(UnfinishedDetails & { objective: Objective })[]> {
    const rows = await this.#queries.query<UnfinishedDetails & { data: string }>(
      `SELECT records.id, uid, "status", "priority", "objectiveType", "objectiveId", "crews", "police"::int,
         "ambulance"::int, "firetruck"::int, created_at AS "createdMs", "dateStartMs" AS "startMs", data
       FROM interventions AS records
       JOIN objectives ON objectives.kind = "objectiveType" AND objectives.id = "objectiveId"
       WHERE records.id = ANY($1) AND ${IS_UNFINISHED}`,
      [ids],
    );
    return rows.map(({ data, ...record }) => ({
      ...record,
      objective: objectiveOf(record.objectiveType, { data }),
    }));
  }
}
