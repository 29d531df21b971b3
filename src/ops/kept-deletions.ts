import { isConstraint, type Database } from "../store/database.ts";
import { REBUILD_COUNTS } from "../store/intervention-lists.ts";
import { isSumColumn, rowSum } from "../store/row-checksums.ts";
import { columnInfosOf } from "../store/tables.ts";
import { transaction } from "../store/transaction.ts";
import { readOr } from "./carried-over.ts";

/*
 * A restored backup does not know which records were deleted since. Those of alarms would be sent again, as new ones: a dispatch
 * centre without idempotency keys has nothing left of a deleted record.
 */

type Row = Readonly<Record<string, string | number | null>>;

/** A record that is deleted, here or at the dispatch centre, or was dropped, with what belongs to it. */
interface DeletedRecord {
  readonly record: Row;
  readonly entry: Row;
  readonly objective: Row | undefined;
}

const IS_DELETED = "(record.deleted_at IS NOT NULL OR entry.phase IN ('gone','closed'))";

/**
 * Takes over, from the replaced database, the records that were deleted since and that the backup would send again.
 * @param copy the backup, before it is put in place
 * @param present path of the database that it replaces; if it cannot be read, nothing is taken over
 * @param lost the keys of trips whose records the backup lacks
 * @returns the ids of the records
 */
export function keepDeletions(copy: Database, present: string, lost: readonly string[]): number[] {
  const deleted = readOr(present, (database) => {
    // Where nothing is sent, as at a dispatch centre, a restore brings back what users have deleted.
    const unsent = hasSent(database) ? unsentIn(copy) : [];
    return deletedAmong(database, [...new Set([...lost, ...unsent])]);
  });
  if (deleted === undefined || deleted.length === 0) return [];
  return transaction(copy, () => {
    const kept = deleted.filter((each) => takeOver(copy, each));
    copy.exec(REBUILD_COUNTS);
    return kept.map(({ record }) => Number(record["id"]));
  });
}

function hasSent(database: Database): boolean {
  const sent = database.prepare(
    "SELECT 1 FROM outbox WHERE upstream_id IS NOT NULL OR watermark IS NOT NULL LIMIT 1",
  );
  return sent.get() !== undefined;
}

/** Records that are not at the dispatch centre, as the backup knows it. */
function unsentIn(copy: Database): string[] {
  return copy
    .prepare<[], string>(
      `SELECT uid FROM interventions JOIN outbox ON intervention_id = id
       WHERE deleted_at IS NULL AND upstream_id IS NULL AND phase NOT IN ('gone','closed')`,
    )
    .pluck()
    .all();
}

function deletedAmong(database: Database, uids: readonly string[]): DeletedRecord[] {
  const ids = database
    .prepare<[string], number>(
      `SELECT record.id FROM interventions record JOIN outbox entry ON entry.intervention_id = record.id
       WHERE record.uid IN (SELECT value FROM json_each(?)) AND ${IS_DELETED} ORDER BY record.id`,
    )
    .pluck()
    .all(JSON.stringify(uids));
  const record = database.prepare<[number], Row>("SELECT * FROM interventions WHERE id = ?");
  const entry = database.prepare<[number], Row>("SELECT * FROM outbox WHERE intervention_id = ?");
  const objective = database.prepare<unknown[], Row>("SELECT * FROM objectives WHERE kind = ? AND id = ?");
  return ids.flatMap((id) => {
    const found = { record: record.get(id), entry: entry.get(id) };
    // In doubt the alarm is sent again: an altered row may say "deleted" of one that no user has seen.
    if (!found.record || !found.entry) return [];
    if (!isIntact("interventions", found.record) || !isIntact("outbox", found.entry)) return [];
    const { objectiveType, objectiveId } = found.record;
    return [
      { record: found.record, entry: found.entry, objective: objective.get(objectiveType, objectiveId) },
    ];
  });
}

/** A row of a release without checksums counts as intact. */
function isIntact(table: string, row: Row): boolean {
  const [, sum = null] = Object.entries(row).find(([name]) => isSumColumn(name)) ?? [];
  const values = Object.entries(row).filter(([name]) => !isSumColumn(name));
  return sum === null || sum === rowSum(table, ...values.flat());
}

/** @returns whether the backup accepts it: a damaged row must not end the restore */
function takeOver(copy: Database, { record, entry, objective }: DeletedRecord): boolean {
  try {
    transaction(copy, () => {
      const { uid = null } = record;
      copy
        .prepare("DELETE FROM outbox WHERE intervention_id = (SELECT id FROM interventions WHERE uid = ?)")
        .run(uid);
      copy.prepare("DELETE FROM interventions WHERE uid = ?").run(uid);
      if (objective) insert(copy, "objectives", objective);
      insert(copy, "interventions", record);
      insert(copy, "outbox", entry);
    });
    return true;
  } catch (error) {
    // Also if the backup has another record under one of its numbers.
    if (isConstraint(error)) return false;
    throw error;
  }
}

/** Inserts a row of another release: each has columns that the other lacks. */
function insert(copy: Database, table: string, row: Row): void {
  const names = columnInfosOf(copy, table)
    .map(({ name }) => name)
    .filter((name) => name in row && !isSumColumn(name));
  const values = names.map((name) => `:${name}`).join(", ");
  const orIgnore = table === "objectives" ? "OR IGNORE " : "";
  copy.prepare(`INSERT ${orIgnore}INTO ${table}(${names.join(", ")}) VALUES(${values})`).run(row);
}
