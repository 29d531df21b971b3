import { ALARM_PANELS } from "./alarm-panel-step.ts";
import { openDatabase, type Database, type DatabaseKind } from "./database.ts";
import { CLASSES_AND_RESTORES, INCIDENTS_AND_DISPOSITIONS } from "./journal-steps.ts";
import { RETENTION_CLOCK } from "./retention-clock.ts";
import { addRowSums } from "./row-checksums.ts";

/**
 * Opens `journal.db`: trips and zone states. It is a separate file, so that a trip is stored while the main
 * database is locked, damaged or being migrated.
 */
export function openJournalDatabase(path: string): Database {
  return openDatabase(path, JOURNAL_DATABASE);
}

export const JOURNAL_DATABASE: DatabaseKind = {
  // "SNTJ"
  applicationId: 0x53_4e_54_4a,
  minReaderVersion: 5,
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
    // More causes of trips, and the pending contact of each zone.
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
    // Processed messages that may be redelivered because their acknowledgement is unconfirmed.
    (database) =>
      database.exec(`
        CREATE TABLE taken_messages(
          session TEXT NOT NULL,
          packet_id INTEGER NOT NULL,
          zone_id TEXT NOT NULL,
          hash TEXT NOT NULL,
          at_wall INTEGER NOT NULL,
          PRIMARY KEY(session, packet_id, zone_id)
        ) STRICT, WITHOUT ROWID;
      `),
    (database) => database.exec(INCIDENTS_AND_DISPOSITIONS),
    // The last known number of messages dropped by each broker.
    (database) =>
      database.exec(
        "CREATE TABLE broker_counts(broker TEXT PRIMARY KEY, dropped INTEGER NOT NULL) STRICT, WITHOUT ROWID",
      ),
    // Samples of the link state.
    (database) =>
      database.exec(`
        CREATE TABLE link_samples(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          at_wall INTEGER NOT NULL,
          state TEXT NOT NULL CHECK(state IN ('unknown','up','down')),
          oldest_unsent_s INTEGER
        ) STRICT;
        CREATE INDEX link_samples_by_time ON link_samples(at_wall);
      `),
    (database) => database.exec(CLASSES_AND_RESTORES),
    // Identifiers of the last openings of zones with `dedupe`, so that a restart repeats none.
    (database) =>
      database.exec(`
        CREATE TABLE openings(
          zone_id TEXT NOT NULL,
          occasion TEXT NOT NULL,
          from_seq INTEGER NOT NULL,
          PRIMARY KEY(zone_id, occasion)
        ) STRICT, WITHOUT ROWID;
      `),
    // Unavailable sensors and bridges, so that a restart does not restart their grace period.
    (database) =>
      database.exec(`
        CREATE TABLE losses(
          of TEXT PRIMARY KEY,
          since_wall INTEGER NOT NULL,
          since_boot TEXT NOT NULL,
          since_monotonic REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
      `),
    // The sensor of each state, because a zone with a new sensor has no reading yet.
    (database) => database.exec("ALTER TABLE zone_states ADD COLUMN sensor TEXT"),
    (database) => addRowSums(database, "trips"),
    (database) => database.exec(ALARM_PANELS),
    (database) =>
      database.exec(`
        -- The history of a record; a busy site has a hundred thousand trips.
        CREATE INDEX trips_of_record ON trips(intervention_id, seq) WHERE intervention_id IS NOT NULL;
      `),
    (database) => database.exec(RETENTION_CLOCK),
    // When each zone was last tested in a walk test, and with which sensor: trips are removed by age, this is not.
    (database) =>
      database.exec(`
        CREATE TABLE tested_zones(
          zone_id TEXT PRIMARY KEY,
          sensor TEXT,
          tested_wall INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO tested_zones(zone_id, sensor, tested_wall)
          SELECT zone_id, (SELECT sensor FROM zone_states WHERE zone_states.zone_id = trips.zone_id), max(at_wall)
          FROM trips WHERE state = 'test' AND about = 'trip' GROUP BY zone_id;
      `),
    // The gate at the opening: one that replaced it does not cancel the trip.
    (database) => database.exec("ALTER TABLE entry_delays ADD COLUMN gate TEXT"),
    // The topics of a filter with a wildcard that are open, so that a restart does not close their zone by another topic.
    (database) =>
      database.exec(`
        CREATE TABLE active_topics(
          source TEXT PRIMARY KEY,
          topics TEXT NOT NULL CHECK(json_valid(topics))
        ) STRICT, WITHOUT ROWID;
      `),
    // A former release replaces the whole row, so that NULL tells that it has run and has not kept the active topics.
    (database) => database.exec("ALTER TABLE alive ADD COLUMN keeps_topics INTEGER"),
    // The result of each walk test: its trips are removed by age, its zones change. A test of a former release has none.
    (database) =>
      database.exec(`
        ALTER TABLE walk_tests ADD COLUMN zones_at_start TEXT CHECK(json_valid(zones_at_start));
        ALTER TABLE walk_tests ADD COLUMN ended_by TEXT;
        ALTER TABLE walk_tests ADD COLUMN zone_count INTEGER;
        ALTER TABLE walk_tests ADD COLUMN tested_count INTEGER;
        ALTER TABLE walk_tests ADD COLUMN result TEXT CHECK(json_valid(result));
        ALTER TABLE walk_tests ADD COLUMN sha256 TEXT CHECK((sha256 IS NULL) = (result IS NULL));
      `),
    // An altered row of these may keep back an alarm.
    (database) => {
      for (const table of ["bypasses", "walk_tests", "gate_states", "entry_delays", "active_topics"])
        addRowSums(database, table);
    },
    // An altered row of these may hide an opening or shut a zone down.
    (database) => {
      for (const table of ["zone_states", "swingers"]) addRowSums(database, table);
    },
    // The last reported charge of each battery: many sensors report once a day.
    (database) =>
      database.exec(`
        CREATE TABLE battery_levels(
          zone_id TEXT PRIMARY KEY,
          percent REAL NOT NULL CHECK(percent BETWEEN 0 AND 100),
          at_wall INTEGER NOT NULL,
          place TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
      `),
    // A bypass ends with the opening of its partition.
    (database) => database.exec("ALTER TABLE panel_reports ADD COLUMN partition INTEGER NOT NULL DEFAULT 0"),
    // With an altered row of this, trips may join the record of another incident.
    (database) => addRowSums(database, "incidents"),
    // Each partition may have a zone of the same number.
    (database) =>
      database.exec(`
        CREATE TABLE panel_reports_2(
          account TEXT NOT NULL,
          what TEXT NOT NULL CHECK(what IN ('trouble','bypass')),
          code TEXT NOT NULL,
          number INTEGER NOT NULL,
          partition INTEGER NOT NULL,
          PRIMARY KEY(account, what, code, number, partition)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO panel_reports_2 SELECT account, what, code, number, partition FROM panel_reports;
        DROP TABLE panel_reports;
        ALTER TABLE panel_reports_2 RENAME TO panel_reports;
      `),
    // 1 in a trip that is dispatched again after a loss: its alarm may be over. Not in `reason`: a suppressed trip has one.
    (database) => database.exec("ALTER TABLE trips ADD COLUMN redelivered INTEGER"),
    // A recorded message that is sent again must not disarm.
    (database) =>
      database.exec(`
        ALTER TABLE panel_messages ADD COLUMN encrypted_wall INTEGER;
        ALTER TABLE panel_messages ADD COLUMN last_block TEXT;
      `),
    // Within one boot an exit delay continues by the monotonic clock.
    (database) =>
      database.exec(`
        ALTER TABLE gate_states ADD COLUMN since_boot TEXT;
        ALTER TABLE gate_states ADD COLUMN since_monotonic REAL;
      `),
    // How long each supervised sensor has been silent, so that a restart does not restart its supervision time.
    (database) =>
      database.exec(
        `CREATE TABLE silences(zone_id TEXT PRIMARY KEY, sensor TEXT NOT NULL, silent_ms INTEGER NOT NULL)
         STRICT, WITHOUT ROWID`,
      ),
  ],
};
