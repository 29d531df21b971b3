import { OMITTED_EVENTS_TABLE } from "./audit-chain.ts";
import { AuditTrail } from "./audit-trail.ts";
import { addRowSums } from "./row-checksums.ts";
import { REBUILD_COUNTS } from "./intervention-lists.ts";
import { openDatabase, type Database, type DatabaseKind } from "./database.ts";
import { UNFINISHED_INDEX } from "./unfinished-records.ts";
import {
  addObjectiveLists,
  AUDIT_TRAIL,
  ENROLMENT_TABLES,
  FIRST_TABLES,
  FLEET_TABLES,
} from "./main-steps.ts";
import { PLANS } from "./plan-step.ts";
import { TRANSMISSIONS } from "./transmission-step.ts";
import { RETENTION_CLOCK } from "./retention-clock.ts";
import { giveScopeCodes } from "./scope-codes.ts";
import { WALK_TEST_RESULTS } from "./walk-test-step.ts";
import { folded } from "../domain/search-folding.ts";

/** Opens `santinela.db`: records, their outbox, objectives, accounts, the event log. */
export function openMainDatabase(path: string): Database {
  return openDatabase(path, MAIN_DATABASE);
}

export const MAIN_DATABASE: DatabaseKind = {
  // "SNT1"
  applicationId: 0x53_4e_54_31,
  minReaderVersion: 5,
  migrations: [
    (database) => database.exec(FIRST_TABLES),
    (database) => {
      database.exec(`
        -- A generated password only allows setting another one.
        ALTER TABLE accounts ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0
          CHECK(must_change_password IN (0,1));

        CREATE TABLE events(
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          at INTEGER NOT NULL,
          event TEXT NOT NULL,
          who TEXT NOT NULL,
          origin TEXT NOT NULL,
          subject TEXT NOT NULL,
          detail TEXT NOT NULL CHECK(json_valid(detail))
        ) STRICT;
        CREATE TRIGGER events_are_final BEFORE UPDATE ON events
          BEGIN SELECT RAISE(ABORT, 'an entry of the event log is final'); END;
        -- The newest are always kept; by number and not by age, because the clock can be wrong.
        CREATE TRIGGER events_are_kept BEFORE DELETE ON events
          WHEN OLD.seq > (SELECT max(seq) FROM events) - 10000
          BEGIN SELECT RAISE(ABORT, 'the newest 10000 entries of the event log are kept'); END;
        CREATE INDEX events_sign_ins ON events(who, origin) WHERE event = 'signed-in';

        ALTER TABLE interventions ADD COLUMN nameFolded TEXT;
        ALTER TABLE interventions ADD COLUMN descriptionFolded TEXT;
        ALTER TABLE interventions ADD COLUMN notesFolded TEXT;
      `);
      database.function("folded", { deterministic: true }, (text) =>
        text === null ? null : folded(String(text)),
      );
      database.exec(`
        UPDATE interventions SET nameFolded = folded(name), descriptionFolded = folded(description),
          notesFolded = folded(notes);
      `);
    },
    (database) =>
      database.exec(`
        -- Counts for the total of a list, independent of the number of records.
        CREATE TABLE intervention_counts(
          status TEXT NOT NULL,
          priority TEXT NOT NULL,
          type TEXT NOT NULL,
          records INTEGER NOT NULL,
          PRIMARY KEY(status, priority, type)
        ) STRICT, WITHOUT ROWID;
        ${REBUILD_COUNTS}
        -- Equal priorities are sorted by id even if the priorities descend.
        CREATE INDEX interventions_priority_down ON interventions(priority DESC, id) WHERE deleted_at IS NULL;
        CREATE INDEX interventions_status_start ON interventions(status, dateStartMs, id) WHERE deleted_at IS NULL;
        CREATE INDEX interventions_name ON interventions(name, id) WHERE deleted_at IS NULL;
        CREATE INDEX interventions_objective ON interventions(objectiveId, objectiveType, id) WHERE deleted_at IS NULL;
      `),
    (database) =>
      database.exec(`
        -- What is needed to find a record at the dispatch centre, and to tell a dispatcher's changes from ours.
        ALTER TABLE outbox ADD COLUMN agreed TEXT;
        ALTER TABLE outbox ADD COLUMN watermark INTEGER;
        ALTER TABLE outbox ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0 CHECK(doubted IN (0,1));
        ALTER TABLE outbox ADD COLUMN sweeps INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE outbox ADD COLUMN sweep_at INTEGER;
        ALTER TABLE outbox ADD COLUMN ghosts TEXT; -- words: allowed
        ALTER TABLE outbox ADD COLUMN ghosts_until INTEGER;
        ALTER TABLE outbox ADD COLUMN verify_at INTEGER;
        CREATE INDEX outbox_sweep ON outbox(sweep_at) WHERE sweep_at IS NOT NULL;
        CREATE INDEX outbox_verify ON outbox(verify_at) WHERE verify_at IS NOT NULL;

        CREATE TABLE centre_facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      `),
    (database) =>
      database.exec(`
        -- The objectives the centre lists, separate from those this site knows: neither overwrites the other.
        CREATE TABLE centre_objectives(
          kind TEXT NOT NULL,
          id INTEGER NOT NULL,
          data TEXT NOT NULL,
          missing_since INTEGER,
          PRIMARY KEY(kind, id)
        ) STRICT, WITHOUT ROWID;

        -- The last complete read of each list, and its dispatch centre.
        CREATE TABLE objective_walks(
          kind TEXT PRIMARY KEY,
          centre TEXT NOT NULL,
          generation INTEGER NOT NULL,
          completed_at INTEGER NOT NULL,
          objectives INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- The objective of a record becomes this site's own: it stays even if the centre removes it.
        CREATE TRIGGER interventions_name_objective BEFORE INSERT ON interventions BEGIN
          INSERT INTO objectives(kind, id, data, source)
            SELECT kind, id, data, 'import' FROM centre_objectives
            WHERE kind = NEW.objectiveType AND id = NEW.objectiveId
              AND NOT EXISTS (SELECT 1 FROM objectives WHERE kind = NEW.objectiveType AND id = NEW.objectiveId);
        END;
        CREATE TRIGGER interventions_rename_objective BEFORE UPDATE OF objectiveType, objectiveId ON interventions BEGIN
          INSERT INTO objectives(kind, id, data, source)
            SELECT kind, id, data, 'import' FROM centre_objectives
            WHERE kind = NEW.objectiveType AND id = NEW.objectiveId
              AND NOT EXISTS (SELECT 1 FROM objectives WHERE kind = NEW.objectiveType AND id = NEW.objectiveId);
        END;
      `),
    (database) =>
      database.exec(`
        -- The fingerprint of the record at the watermark.
        ALTER TABLE outbox ADD COLUMN witness TEXT;

        -- Records created after a restore from backup, which the centre may have from before; ids above the
        -- watermark.
        CREATE TABLE sought_records(uid TEXT PRIMARY KEY, watermark INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      `),
    (database) => database.exec(UNFINISHED_INDEX),
    (database) =>
      database.exec(`
        -- Since when the centre does not show a record, which a second read must confirm; and how often it has
        -- rejected an alarm, which is retried before it counts as rejected.
        ALTER TABLE outbox ADD COLUMN missing_since INTEGER;
        ALTER TABLE outbox ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX outbox_stuck ON outbox(rank, intervention_id)
          WHERE (phase IN ('rejected','gone') OR (phase = 'linked' AND missing_since IS NOT NULL));
        -- The order in which entries are sent: the next one is found without sorting.
        CREATE INDEX outbox_order ON outbox(rank, intervention_id)
          WHERE (phase IN ('new','posting','unsure','writing','blocked') OR (phase = 'linked' AND want_rev > synced_rev));
      `),
    (database) => {
      for (const table of ["interventions", "outbox"]) addRowSums(database, table);
    },
    (database) => database.exec(AUDIT_TRAIL),
    (database) =>
      database.exec(`
        -- The revision with which a trip last joined the record; null for none.
        ALTER TABLE outbox ADD COLUMN joined_rev INTEGER;
        CREATE INDEX outbox_joined ON outbox(intervention_id)
          WHERE phase IN ('gone','closed') AND deleted = 0 AND joined_rev > synced_rev;
      `),
    addObjectiveLists,
    (database) =>
      database.exec(`
        -- Nothing reads entries by their time: one index of the entries to send remains. It has the name that 0.1.0
        -- expects in a backup.
        DROP INDEX outbox_due;
        DROP INDEX outbox_order;
        CREATE INDEX outbox_due ON outbox(rank, intervention_id)
          WHERE (phase IN ('new','posting','unsure','writing','blocked') OR (phase = 'linked' AND want_rev > synced_rev));
      `),
    (database) => database.exec(FLEET_TABLES),
    (database) => database.exec(ENROLMENT_TABLES),
    (database) => database.exec(TRANSMISSIONS),
    (database) =>
      database.exec(`
        -- When it became known that the dispatch centre has a record, milliseconds since 1970; null until then.
        ALTER TABLE outbox ADD COLUMN arrived_at INTEGER;
      `),
    (database) => database.exec(PLANS),
    (database) =>
      database.exec(`
        -- The account whose reports of a site are taken while no account of its own is enrolled; null until the next report.
        ALTER TABLE sites ADD COLUMN account INTEGER;
      `),
    (database) => database.exec(RETENTION_CLOCK),
    (database) => database.exec(OMITTED_EVENTS_TABLE.replaceAll("BIGINT", "INTEGER")),
    // An altered account may have another role, or its password may be another.
    (database) => addRowSums(database, "accounts"),
    // In the journal alone, which is in no backup, they are lost with the card.
    (database) => {
      database.exec(WALK_TEST_RESULTS);
      addRowSums(database, "walk_test_results");
    },
    // An altered row may report an alarm of another zone, or none.
    (database) => addRowSums(database, "transmissions"),
    (database) =>
      database.exec(`
        -- Since when the dispatch centre lacks a trip that has joined the record, milliseconds since 1970; null if it lacks none.
        ALTER TABLE outbox ADD COLUMN joined_at INTEGER;
        -- Fields whose value there could not be taken over, as a JSON list; null for none.
        ALTER TABLE outbox ADD COLUMN unpulled TEXT;
      `),
  ],
  settle: (database) => {
    new AuditTrail(database).adopt();
    giveScopeCodes(database);
  },
};
