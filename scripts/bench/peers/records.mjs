// One table with the columns and indices of the product's, as durable as its own: WAL with a flush at every commit.
import Sqlite from "better-sqlite3";

export const FIELDS = [
  "name",
  "description",
  "dateStart",
  "dateEnd",
  "status",
  "priority",
  "type",
  "objectiveType",
  "objectiveId",
  "crews",
  "police",
  "ambulance",
  "firetruck",
  "notes",
];
export const EMPTY = {
  ...Object.fromEntries(FIELDS.map((field) => [field, null])),
  status: "planned",
  priority: "medium",
  type: "other",
  crews: 1,
  police: false,
  ambulance: false,
  firetruck: false,
};

/** Opens the database. `insert` and `find` take and give records as the interface shows them. */
export function openRecords(file) {
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec(`
    CREATE TABLE IF NOT EXISTS interventions(
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, description TEXT, dateStart TEXT, dateEnd TEXT,
      status TEXT NOT NULL, priority TEXT NOT NULL, type TEXT NOT NULL, objectiveType TEXT NOT NULL,
      objectiveId INTEGER NOT NULL, crews INTEGER NOT NULL, police INTEGER NOT NULL, ambulance INTEGER NOT NULL,
      firetruck INTEGER NOT NULL, notes TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS interventions_status ON interventions(status, id);
    CREATE INDEX IF NOT EXISTS interventions_priority ON interventions(priority, id);
    CREATE INDEX IF NOT EXISTS interventions_type ON interventions(type, id);
    CREATE INDEX IF NOT EXISTS interventions_start ON interventions(dateStart, id);
  `);
  const insert = database.prepare(
    `INSERT INTO interventions(${FIELDS.join(", ")}) VALUES(${FIELDS.map((field) => `:${field}`).join(", ")})`,
  );
  const find = database.prepare("SELECT * FROM interventions WHERE id = ?");
  return {
    database,
    insert(body) {
      const record = { ...EMPTY, ...body };
      const { lastInsertRowid } = insert.run({ ...record, ...flagsOf(record) });
      return { id: Number(lastInsertRowid), ...record };
    },
    find(id) {
      return recordOf(find.get(id));
    },
  };
}

/** The flags of a record as SQLite keeps them. */
export function flagsOf({ police, ambulance, firetruck }) {
  return { police: Number(police), ambulance: Number(ambulance), firetruck: Number(firetruck) };
}

/** A row as the interface shows it. */
export function recordOf(row) {
  if (!row) return undefined;
  const { police, ambulance, firetruck } = row;
  return { ...row, police: police === 1, ambulance: ambulance === 1, firetruck: firetruck === 1 };
}
