// The product's own tables and indices, and for each record the same rows in them, written with as little around them
// as can be: what is left between this and the product is everything but the disk and SQLite.
import { randomUUID } from "node:crypto";
import { openMainDatabase } from "../../../build/store/main-database.js";
import { SummedInsert } from "../../../build/store/row-checksums.js";
import { EMPTY, FIELDS, flagsOf, recordOf } from "./records.mjs";

const RECORD_COLUMNS =
  `rev dispeceratId created_by created_at updated_at dateStartMs nameFolded descriptionFolded
  notesFolded uid`.split(/\s+/);
const OUTBOX_COLUMNS =
  `intervention_id phase rank want_rev doubted synced_rev deleted sends attempts next_at sweeps
  refusals`.split(/\s+/);

/** Opens a database of the product with the objective and the account that the load needs. */
export function openProductDatabase(file) {
  const database = openMainDatabase(file);
  database.exec(`INSERT OR IGNORE INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')`);
  database.exec(
    `INSERT OR IGNORE INTO accounts(id, email, role, created_at) VALUES(1, 'bench', 'operator', 0)`,
  );
  return database;
}

/** Opens the database; takes and gives what `openRecords` does. */
export function openSameRows(file) {
  const database = openProductDatabase(file);
  // With the checksum in the row, as the product writes it.
  const insert = new SummedInsert(database, "interventions", [...RECORD_COLUMNS, ...FIELDS]);
  const queue = new SummedInsert(database, "outbox", OUTBOX_COLUMNS);
  const count = database.prepare(
    `INSERT INTO intervention_counts VALUES(?, ?, ?, 1) ON CONFLICT DO UPDATE SET records = records + 1`,
  );
  const log = database.prepare(
    "INSERT INTO events(at, event, who, origin, subject, detail) VALUES(?, 'intervention-created', 'bench', '', ?, ?)",
  );
  const account = database.prepare("SELECT * FROM accounts WHERE id = 1");
  const find = database.prepare("SELECT * FROM interventions WHERE id = ?");
  return {
    database,
    insert(body) {
      const record = { ...EMPTY, ...body };
      const stored = { ...record, ...flagsOf(record) };
      const nowMs = Date.now();
      account.get();
      const id = insert.run([
        1,
        1,
        1,
        nowMs,
        nowMs,
        Date.parse(record.dateStart),
        record.name,
        record.description,
        record.notes,
        // Ordered by time, as the product's.
        nowMs.toString(16).padStart(12, "0") + randomUUID(),
        ...FIELDS.map((field) => stored[field]),
      ]);
      const made = { id, ...record };
      queue.run([id, "new", 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
      count.run(record.status, record.priority, record.type);
      log.run(nowMs, `intervention ${made.id}`, JSON.stringify({ after: made }));
      return made;
    },
    find(id) {
      account.get();
      return recordOf(find.get(id));
    },
  };
}
