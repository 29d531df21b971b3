import { priorityOrderOf } from "../domain/outbox.ts";
import { UpstreamCapabilities } from "./upstream-capabilities.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/*
 * A restored backup does not know what was sent after it was made. A dispatch centre that supports idempotency keys
 * detects repeats; any other is searched for the marker before a record is sent again.
 */

/**
 * Makes every record that the backup considers unsent be searched for before it is sent. Call it before newer rows
 * are added.
 */
export function searchBeforeResend(copy: Database): void {
  transaction(copy, () => {
    const watermark = copy
      .prepare("SELECT coalesce(max(upstream_id), 0) FROM outbox")
      .pluck()
      .get() as number;
    new UpstreamCapabilities(copy).recordRestoreWatermark(watermark);
    copy
      .prepare(
        `UPDATE outbox SET doubted = 1, watermark = min(coalesce(watermark, :watermark), :watermark), witness = NULL
         WHERE upstream_id IS NULL AND phase IN ('new','blocked','rejected')`,
      )
      .run({ watermark });
  });
}

/** Adds an outbox entry to each record without one; the dispatch centre may already have the record. */
export function enqueueUnaccounted(main: Database): void {
  main
    .prepare(
      `INSERT INTO outbox(intervention_id, phase, rank, want_rev, doubted, watermark)
       SELECT id, 'new', CASE priority WHEN 'high' THEN ${priorityOrderOf("high")} WHEN 'medium' THEN ${priorityOrderOf("medium")} ELSE ${priorityOrderOf("low")} END,
         rev, 1, ? FROM interventions
       WHERE deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM outbox WHERE intervention_id = interventions.id)`,
    )
    .run(new UpstreamCapabilities(main).restoreWatermark);
}

/** Makes records be searched for that are about to be recreated. */
function searchBeforeRecreate(main: Database, lost: readonly LostRecord[]): void {
  const watermark = new UpstreamCapabilities(main).restoreWatermark;
  const put = main.prepare("INSERT OR REPLACE INTO sought_records(uid, watermark) VALUES(?, ?)");
  transaction(main, () => lost.forEach(({ key }) => put.run(key, watermark)));
}

/** The time of an undated trip says nothing. */
const SINCE = "(dated = 0 OR at_wall >= ?)";

/** A record that the main database has lost, by the key of its trip. */
interface LostRecord {
  readonly key: string;
  readonly interventionId: number;
}

/**
 * The records of dispatched trips that the main database does not have.
 * @param sinceMs earlier trips are ignored: retention may have removed their records
 */
export function lostRecords(journal: Database, main: Database, sinceMs: number): LostRecord[] {
  const posted = journal
    .prepare(
      `SELECT key, intervention_id AS interventionId FROM trips WHERE state = 'posted' AND ${SINCE} ORDER BY seq`,
    )
    .all(sinceMs) as LostRecord[];
  // Version 0.0.1 posted a rejected trip again without options, under a key of its own.
  const record = main.prepare("SELECT 1 FROM interventions WHERE uid IN (:key, :key || '-plain')");
  return posted.filter(({ key }) => record.get({ key }) === undefined);
}

interface JoinedTrip {
  readonly key: string;
  readonly incident: string;
  readonly zoneId: string;
  readonly atMs: number;
}

/**
 * Trips that joined a record of the main database after its last change there: it does not name them. Of an undated trip this is
 * not known. A record that is done or deleted takes no line: the trip would open another one for an alarm that is over.
 */
function unnamedTrips(journal: Database, main: Database, sinceMs: number): JoinedTrip[] {
  const joined = journal
    .prepare(
      `SELECT key, incident, zone_id AS zoneId, at_wall AS atMs FROM trips
       WHERE state = 'merged' AND about <> 'restore' AND incident IS NOT NULL AND dated = 1 AND at_wall >= ? ORDER BY seq`,
    )
    .all(sinceMs) as JoinedTrip[];
  const changedAt = main
    .prepare<{ key: string }, number>(
      `SELECT updated_at FROM interventions
       WHERE uid IN (:key, :key || '-plain') AND status <> 'done' AND deleted_at IS NULL`,
    )
    .pluck();
  return joined.filter(({ incident, atMs }) => {
    const changedMs = changedAt.get({ key: incident });
    return changedMs !== undefined && changedMs < atMs;
  });
}

/** The trips that had become a record, and those that had joined it, by the key of the record. */
const TRIPS_OF_RECORD = "(key = :key OR (incident = :key AND state = 'merged'))";

/** Marked, so that an alarm that was finished since is not sent as a new one (`inputs/incident-correlator`). */
const WAITING_AGAIN = "state = 'waiting', intervention_id = NULL, redelivered = 1";

/** The number of trips that `redeliverLostTrips` would queue. */
export function countLostTrips(journal: Database, main: Database, sinceMs: number): number {
  const count = journal.prepare<{ key: string }, number>(
    `SELECT count(*) FROM trips WHERE ${TRIPS_OF_RECORD}`,
  );
  const lost = lostRecords(journal, main, sinceMs);
  const ofRecords = lost.reduce((trips, { key }) => trips + (count.pluck().get({ key }) ?? 0), 0);
  return ofRecords + unnamedTrips(journal, main, sinceMs).length;
}

/**
 * Prepares a database for the trips that `redeliverLostTrips` will queue once it is in place; changes nothing in the journal.
 * @returns their number
 */
export function announceLostTrips(journal: Database, main: Database): number {
  searchBeforeRecreate(main, lostRecords(journal, main, 0));
  return countLostTrips(journal, main, 0);
}

/**
 * Queues every trip again whose record the main database has lost, and those that had joined that record. The key
 * identifies the record here and at the dispatch centre, where it is searched for before it is sent. A trip that a record
 * does not name joins it again; a line that is there after all is not written twice. If the record was done or deleted
 * since, the trip does not open another one.
 * @param sinceMs see `lostRecords`
 * @returns the number of queued trips
 */
export function redeliverLostTrips(journal: Database, main: Database, sinceMs: number): number {
  const lost = lostRecords(journal, main, sinceMs);
  const requeue = journal.prepare(`UPDATE trips SET ${WAITING_AGAIN} WHERE ${TRIPS_OF_RECORD}`);
  // The trips join again, and each is counted then. The id of the record may be that of another one by now.
  const forgetZones = journal.prepare("DELETE FROM incident_zones WHERE incident = :key");
  const unlink = journal.prepare(
    `UPDATE trips SET state = 'recorded', intervention_id = NULL
     WHERE about = 'restore' AND intervention_id = :interventionId`,
  );
  const unnamed = unnamedTrips(journal, main, sinceMs);
  const rejoin = journal.prepare(`UPDATE trips SET ${WAITING_AGAIN} WHERE key = ?`);
  // Otherwise the zone counts as noted, or its trip is counted twice.
  const forgetZone = journal.prepare("DELETE FROM incident_zones WHERE incident = ? AND zone_id = ?");
  if (lost.length + unnamed.length === 0) return 0;
  searchBeforeRecreate(main, lost);
  return transaction(journal, () => {
    for (const { key, incident, zoneId } of unnamed) {
      rejoin.run(key);
      forgetZone.run(incident, zoneId);
    }
    return lost.reduce((trips, { key, interventionId }) => {
      forgetZones.run({ key });
      unlink.run({ interventionId });
      return trips + requeue.run({ key }).changes;
    }, unnamed.length);
  });
}
