import type { Database } from "./database.ts";

/**
 * Migration: a table for the audit trail, which other events cannot displace, and the addresses from which users
 * have signed in.
 */
export function createAuditTrail(database: Database): void {
  database.exec(`
    CREATE TABLE audit(
      position INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      at INTEGER NOT NULL,
      event TEXT NOT NULL,
      who TEXT NOT NULL,
      origin TEXT NOT NULL,
      subject TEXT NOT NULL,
      detail TEXT NOT NULL CHECK(json_valid(detail)),
      hash TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_seq ON audit(seq);
    CREATE INDEX audit_subject ON audit(subject, seq);
    CREATE INDEX audit_repeats ON audit(event, who, origin, at);
    CREATE INDEX audit_at ON audit(event, at);
    -- The last entry that was removed with age: the chain is verified from its hash on.
    CREATE TABLE audit_cut(
      one INTEGER PRIMARY KEY CHECK(one = 1),
      position INTEGER NOT NULL,
      at INTEGER NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
      BEGIN SELECT RAISE(ABORT, 'an entry of the audit trail is final'); END;
    CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
      WHEN OLD.position > coalesce((SELECT position FROM audit_cut), 0)
      BEGIN SELECT RAISE(ABORT, 'the audit trail is cut from its beginning, with age'); END;
    CREATE TABLE known_places(
      email TEXT NOT NULL COLLATE NOCASE,
      address TEXT NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY(email, address)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO known_places(email, address, last_at)
      SELECT who, origin, max(at) FROM events WHERE event = 'signed-in' GROUP BY who COLLATE NOCASE, origin;
  `);
}
