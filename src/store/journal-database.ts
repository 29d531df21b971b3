import { createBrokerCounts } from "./broker-counts.ts";
import { createLinkSamples } from "./link-samples.ts";
import { createTakenMessages } from "./taken-message-store.ts";
import { addSensors } from "./zone-states.ts";
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
  readableFrom: 5,
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
    // What a zone may trip for has grown, and a contact that is still being confirmed is kept with its zone.
    (database) =>
      database.exec(`
        CREATE TABLE trips_2(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          key TEXT NOT NULL UNIQUE,
          zone_id TEXT NOT NULL,
          source TEXT NOT NULL CHECK(source IN ('gpio','mqtt','simulated')),
          cause TEXT NOT NULL CHECK(cause IN ('edge','first-sight','after-restart','chatter')),
          at_wall INTEGER NOT NULL,
          body TEXT NOT NULL,
          state TEXT NOT NULL DEFAULT 'waiting' CHECK(state IN ('waiting','posted','refused')),
          attempts INTEGER NOT NULL DEFAULT 0,
          last_error TEXT,
          intervention_id INTEGER,
          CHECK(state <> 'posted' OR intervention_id IS NOT NULL)
        ) STRICT;
        INSERT INTO trips_2 SELECT * FROM trips;
        DROP TABLE trips;
        ALTER TABLE trips_2 RENAME TO trips;
        CREATE INDEX trips_waiting ON trips(seq) WHERE state = 'waiting';
        CREATE INDEX trips_refused ON trips(seq) WHERE state = 'refused';

        CREATE TABLE zone_states_2(
          zone_id TEXT PRIMARY KEY,
          contact TEXT NOT NULL CHECK(contact IN ('unknown','normal','open')),
          since_wall INTEGER,
          rested_by_itself INTEGER NOT NULL DEFAULT 0 CHECK(rested_by_itself IN (0,1)),
          pending_contact TEXT CHECK(pending_contact IN ('normal','open')),
          pending_since_wall INTEGER,
          pending_live INTEGER CHECK(pending_live IN (0,1)),
          CHECK((pending_contact IS NULL) = (pending_since_wall IS NULL)),
          CHECK((pending_contact IS NULL) = (pending_live IS NULL))
        ) STRICT, WITHOUT ROWID;
        INSERT INTO zone_states_2(zone_id, contact, since_wall) SELECT zone_id, contact, since_wall FROM zone_states;
        DROP TABLE zone_states;
        ALTER TABLE zone_states_2 RENAME TO zone_states;
      `),
    createTakenMessages,
    (database) => database.exec(INCIDENTS_AND_FATES),
    createBrokerCounts,
    createLinkSamples,
    addSensors,
  ],
};

/** Trips with their incident and fate, faults, and what people have ordered. */
const INCIDENTS_AND_FATES = `
  CREATE TABLE trips_2(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    zone_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK(source IN ('gpio','mqtt','simulated')),
    about TEXT NOT NULL DEFAULT 'trip' CHECK(about IN ('trip','fault','fault-over','signal')),
    cause TEXT NOT NULL,
    subject TEXT NOT NULL,
    at_wall INTEGER NOT NULL,
    boot TEXT NOT NULL,
    at_monotonic REAL NOT NULL,
    dated INTEGER NOT NULL CHECK(dated IN (0,1)),
    earliest_wall INTEGER,
    body TEXT NOT NULL,
    line TEXT NOT NULL,
    confirmed TEXT,
    state TEXT NOT NULL DEFAULT 'waiting'
      CHECK(state IN ('waiting','posted','merged','refused','bypassed','test','gated','swinger')),
    reason TEXT,
    incident TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    intervention_id INTEGER,
    CHECK(state NOT IN ('posted','merged') OR intervention_id IS NOT NULL)
  ) STRICT;
  INSERT INTO trips_2(seq, key, zone_id, source, cause, subject, at_wall, boot, at_monotonic, dated, body, line,
      state, incident, attempts, last_error, intervention_id)
    SELECT seq, key, zone_id, source, cause,
      json_extract(body, '$.objectiveType') || '/' || json_extract(body, '$.objectiveId'),
      at_wall, '', 0, 1, body, json_extract(body, '$.name'), state, key, attempts, last_error, intervention_id
    FROM trips;
  DROP TABLE trips;
  ALTER TABLE trips_2 RENAME TO trips;
  CREATE INDEX trips_waiting ON trips(seq) WHERE state = 'waiting';
  CREATE INDEX trips_refused ON trips(seq) WHERE state = 'refused';
  CREATE INDEX trips_undated ON trips(seq) WHERE dated = 0;
  CREATE INDEX trips_by_zone ON trips(zone_id, seq);

  CREATE TABLE incidents(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    subject TEXT NOT NULL,
    intervention_id INTEGER NOT NULL,
    last_wall INTEGER NOT NULL,
    last_boot TEXT NOT NULL,
    last_monotonic REAL NOT NULL,
    zones TEXT NOT NULL,
    notes TEXT,
    next_key TEXT,
    next_notes TEXT,
    CHECK((next_key IS NULL) = (next_notes IS NULL))
  ) STRICT;
  CREATE INDEX incidents_by_subject ON incidents(subject, seq);

  CREATE TABLE faults(
    of TEXT NOT NULL,
    fault TEXT NOT NULL CHECK(fault IN ('tamper','battery','supervision','faulty')),
    zone_id TEXT NOT NULL,
    key TEXT NOT NULL,
    since_wall INTEGER NOT NULL,
    PRIMARY KEY(of, fault)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE swingers(
    zone_id TEXT PRIMARY KEY,
    incidents INTEGER NOT NULL,
    trips INTEGER NOT NULL,
    counted INTEGER NOT NULL,
    last_wall INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE bypasses(
    zone_id TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    since_wall INTEGER NOT NULL,
    until_wall INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE walk_tests(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    who TEXT NOT NULL,
    after_seq INTEGER NOT NULL,
    since_wall INTEGER NOT NULL,
    until_wall INTEGER NOT NULL,
    ended_wall INTEGER
  ) STRICT;

  CREATE TABLE alive(
    only INTEGER PRIMARY KEY CHECK(only = 1),
    wall INTEGER NOT NULL
  ) STRICT;
`;
