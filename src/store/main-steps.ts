/* The long migrations of the main database. A migration that was released is never edited. */

import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { Database } from "./database.ts";

/** Accounts, objectives, interventions and their outbox. */
export const FIRST_TABLES = `
  CREATE TABLE accounts(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role TEXT NOT NULL CHECK(role IN ('administrator','operator','viewer')),
    password_hash TEXT,
    disabled INTEGER NOT NULL DEFAULT 0 CHECK(disabled IN (0,1)),
    token_version INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE objectives(
    kind TEXT NOT NULL,
    id INTEGER NOT NULL,
    data TEXT NOT NULL,
    source TEXT NOT NULL CHECK(source IN ('config','import','zone')),
    PRIMARY KEY(kind, id)
  ) STRICT, WITHOUT ROWID;

  -- AUTOINCREMENT: ids are never reused, because they are used outside and deletion is final.
  CREATE TABLE interventions(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    dateStart TEXT,
    dateEnd TEXT,
    dateStartMs INTEGER,
    dateEndMs INTEGER,
    status TEXT NOT NULL CHECK(status IN ('planned','in_progress','done')),
    priority TEXT NOT NULL CHECK(priority IN ('low','medium','high')),
    type TEXT NOT NULL CHECK(type IN ('maintenance','inspection','repair','other')),
    objectiveType TEXT NOT NULL,
    objectiveId INTEGER NOT NULL,
    crews INTEGER NOT NULL CHECK(crews >= 1),
    police INTEGER NOT NULL CHECK(police IN (0,1)),
    ambulance INTEGER NOT NULL CHECK(ambulance IN (0,1)),
    firetruck INTEGER NOT NULL CHECK(firetruck IN (0,1)),
    notes TEXT,
    dispeceratId INTEGER NOT NULL,
    invoicePdf TEXT,
    rev INTEGER NOT NULL DEFAULT 1,
    deleted_at INTEGER,
    created_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    FOREIGN KEY(objectiveType, objectiveId) REFERENCES objectives(kind, id)
  ) STRICT;
  CREATE INDEX interventions_status ON interventions(status, id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_priority ON interventions(priority, id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_type ON interventions(type, id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_start ON interventions(dateStartMs, id) WHERE deleted_at IS NULL;

  CREATE TABLE idempotency_keys(
    account_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY(account_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_age ON idempotency_keys(created_at);

  CREATE TABLE outbox(
    intervention_id INTEGER PRIMARY KEY REFERENCES interventions(id),
    phase TEXT NOT NULL CHECK(phase IN
      ('new','posting','unsure','linked','writing','blocked','rejected','gone','closed')),
    rank INTEGER NOT NULL,
    want_rev INTEGER NOT NULL,
    synced_rev INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0 CHECK(deleted IN (0,1)),
    upstream_id INTEGER,
    base TEXT,
    attempt_key TEXT,
    attempt_body TEXT,
    attempt_rev INTEGER,
    attempt_at INTEGER,
    sends INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL DEFAULT 0,
    last_code TEXT,
    last_error TEXT,
    CHECK(phase NOT IN ('linked','writing') OR (upstream_id IS NOT NULL AND base IS NOT NULL)),
    CHECK(phase NOT IN ('posting','unsure') OR (attempt_key IS NOT NULL AND attempt_body IS NOT NULL)),
    CHECK(synced_rev <= want_rev)
  ) STRICT;
  CREATE UNIQUE INDEX outbox_upstream ON outbox(upstream_id) WHERE upstream_id IS NOT NULL;
  CREATE INDEX outbox_due ON outbox(rank, next_at)
    WHERE (phase IN ('new','posting','unsure','writing','blocked') OR (phase = 'linked' AND want_rev > synced_rev));
`;

/** A table for the audit trail, which other events cannot displace, and the addresses from which users have signed in. */
export const AUDIT_TRAIL = `
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
`;

/** The sites that report to this dispatch centre, and the changes of each. */
export const FLEET_TABLES = `
  CREATE TABLE sites(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    ref TEXT NOT NULL UNIQUE,
    searched TEXT NOT NULL,
    report TEXT NOT NULL CHECK(json_valid(report)),
    rank INTEGER NOT NULL CHECK(rank BETWEEN 0 AND 3),
    since INTEGER NOT NULL,
    reported_at INTEGER NOT NULL,
    silent_since INTEGER,
    intervention_id INTEGER,
    clock_offset_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sites_trouble ON sites(rank, since, id);
  -- Which sites have not reported is asked every few seconds.
  CREATE INDEX sites_reported ON sites(reported_at);
  CREATE TABLE site_history(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id INTEGER NOT NULL REFERENCES sites(id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX site_history_site ON site_history(site_id, id);
`;

/** Accounts of sites, and the one-time codes by which a site gets its account. */
export const ENROLMENT_TABLES = `
  -- site.ref of the site that uses the account: it may then use only its own objectives and records.
  ALTER TABLE accounts ADD COLUMN site TEXT;
  CREATE UNIQUE INDEX accounts_site ON accounts(site) WHERE site IS NOT NULL;
  -- The first two accounts are usually the initial administrator and the one that posts trips, which need no such index.
  CREATE INDEX interventions_creator ON interventions(created_by) WHERE created_by > 2;
  CREATE TABLE enrolments(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    code_hash TEXT NOT NULL UNIQUE,
    site TEXT NOT NULL,
    objectives TEXT NOT NULL CHECK(json_valid(objectives)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT;
`;

/**
 * Migration: each list of objectives gets a version, which every change of a row replaces. Each account gets the
 * objectives it is limited to, as a JSON list or null for all. Versions are random: a counter could repeat a value
 * after a restore from backup.
 */
export function addObjectiveLists(database: Database): void {
  database.exec(`
    CREATE TABLE list_versions(kind TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
    ${["objectives", "centre_objectives"].map(triggersOf).join("")}
    ALTER TABLE accounts ADD COLUMN objectives TEXT CHECK(json_valid(objectives));
  `);
  for (const kind of OBJECTIVE_TYPES)
    database.prepare(`INSERT INTO list_versions(kind, version) VALUES(?, ${RANDOM})`).run(kind);
}

/** 64 random bits. */
const RANDOM = "lower(hex(randomblob(8)))";

function triggersOf(table: string): string {
  const actions = [
    ["INSERT", "NEW"],
    ["UPDATE", "NEW"],
    ["DELETE", "OLD"],
  ];
  return actions
    .map(
      ([action, row]) => `
    CREATE TRIGGER ${table}_${action}_version AFTER ${action} ON ${table} BEGIN
      UPDATE list_versions SET version = ${RANDOM} WHERE kind = ${row}.kind;
    END;`,
    )
    .join("");
}
