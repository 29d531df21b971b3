import { openDatabase, type Database, type DatabaseKind } from "./database.ts";

/**
 * Opens `journal.db`: trips and zone states. It is a file of its own so that a trip is still written down while the
 * main database is locked, broken or being migrated.
 */
export function openJournalDatabase(path: string): Database {
  return openDatabase(path, JOURNAL_DATABASE);
}

export const JOURNAL_DATABASE: DatabaseKind = {
  // "SNTJ"
  applicationId: 0x53_4e_54_4a,
  migrations: [
    (database) =>
      database.exec(`
        CREATE TABLE trips(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          key TEXT NOT NULL UNIQUE,
          zone_id TEXT NOT NULL,
          source TEXT NOT NULL CHECK(source IN ('gpio','mqtt','simulated')),
          cause TEXT NOT NULL CHECK(cause IN ('edge','first-sight','after-restart')),
          at_wall INTEGER NOT NULL,
          body TEXT NOT NULL,
          state TEXT NOT NULL DEFAULT 'waiting' CHECK(state IN ('waiting','posted','refused')),
          attempts INTEGER NOT NULL DEFAULT 0,
          last_error TEXT,
          intervention_id INTEGER,
          CHECK(state <> 'posted' OR intervention_id IS NOT NULL)
        ) STRICT;
        CREATE INDEX trips_waiting ON trips(seq) WHERE state = 'waiting';
        CREATE INDEX trips_refused ON trips(seq) WHERE state = 'refused';

        CREATE TABLE zone_states(
          zone_id TEXT PRIMARY KEY,
          contact TEXT NOT NULL CHECK(contact IN ('normal','open')),
          since_wall INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
      `),
  ],
};
