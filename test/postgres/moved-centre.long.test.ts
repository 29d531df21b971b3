import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { MOVED_TABLES, type MovedTable } from "../../src/postgres/moved-tables.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { OPERATOR_USER, PASSWORD, PATROL, TESTER } from "../support/app.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { MovingCentre } from "../support/moving-centre.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { OWN_RECORDS, stoppedCentre } from "../support/stopped-centre.ts";

/* What an operator types to move a centre from SQLite to PostgreSQL: `santinela migrate --from-sqlite`. */

/** More than two batches. */
const MORE_RECORDS = 2_345;
const ROWS = OWN_RECORDS.rows + MORE_RECORDS;

describeOnPostgres("a dispatch centre on SQLite that moves to PostgreSQL", (server) => {
  let original: string;
  let centre: MovingCentre;

  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), "santinela-moved-"));
    await stoppedCentre(original, MORE_RECORDS);
  });
  afterAll(async () => {
    rmSync(original, { recursive: true });
  });
  beforeEach(async () => {
    centre = await MovingCentre.of(original, server);
  });
  afterEach(() => centre.remove());

  const fileOf = (name: string): string => join(centre.dataDir, name);
  async function newRecordId(): Promise<number> {
    const moved = await PostgresCentre.open(centre.url);
    const { record } = await moved.records.create(PATROL, OPERATOR_USER);
    await moved.close();
    return record.id;
  }

  test("has every row there with every value, its keys and an intact audit trail", async () => {
    const file = readFileSync(fileOf("santinela.db"));
    const { code, stdout, stderr } = await centre.move();
    expect(readFileSync(fileOf("santinela.db")).equals(file)).toBe(true);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^checking .*santinela\.db, .* MB\ndatabase: .*\n$/),
    ]);
    expect(stdout).toMatch(new RegExp(`^interventions +${ROWS} +${ROWS}$`, "m"));
    expect(stdout).toContain("signing keys: 1; tokens stay valid\n");
    for (const table of MOVED_TABLES) {
      const select = selectOf(table);
      const before = centre.inSource((source) => source.prepare(select).all());
      const after = (await centre.query<object>(select)).map((row) => asInSqlite(row, table));
      expect([table.name, after]).toEqual([table.name, before]);
      expect([table.name, before.length > 0]).toEqual([table.name, !EMPTY.has(table.name)]);
    }
    const key = readFileSync(fileOf("secrets/token-signing.key"), "utf8").trim();
    expect(await centre.query("SELECT key FROM signing_keys")).toEqual([{ key }]);
    const verified = await centre.run("events", "verify");
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(": intact\n")]);
    const [, head = "none"] = /^last hash: (.*)$/m.exec(verified.stdout) ?? [];
    expect(stdout).toContain(head);
  });

  test("has the total of its records there, and its numbers go on", async () => {
    expect((await centre.move()).code).toBe(0);
    const [{ records } = {}] = await centre.query<{ records: string }>(
      "SELECT sum(records) AS records FROM intervention_counts",
    );
    expect(Number(records)).toBe(ROWS - OWN_RECORDS.deleted);
    expect(await newRecordId()).toBe(ROWS + 1);
  });

  test("gives the numbers of removed records to no other ones", async () => {
    centre.inSource((source) =>
      source.exec("UPDATE sqlite_sequence SET seq = 9000 WHERE name = 'interventions'"),
    );
    expect((await centre.move()).code).toBe(0);
    expect(await newRecordId()).toBe(9001);
  });

  test("is not moved a second time, nor to a database with rows", async () => {
    expect((await centre.move()).code).toBe(0);
    const again = await centre.move();
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("moved to this database before")]);

    await centre.useNewDatabase();
    await (await PostgresCentre.open(centre.url)).close();
    const refused = await centre.move();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /the database is not empty; it has rows: objectives 9\nMove to a new database/,
    );
    expect(await centre.rowsIn("interventions")).toBe(0);
  });

  async function startedOnEmptyDatabase(): Promise<Outcome> {
    const untilSignal = () => new Promise<never>(() => {});
    return santinela(["centre", "--config", "centre.yaml"], { cwd: centre.folder, untilSignal });
  }

  test("is not left behind by a start on the empty database, which would lock out its sites", async () => {
    const refused = await startedOnEmptyDatabase();
    expect(refused.code).toBe(78);
    expect(refused.stderr).toMatch(
      /the records of .*santinela\.db are not in the database: it has \d+ interventions and 1 site\n[\s\S]*santinela migrate --from-sqlite/,
    );
    expect((await centre.move()).code).toBe(0);
  });

  test("is not left behind either while its sites have reported and had no alarm yet", async () => {
    centre.inSource((source) => source.exec("PRAGMA foreign_keys = OFF; DELETE FROM interventions"));
    const refused = await startedOnEmptyDatabase();
    expect([refused.code, refused.stderr]).toEqual([
      78,
      expect.stringMatching(/santinela\.db are not in the database: it has 0 interventions and 1 site\n/),
    ]);
    // An enrolled one may not have reported either.
    centre.inSource((source) => source.exec("DELETE FROM sites"));
    expect((await startedOnEmptyDatabase()).code).toBe(78);
  });

  test.each([[["user", "list"]], [["objectives", "import", "objectives.json"]], [["keys", "rotate"]]])(
    "is not left behind by %s, which changes nothing",
    async (command) => {
      writeFileSync(join(centre.folder, "objectives.json"), '{"obiective/cladiri":[{"id":1,"name":"Hala"}]}');
      const refused = await centre.run(...command);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        78,
        "",
        expect.stringContaining("are not in the database"),
      ]);
      expect((await centre.move()).code).toBe(0);
      expect((await centre.run(...command)).code).toBe(0);
    },
  );

  test("is not left behind either if the database has been used without it", async () => {
    const refused = await centre.run("user", "list");
    expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining("are not in the database")]);
    // On a machine without the old files.
    const other = await PostgresCentre.open(centre.url);
    await other.accounts.add(
      { email: "ion@centre.example", role: "administrator", password: PASSWORD },
      TESTER,
    );
    await other.records.create(PATROL, OPERATOR_USER);
    await other.close();
    expect((await startedOnEmptyDatabase()).code).toBe(78);
    expect((await centre.run("user", "list")).code).toBe(78);
  });

  test("works on the database to which it was moved, with the old files beside it", async () => {
    expect((await centre.move()).code).toBe(0);
    const list = async () => (await centre.run("user", "list")).code;
    expect(await list()).toBe(0);
    // What is found there by mistake does not stop it.
    centre.inSource((source) => source.exec("UPDATE accounts SET id = id + 100 WHERE email LIKE 'viewer%'"));
    expect(await list()).toBe(0);
    truncateSync(fileOf("santinela.db"), 60_000);
    expect(await list()).toBe(0);
  });

  test("has no records that were added on SQLite after the move", async () => {
    expect((await centre.move()).code).toBe(0);
    centre.inSource((source) =>
      source.exec("UPDATE interventions SET uid = 'later' WHERE id = (SELECT max(id) FROM interventions)"),
    );
    expect((await centre.run("user", "list")).code).toBe(78);
  });

  test("is not moved while it runs", async () => {
    const release = takeInstanceLock(fileOf("lock.db"));
    const refused = await centre.move();
    release();
    expect([refused.code, refused.stdout]).toEqual([75, ""]);
    expect(refused.stderr).toMatch(/^a centre is running on .*\nStop it, /);
    expect((await centre.move()).code).toBe(0);
  });

  test("is not moved from the schema of another release", async () => {
    const stamp = centre.inSource((source) => Number(source.pragma("user_version", { simple: true })));
    centre.inSource((source) => source.pragma(`user_version = ${stamp - 1}`));
    const older = await centre.move();
    expect([older.code, older.stderr]).toEqual([
      65,
      expect.stringMatching(/an earlier release.*\nStart the centre once with this release/),
    ]);
    centre.inSource((source) => source.pragma(`user_version = ${stamp + 1}`));
    const newer = await centre.move();
    expect([newer.code, newer.stderr]).toEqual([
      65,
      expect.stringMatching(/a newer release.*\nUse the newer release/),
    ]);
    expect(await centre.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  test.each<[what: string, damage: () => void]>([
    ["its file is cut", () => truncateSync(fileOf("santinela.db"), 60_000)],
    [
      "a value has changed on the disk",
      () =>
        centre.inSource((source) =>
          // As a flipped bit: the trigger that removes the checksum does not run.
          source.exec("DROP TRIGGER interventions_changed; UPDATE interventions SET crews = 5 WHERE id = 1"),
        ),
    ],
    [
      "its file is older than its last run",
      () =>
        writeFileSync(
          fileOf("given-numbers.json"),
          JSON.stringify({ given: { "santinela.db": { interventions: 99_999 } } }),
        ),
    ],
    [
      "a recovery was interrupted",
      () => cpSync(fileOf("secrets"), fileOf("santinela.db.ready"), { recursive: true }),
    ],
  ])("is not moved if %s, and its next start checks everything", async (_what, damage) => {
    damage();
    const { code, stderr } = await centre.move();
    expect([code, stderr]).toEqual([65, expect.stringMatching(/is damaged: [^]*\nStart the centre once/)]);
    expect(existsSync(fileOf("check-failed.txt"))).toBe(true);
    expect(await centre.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  });

  test("has a character replaced that PostgreSQL cannot store, and its row named", async () => {
    centre.inSource((source) =>
      source
        .prepare(
          "INSERT INTO events(seq, at, event, who, origin, subject, detail) VALUES(9000, 1, 'forbidden', ?, '', '', '{}')",
        )
        .run("a\0b"),
    );
    const { code, stdout } = await centre.move();
    expect([code, stdout]).toEqual([0, expect.stringContaining("cannot store: 1 (events 9000)\n")]);
    expect(await centre.query("SELECT who FROM events WHERE seq = 9000")).toEqual([{ who: "a\u{fffd}b" }]);
  });

  test("has listed what does not move, and a site with records to send is not moved", async () => {
    centre.inSource((source) =>
      source.exec(
        "INSERT INTO plans(name, type, picture, picture_at, pins) VALUES('Yard', 'png', '', 1, '[]')",
      ),
    );
    const { stdout } = await centre.move();
    expect(stdout).toContain("not moved: plans 1 (floor plans: a dispatch centre on PostgreSQL has none)\n");
    centre.inSource((source) =>
      source.exec(
        "UPDATE outbox SET phase = 'unsure', attempt_key = 'k', attempt_body = '{}', checksum = NULL WHERE intervention_id = 1",
      ),
    );
    const refused = await centre.move();
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("belongs to a site, with records or trips to send: 1"),
    ]);
  });

  test("needs the option database, and the data directory of a centre", async () => {
    centre.configure(null);
    const without = await centre.move();
    expect([without.code, without.stderr]).toEqual([64, expect.stringContaining("Add the option database")]);
    centre.configure(centre.url);
    const elsewhere = await centre.move("nowhere");
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      66,
      expect.stringContaining("there is no database in"),
    ]);
  });
});

/** Tables in which the centre of these tests has no rows: nothing was removed with age. */
const EMPTY: ReadonlySet<string> = new Set(["audit_cut"]);

function selectOf({ name, key, columns }: MovedTable): string {
  const quoted = (names: readonly string[]): string => names.map((column) => `"${column}"`).join(", ");
  return `SELECT ${quoted(Object.keys(columns))} FROM ${name} ORDER BY ${quoted(key)}`;
}

/** A row of PostgreSQL with numbers in place of the texts of `bigint` and of flags. */
function asInSqlite(row: object, { columns }: MovedTable): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      value === null || columns[name] === "text" ? value : Number(value),
    ]),
  );
}
