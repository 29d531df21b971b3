import { OMITTED_EVENTS_TABLE } from "../store/audit-chain.ts";
import { AUDIT_TRAIL, FINAL_EVENTS } from "./audit-schema.ts";
import { PROCESS_CONFIGURATION } from "./compared-configuration.ts";
import { RETENTION_CLOCK } from "./retention.ts";
import { RECEPTION_STALLS, REPORT_RECEPTION } from "./shared-reception.ts";

/**
 * The schema of a centre, one step for each entry. A released step is never edited, and steps are only appended. Times
 * are wall clock, milliseconds since 1970. All texts compare by their bytes, as in SQLite: the collation is C.
 */
export const STEPS: readonly string[] = [
  `
  CREATE TABLE accounts(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK(role IN ('administrator', 'operator', 'viewer')),
    password_hash text,
    disabled boolean NOT NULL DEFAULT false,
    token_version integer NOT NULL DEFAULT 1,
    must_change_password boolean NOT NULL DEFAULT false,
    objectives text,
    created_at bigint NOT NULL
  );
  CREATE UNIQUE INDEX accounts_email ON accounts(lower(email));

  CREATE TABLE objectives(
    kind text COLLATE "C" NOT NULL,
    id bigint NOT NULL,
    data text NOT NULL,
    source text NOT NULL CHECK(source IN ('config', 'import', 'zone')),
    PRIMARY KEY(kind, id)
  );
  -- Random, so that no version returns after a restore from a backup.
  CREATE TABLE list_versions(kind text COLLATE "C" PRIMARY KEY, version text NOT NULL);
  INSERT INTO list_versions(kind, version) SELECT kind, gen_random_uuid()::text
    FROM unnest(ARRAY['obiective/cladiri', 'obiective/bunuri', 'obiective/persoane']) AS kind;
  CREATE FUNCTION replace_list_versions() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE list_versions SET version = gen_random_uuid()::text WHERE kind IN (SELECT DISTINCT kind FROM changed);
    RETURN NULL;
  END $$;
  CREATE TRIGGER objectives_added AFTER INSERT ON objectives REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION replace_list_versions();
  CREATE TRIGGER objectives_changed AFTER UPDATE ON objectives REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION replace_list_versions();
  CREATE TRIGGER objectives_removed AFTER DELETE ON objectives REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION replace_list_versions();

  -- No cache: an id is smaller than all that are given later, by whichever process. The sites' searches rely on it.
  CREATE SEQUENCE intervention_ids CACHE 1;
  CREATE TABLE interventions(
    id bigint PRIMARY KEY,
    uid text COLLATE "C" NOT NULL UNIQUE,
    "name" text COLLATE "C" NOT NULL,
    "description" text COLLATE "C",
    "dateStart" text COLLATE "C",
    "dateEnd" text COLLATE "C",
    "dateStartMs" bigint,
    "dateEndMs" bigint,
    "status" text COLLATE "C" NOT NULL,
    "priority" text COLLATE "C" NOT NULL,
    "type" text COLLATE "C" NOT NULL,
    "objectiveType" text COLLATE "C" NOT NULL,
    "objectiveId" bigint NOT NULL,
    "crews" bigint NOT NULL,
    "police" boolean NOT NULL,
    "ambulance" boolean NOT NULL,
    "firetruck" boolean NOT NULL,
    "notes" text COLLATE "C",
    "dispeceratId" bigint NOT NULL,
    "invoicePdf" text COLLATE "C",
    "nameFolded" text COLLATE "C" NOT NULL,
    "descriptionFolded" text COLLATE "C",
    "notesFolded" text COLLATE "C",
    rev integer NOT NULL DEFAULT 1,
    deleted_at bigint,
    created_by bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    FOREIGN KEY("objectiveType", "objectiveId") REFERENCES objectives(kind, id)
  );
  CREATE INDEX interventions_status ON interventions("status", id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_priority ON interventions("priority", id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_type ON interventions("type", id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_start ON interventions("dateStartMs", id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_name ON interventions("name", id) WHERE deleted_at IS NULL;
  CREATE INDEX interventions_objective ON interventions("objectiveId", "objectiveType", id)
    WHERE deleted_at IS NULL;

  CREATE TABLE idempotency_keys(
    account_id bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    body text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY(account_id, key)
  );
  CREATE INDEX idempotency_keys_age ON idempotency_keys(created_at);

  -- Each connection counts in one of sixteen slots: with one row for a total, all writers wait for each other's flush.
  CREATE TABLE intervention_counts(
    "status" text COLLATE "C" NOT NULL,
    "priority" text COLLATE "C" NOT NULL,
    "type" text COLLATE "C" NOT NULL,
    slot integer NOT NULL,
    records bigint NOT NULL,
    PRIMARY KEY("status", "priority", "type", slot)
  ) WITH (fillfactor = 50);

  CREATE TABLE events(
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Events become visible in another order than they are numbered: readers stop at the oldest open transaction.
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at bigint NOT NULL,
    event text COLLATE "C" NOT NULL,
    who text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    detail text NOT NULL
  );
  CREATE INDEX events_subject ON events(subject, seq);
  CREATE INDEX events_at ON events(at);
  CREATE TABLE known_places(
    email text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY(email, address)
  );

  -- Wrong passwords by account and address, counted for all processes together.
  CREATE TABLE wrong_passwords(
    place text COLLATE "C" PRIMARY KEY,
    failures integer NOT NULL,
    last_at bigint NOT NULL,
    blocked_until bigint NOT NULL
  );
  CREATE INDEX wrong_passwords_age ON wrong_passwords(last_at);
  `,
  `
  -- No index on the time of the report, so that a report changes no index and its row stays on its page. Looks for silent
  -- sites scan the table: it has at most twenty thousand rows.
  CREATE TABLE sites(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ref text COLLATE "C" NOT NULL UNIQUE,
    searched text COLLATE "C" NOT NULL,
    report text NOT NULL,
    rank integer NOT NULL CHECK(rank BETWEEN 0 AND 3),
    since bigint NOT NULL,
    reported_at bigint NOT NULL,
    silent_since bigint,
    intervention_id bigint,
    clock_offset_ms bigint NOT NULL,
    rev integer NOT NULL DEFAULT 1
  ) WITH (fillfactor = 50);
  CREATE INDEX sites_trouble ON sites(rank, since, id);
  CREATE TABLE site_history(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site_id bigint NOT NULL REFERENCES sites(id) ON DELETE CASCADE,
    at bigint NOT NULL,
    event text COLLATE "C" NOT NULL,
    detail text NOT NULL
  );
  CREATE INDEX site_history_site ON site_history(site_id, id);
  `,
  AUDIT_TRAIL,
  `
  -- All processes sign and accept with the same keys. Readable by the role of the centre only, as the accounts are.
  CREATE TABLE signing_keys(
    id integer PRIMARY KEY,
    key text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL
  );
  -- The headline counts unfinished records twice a second while a page is open: done ones cost nothing.
  CREATE INDEX interventions_unfinished ON interventions(id) WHERE deleted_at IS NULL AND "status" <> 'done';
  `,
  `
  -- site.ref of the site that uses the account: it may then use only its own objectives and records.
  ALTER TABLE accounts ADD COLUMN site text COLLATE "C";
  CREATE UNIQUE INDEX accounts_site ON accounts(site) WHERE site IS NOT NULL;
  CREATE INDEX interventions_creator ON interventions(created_by, id) WHERE deleted_at IS NULL;
  CREATE TABLE enrolments(
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code_hash text COLLATE "C" NOT NULL UNIQUE,
    site text COLLATE "C" NOT NULL,
    objectives text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint
  );
  CREATE INDEX enrolments_site ON enrolments(site);
  `,
  FINAL_EVENTS,
  `
  -- The account whose reports of a site are taken while no account of its own is enrolled; null until the next report.
  ALTER TABLE sites ADD COLUMN account bigint;
  `,
  REPORT_RECEPTION,
  RETENTION_CLOCK,
  `
  -- The newest starts first, those without a start last: read backwards, the other index has those first.
  CREATE INDEX interventions_latest ON interventions("dateStartMs" DESC NULLS LAST, id) WHERE deleted_at IS NULL;
  `,
  OMITTED_EVENTS_TABLE,
  `
  -- Most records have no end and one crew: these are in neither index, and cost a write nothing.
  CREATE INDEX interventions_end ON interventions("dateEndMs", id) WHERE deleted_at IS NULL AND "dateEndMs" IS NOT NULL;
  CREATE INDEX interventions_crews ON interventions("crews", id) WHERE deleted_at IS NULL AND "crews" > 1;
  `,
  RECEPTION_STALLS,
  PROCESS_CONFIGURATION,
];
