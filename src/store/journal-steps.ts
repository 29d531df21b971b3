/* The long migrations of the journal, as SQL. A migration that was released is never edited. */

/** Trips with incident and disposition, faults, and overrides by users. */
export const INCIDENTS_AND_DISPOSITIONS = `
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

/**
 * Trips store the name and device of their zone, restores are stored beside them, and each zone of an incident has
 * its own row. Entry delays and pending restores are in separate tables. An earlier release ignores these: it
 * dispatches delayed trips at once and leaves restores pending.
 */
export const CLASSES_AND_RESTORES = `
  CREATE TABLE trips_2(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    zone_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK(source IN ('gpio','mqtt','simulated')),
    about TEXT NOT NULL DEFAULT 'trip'
      CHECK(about IN ('trip','standing','restore','fault','fault-over','signal')),
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
    state TEXT NOT NULL DEFAULT 'waiting' CHECK(state IN
      ('waiting','posted','merged','refused','bypassed','test','gated','swinger','cancelled','recorded')),
    reason TEXT,
    incident TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    intervention_id INTEGER,
    signal TEXT,
    CHECK(state NOT IN ('posted','merged') OR intervention_id IS NOT NULL)
  ) STRICT;
  INSERT INTO trips_2(seq, key, zone_id, source, about, cause, subject, at_wall, boot, at_monotonic, dated,
      earliest_wall, body, line, confirmed, state, reason, incident, attempts, last_error, intervention_id)
    SELECT seq, key, zone_id, source, about, cause, subject, at_wall, boot, at_monotonic, dated,
      earliest_wall, body, line, confirmed, state, reason, incident, attempts, last_error, intervention_id
    FROM trips;
  DELETE FROM sqlite_sequence WHERE name = 'trips_2';
  INSERT INTO sqlite_sequence(name, seq) SELECT 'trips_2', seq FROM sqlite_sequence WHERE name = 'trips';
  DROP TABLE trips;
  ALTER TABLE trips_2 RENAME TO trips;
  CREATE INDEX trips_waiting ON trips(seq) WHERE state = 'waiting';
  CREATE INDEX trips_refused ON trips(seq) WHERE state = 'refused';
  CREATE INDEX trips_undated ON trips(seq) WHERE dated = 0;
  CREATE INDEX trips_by_zone ON trips(zone_id, seq);

  CREATE TABLE pending_restores(key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

  CREATE TABLE entry_delays(
    key TEXT PRIMARY KEY,
    zone_id TEXT NOT NULL,
    due_wall INTEGER NOT NULL,
    due_boot TEXT NOT NULL,
    due_monotonic REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE incident_zones(
    incident TEXT NOT NULL,
    zone_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    zone TEXT NOT NULL,
    PRIMARY KEY(incident, zone_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TRIGGER incidents_removed AFTER DELETE ON incidents
    BEGIN DELETE FROM incident_zones WHERE incident = OLD.key; END;
  CREATE TRIGGER trips_removed AFTER DELETE ON trips
    BEGIN DELETE FROM pending_restores WHERE key = OLD.key; END;

  CREATE TABLE gate_states(
    gate TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK(state IN ('open','closed')),
    since_wall INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
