/*
 * What moves from a centre's SQLite to PostgreSQL, column by column, and why the rest does not. A test compares these lists with
 * the schemas of both: a table or column that is added to one of them needs a decision here.
 */

/** A table that both databases have under one name. */
export interface MovedTable {
  readonly name: string;
  /** The columns by which its rows are read in order, and named in messages. */
  readonly key: readonly string[];
  /** The columns with their types in PostgreSQL; a boolean is 0 or 1 in SQLite. */
  readonly columns: Columns;
  /** Values that are not those of the column of the same name, as expressions in SQLite. */
  readonly expressions?: Readonly<Record<string, string>>;
  /** The statement that sets the next number of the key, without the number; for numbers that are never reused. */
  readonly restart?: string;
  /** Whether the schema of PostgreSQL has created rows, which are replaced. */
  readonly hasRows?: true;
}

type Columns = Readonly<Record<string, "text" | "bigint" | "integer" | "boolean">>;

/** @param list as in the statement that creates a table, such as `id bigint, email text` */
function columnsOf(list: string): Columns {
  const columns = list.trim().split(/,\s+/);
  return Object.fromEntries(columns.map((column) => column.split(" "))) as Columns;
}

/** In the order of writing: objectives before the records that refer to them and before the versions of their lists. */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    name: "accounts",
    key: ["id"],
    columns: columnsOf(`
      id bigint, email text, role text, password_hash text, disabled boolean, token_version integer,
      must_change_password boolean, objectives text, created_at bigint, site text
    `),
    restart: "ALTER TABLE accounts ALTER COLUMN id RESTART WITH",
  },
  {
    name: "objectives",
    key: ["kind", "id"],
    columns: columnsOf("kind text, id bigint, data text, source text"),
  },
  // Sites and browsers keep a list for as long as its version stays.
  { name: "list_versions", key: ["kind"], columns: columnsOf("kind text, version text"), hasRows: true },
  {
    name: "interventions",
    key: ["id"],
    columns: columnsOf(`
      id bigint, uid text, name text, description text, dateStart text, dateEnd text, dateStartMs bigint,
      dateEndMs bigint, status text, priority text, type text, objectiveType text, objectiveId bigint,
      crews bigint, police boolean, ambulance boolean, firetruck boolean, notes text, dispeceratId bigint,
      invoicePdf text, nameFolded text, descriptionFolded text, notesFolded text, rev integer,
      deleted_at bigint, created_by bigint, created_at bigint, updated_at bigint
    `),
    // Only SQLite allows it to be missing; no release leaves it out.
    expressions: { nameFolded: "coalesce(nameFolded, '')" },
    restart: "ALTER SEQUENCE intervention_ids RESTART WITH",
  },
  {
    name: "idempotency_keys",
    key: ["account_id", "key"],
    columns: columnsOf("account_id bigint, key text, fingerprint text, body text, created_at bigint"),
  },
  {
    name: "events",
    key: ["seq"],
    columns: columnsOf("seq bigint, at bigint, event text, who text, origin text, subject text, detail text"),
    restart: "ALTER TABLE events ALTER COLUMN seq RESTART WITH",
  },
  {
    name: "audit",
    key: ["position"],
    columns: columnsOf(`
      position bigint, seq bigint, at bigint, event text, who text, origin text, subject text,
      detail text, hash text
    `),
  },
  {
    name: "audit_cut",
    key: ["one"],
    columns: columnsOf("one integer, position bigint, at bigint, hash text"),
  },
  {
    name: "audit_left_out",
    key: ["event"],
    columns: columnsOf("event text, since bigint, entries bigint"),
    hasRows: true,
  },
  {
    name: "known_places",
    key: ["email", "address"],
    columns: columnsOf("email text, address text, last_at bigint"),
    // SQLite compares these addresses without case, PostgreSQL stores them in small letters.
    expressions: { email: "lower(email)" },
  },
  {
    name: "sites",
    key: ["id"],
    columns: columnsOf(`
      id bigint, ref text, searched text, report text, rank integer, since bigint, reported_at bigint,
      silent_since bigint, intervention_id bigint, clock_offset_ms bigint, account bigint
    `),
    restart: "ALTER TABLE sites ALTER COLUMN id RESTART WITH",
  },
  {
    name: "site_history",
    key: ["id"],
    columns: columnsOf("id bigint, site_id bigint, at bigint, event text, detail text"),
    restart: "ALTER TABLE site_history ALTER COLUMN id RESTART WITH",
  },
  {
    name: "enrolments",
    key: ["id"],
    columns: columnsOf(`
      id bigint, code_hash text, site text, objectives text, created_at bigint, expires_at bigint,
      used_at bigint
    `),
    restart: "ALTER TABLE enrolments ALTER COLUMN id RESTART WITH",
  },
  { name: "retention_clock", key: ["one"], columns: columnsOf("one integer, at bigint"), hasRows: true },
];

/** The table of totals, whose rows differ: PostgreSQL counts in several slots. It is calculated from the records. */
export const REBUILT_TABLE = "intervention_counts";

/** Tables of PostgreSQL without one of the same name in SQLite, and where their rows come from. */
export const TABLES_OF_POSTGRES: Readonly<Record<string, string>> = {
  schema_steps: "the schema itself",
  signing_keys: "the files of the signing keys",
  wrong_passwords: "processes that run; on SQLite they are in memory",
  report_reception: "processes that run",
};

/** Tables of santinela.db that do not move, and why. */
export const TABLES_LEFT_BEHIND: Readonly<Record<string, string>> = {
  plans: "floor plans: a dispatch centre on PostgreSQL has none",
  outbox: "the queue of a site; a dispatch centre sends its records nowhere",
  centre_facts: "what a site knows of its dispatch centre",
  centre_objectives: "objectives that the dispatch centre of a site lists",
  objective_walks: "when a site has read these lists",
  sought_records: "records that a site searches at its dispatch centre",
  walk_test_results: "results of the walk tests of a site's zones",
  transmissions: "events for the monitoring receiver of a site",
  transmitted_zones: "zone numbers of that receiver",
  transmitter_links: "links to that receiver",
  transmitter_facts: "state of the transmission to that receiver",
};
