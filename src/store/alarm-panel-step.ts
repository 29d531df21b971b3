/* A long migration of the journal, as SQL. A migration that was released is never edited. */

/**
 * Trips of any source, so that a new one needs no further copy of the table; row checksums stay valid, because they name
 * table and columns. Messages of alarm panels that may be repeated, zones that they created, and what they last reported.
 */
export const ALARM_PANELS = `
  CREATE TABLE trips_2(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    zone_id TEXT NOT NULL,
    source TEXT NOT NULL,
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
    checksum INTEGER,
    CHECK(state NOT IN ('posted','merged') OR intervention_id IS NOT NULL)
  ) STRICT;
  INSERT INTO trips_2 SELECT seq, key, zone_id, source, about, cause, subject, at_wall, boot, at_monotonic, dated,
      earliest_wall, body, line, confirmed, state, reason, incident, attempts, last_error, intervention_id, signal,
      checksum
    FROM trips;
  DELETE FROM sqlite_sequence WHERE name = 'trips_2';
  INSERT INTO sqlite_sequence(name, seq) SELECT 'trips_2', seq FROM sqlite_sequence WHERE name = 'trips';
  DROP TABLE trips;
  ALTER TABLE trips_2 RENAME TO trips;
  CREATE INDEX trips_waiting ON trips(seq) WHERE state = 'waiting';
  CREATE INDEX trips_refused ON trips(seq) WHERE state = 'refused';
  CREATE INDEX trips_undated ON trips(seq) WHERE dated = 0;
  CREATE INDEX trips_by_zone ON trips(zone_id, seq);
  CREATE TRIGGER trips_removed AFTER DELETE ON trips
    BEGIN DELETE FROM pending_restores WHERE key = OLD.key; END;
  CREATE TRIGGER trips_changed AFTER UPDATE ON trips
    WHEN NEW.checksum IS NOT NULL AND NEW.checksum IS OLD.checksum
    BEGIN UPDATE trips SET checksum = NULL WHERE rowid = NEW.rowid; END;

  CREATE TABLE panel_messages(
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL,
    sequence TEXT NOT NULL,
    hash TEXT NOT NULL,
    sent_wall INTEGER,
    at_wall INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE panel_zones(
    account TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY(account, number, kind)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE panel_reports(
    account TEXT NOT NULL,
    what TEXT NOT NULL CHECK(what IN ('trouble','bypass')),
    code TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY(account, what, code, number)
  ) STRICT, WITHOUT ROWID;
`;
