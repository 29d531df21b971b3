// The product's own tables and indices, and for each record the same rows in them, written with as little around them
// as can be: what is left between this and the product is everything but the disk and SQLite.
import { randomUUID } from "node:crypto";
import { openMainDatabase } from "../../../dist/store/main-database.js";
import { EMPTY, FIELDS, flagsOf, recordOf } from "./records.mjs";

/** Opens the database; takes and gives what `openRecords` does. */
export function openSameRows(file) {
  const database = openMainDatabase(file);
  database.exec(`INSERT OR IGNORE INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')`);
  database.exec(
    `INSERT OR IGNORE INTO accounts(id, email, role, created_at) VALUES(1, 'bench', 'operator', 0)`,
  );
  const columns = [...FIELDS, "nameFolded", "descriptionFolded", "notesFolded", "dateStartMs"];
  const insert = database.prepare(
    `INSERT INTO interventions(uid, dispeceratId, created_by, created_at, updated_at, ${columns.join(", ")})
     VALUES(?, 1, 1, ?, ?, ${columns.map(() => "?").join(", ")})`,
  );
  const queue = database.prepare(
    "INSERT INTO outbox(intervention_id, phase, rank, want_rev, doubted) VALUES(?, 'new', 0, 1, 0)",
  );
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
      const { lastInsertRowid } = insert.run(
        // Ordered by time, as the product's.
        nowMs.toString(16).padStart(12, "0") + randomUUID(),
        nowMs,
        nowMs,
        ...FIELDS.map((field) => stored[field]),
        record.name,
        record.description,
        record.notes,
        Date.parse(record.dateStart),
      );
      const made = { id: Number(lastInsertRowid), ...record };
      queue.run(made.id);
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
