import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  backUp,
  backUpRegularly,
  backupsIn,
  requestIntegrityCheck,
  integrityCheckFile,
  backupProblems,
  finishBackup,
  writeBackup,
  requestedIntegrityCheck,
} from "../../src/ops/backups.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { Databases } from "../../src/ops/databases.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { planRestore, restore } from "../../src/ops/restore.ts";
import { InterventionService } from "../../src/service/interventions.ts";
import { ObjectiveService } from "../../src/service/objectives.ts";
import { AccountStore } from "../../src/store/accounts.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { Journal } from "../../src/store/journal.ts";
import { OPERATOR_USER, TESTER } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tripRow } from "../support/trip-row.ts";

/** The data directory of an installation, with databases opened and closed like in the daemon. */
class Site {
  readonly dataDir = mkdtempSync(join(tmpdir(), "santinela-recovery-"));
  readonly clock = new ManualClock();
  readonly log = new JsonLog({ level: "debug", clock: this.clock, write: () => {} });
  health = new ConditionRegistry(this.clock, this.log);
  databases: Databases;

  constructor() {
    this.databases = this.#opened();
  }

  get main(): string {
    return join(this.dataDir, "santinela.db");
  }

  get conditions(): string[] {
    return this.health.list().map(({ code }) => code);
  }

  /** The daemon starts. */
  open(): void {
    this.health = new ConditionRegistry(this.clock, this.log);
    this.databases = this.#opened();
  }

  /** A power cut: the files remain, without the clean shutdown marker. */
  pullPlug(): void {
    const { dataDir } = this;
    const files = readdirSync(dataDir).filter((name) => /\.db(-wal)?$/.test(name));
    for (const name of files) copyFileSync(join(dataDir, name), join(dataDir, `${name}.asleep`));
    this.databases.close();
    rmSync(join(dataDir, "stopped-in-order"));
    for (const name of files) {
      rmSync(join(dataDir, name), { force: true });
      copyFileSync(join(dataDir, `${name}.asleep`), join(dataDir, name));
      rmSync(join(dataDir, `${name}.asleep`));
    }
  }

  /** A zone trips: the journal has it, the record is created under its key, and the trip is acknowledged. */
  trip(key: string, description = "x"): number {
    const { main, journal: database } = this.databases;
    const journal = new Journal(database, this.clock);
    const body = { name: key, objectiveType: "obiective/cladiri" as const, objectiveId: 1, description };
    journal.commit({
      zoneId: "door",
      state: { contact: "open", sinceWallMs: this.clock.wallMs(), autoRestored: false, sensor: null },
      trips: [tripRow(key, body, this.clock.wallMs())],
    });
    new ObjectiveService(main).import({ "obiective/cladiri": [{ id: 1, name: "Hall" }] }, "config");
    const { record } = this.service().create(body, OPERATOR_USER, { key, fingerprint: key });
    journal.trips.resolve(key, "posted", record.id);
    return record.id;
  }

  service(): InterventionService {
    return new InterventionService({
      database: this.databases.main,
      clock: this.clock,
      timezone: "Europe/Bucharest",
      dispeceratId: 1,
      newUid: randomUUID,
      onChange: () => {},
    });
  }

  names(): string[] {
    return this.databases.main
      .prepare("SELECT name FROM interventions ORDER BY id")
      .pluck()
      .all() as string[];
  }

  waiting(): string[] {
    return this.databases.journal
      .prepare("SELECT key FROM trips WHERE state = 'waiting' ORDER BY seq")
      .pluck()
      .all() as string[];
  }

  remove(): void {
    try {
      this.databases.close();
    } catch {
      // Closed by the test.
    }
    rmSync(this.dataDir, { recursive: true });
  }

  #opened(): Databases {
    const { dataDir, clock, log, health: conditions } = this;
    return new Databases({
      dataDir,
      clock,
      log,
      conditions,
      reserveFile: new ReserveFile(dataDir),
      newIdentity: randomUUID,
    });
  }
}

/** Overwrites a part of a file, like a worn memory card. */
function damage(path: string, offset: number, bytes: number): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, offset);
  closeSync(file);
}

/** Offset of the newest frame of an index page with a text (sqlite.org/fileformat2.html, "WAL File Format"). */
function lastIndexFrame(log: string, text: string): number {
  const bytes = readFileSync(log);
  const newest = new Map<number, number>();
  for (let at = 32; at + 24 + 4096 <= bytes.length; at += 24 + 4096) newest.set(bytes.readUInt32BE(at), at);
  const isIndexLeaf = (at: number): boolean => bytes[at + 24] === 10;
  const [found = 0] = [...newest.values()].filter(
    (at) => isIndexLeaf(at) && bytes.subarray(at + 24, at + 24 + 4096).includes(text),
  );
  return found;
}

/** A power cut after the main database was recovered completely, but before it is in its place. */
function interruptExchange(note: string): void {
  const ready = `${site.main}.ready`;
  mkdirSync(ready);
  copyFileSync(site.main, join(ready, "santinela.db"));
  writeFileSync(join(ready, "replacement.json"), note);
  writeFileSync(site.main, "damaged");
}

/** The first word of each main database in quarantine, oldest first. */
function quarantined(): string[] {
  const folder = join(site.dataDir, "quarantine");
  return readdirSync(folder)
    .toSorted()
    .map((name) => /^\w+/.exec(readFileSync(join(folder, name, "santinela.db"), "latin1"))?.[0] ?? "");
}

let site: Site;
beforeEach(() => {
  site = new Site();
});
afterEach(() => site.remove());

test("a database whose writer has not closed it leaves no clean shutdown marker", async () => {
  const { databases, dataDir } = site;
  const writer = await databases.handOver(async () => openMainDatabase(site.main));
  writer.exec("INSERT INTO objectives VALUES('obiective/cladiri', 77, '{}', 'config')");
  databases.close();
  expect(existsSync(join(dataDir, "stopped-in-order"))).toBe(false);
  writer.close();
  site.open();
  expect(site.conditions).toEqual([]);
  site.databases.close();
  expect(existsSync(join(dataDir, "stopped-in-order"))).toBe(true);
});

describe("after a power cut", () => {
  test("an intact database is opened unchanged, with its write-ahead log", () => {
    site.trip("a");
    site.pullPlug();
    site.open();
    expect(site.names()).toEqual(["a"]);
    expect(site.conditions).toEqual([]);
    expect(existsSync(join(site.dataDir, "quarantine"))).toBe(false);
  });

  test("a database with a damaged header is recovered with every record, whatever the newest backup has", async () => {
    site.trip("before");
    await backUpRegularly(site.dataDir, site.clock.wallMs());
    site.clock.advance(60_000);
    const id = site.trip("after");
    site.databases.close();
    damage(site.main, 0, 4096);
    site.open();
    expect(site.names()).toEqual(["before", "after"]);
    expect(site.waiting()).toEqual([]);
    expect(site.conditions).toContain("database-recovered");
    const events = new EventLog(site.databases.main).newest(2);
    expect(events.map(({ event, subject }) => [event, subject])).toContainEqual([
      "database-recovered",
      "santinela.db",
    ]);
    // Ids are shared: the dispatch centre may have the id of the lost record.
    expect(site.trip("next")).toBeGreaterThan(id);
  });

  test("rows around a damaged page are salvaged, and only those in it come from the backup and the journal", async () => {
    for (let number = 0; number < 40; number += 1) site.trip(`t${number}`, "d".repeat(900));
    await backUpRegularly(site.dataDir, site.clock.wallMs());
    for (let number = 40; number < 80; number += 1) site.trip(`t${number}`, "d".repeat(900));
    site.databases.close();
    const bytes = readFileSync(site.main);
    const at = bytes.indexOf(`t60${"d".repeat(20)}`);
    damage(site.main, Math.floor(at / 4096) * 4096, 4096);
    rmSync(join(site.dataDir, "stopped-in-order"));
    site.open();
    const all = Array.from({ length: 80 }, (_, number) => `t${number}`);
    expect(new Set([...site.names(), ...site.waiting()])).toEqual(new Set(all));
    expect(site.names()).toHaveLength(80 - site.waiting().length);
    expect(site.waiting().length).toBeGreaterThan(0);
    expect(site.waiting().length).toBeLessThan(10);
    expect(site.names()).toContain("t79");
    expect(site.databases.main.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  test("an altered value that breaks a rule of its table is found, and the other rows are saved", () => {
    for (const key of ["a", "b", "c"]) site.trip(key);
    site.databases.close();
    const quote = readFileSync(site.main).lastIndexOf('"crews":');
    expect(quote).toBeGreaterThan(0);
    damage(site.main, quote, 1);
    site.open();
    expect(site.conditions).toContain("database-recovered");
    expect(site.names()).toEqual(["a", "b", "c"]);
    expect(site.databases.main.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  test("commits after a damaged page of the write-ahead log are kept", () => {
    for (let number = 0; number < 20; number += 1) site.trip(`t${number}`, "d".repeat(300));
    const changed = site.trip("changed");
    for (const description of ["first", "second", "third"])
      site.service().update(changed, { description }, OPERATOR_USER);
    site.pullPlug();
    const log = `${site.main}-wal`;
    damage(log, lastIndexFrame(log, "changed") + 24, 64);
    site.open();
    expect(site.names()).toEqual([...Array.from({ length: 20 }, (_, number) => `t${number}`), "changed"]);
    expect(site.service().get(changed).record.description).toBe("third");
    expect(site.waiting()).toEqual([]);
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
    expect(site.databases.main.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(site.trip("next")).toBeGreaterThan(changed);
  });

  test("they are kept in a write-ahead log of any size, such as after a long read", () => {
    site.trip("a");
    const { main } = site.databases;
    main.pragma("wal_autocheckpoint = 0");
    const add = main.prepare(
      "INSERT INTO objectives VALUES('obiective/bunuri', ?, json_object('name', hex(zeroblob(2097152))), 'import')",
    );
    for (let id = 1; id <= 17; id += 1) add.run(id);
    const changed = site.trip("changed");
    for (const description of ["first", "second", "third"])
      site.service().update(changed, { description }, OPERATOR_USER);
    site.pullPlug();
    const log = `${site.main}-wal`;
    expect(statSync(log).size).toBeGreaterThan(64 * 1_048_576);
    damage(log, lastIndexFrame(log, "changed") + 24, 64);
    site.open();
    expect(site.names()).toEqual(["a", "changed"]);
    expect(site.service().get(changed).record.description).toBe("third");
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
  });

  test("a lost log without an index is known by the journal: each record up to its last one is named, and no id is assigned again", () => {
    site.trip("a");
    site.databases.main.pragma("wal_checkpoint(TRUNCATE)");
    site.trip("b");
    site
      .service()
      .create({ name: "by hand", objectiveType: "obiective/cladiri", objectiveId: 1 }, OPERATOR_USER);
    const last = site.trip("c");
    site.pullPlug();
    rmSync(`${site.main}-wal`);
    // The daemon notes them each minute; the power fails before the first time.
    rmSync(join(site.dataDir, "given-numbers.json"));
    site.open();
    expect(site.names()).toEqual(["a"]);
    const [loss] = site.health.list().filter(({ code }) => code === "data-lost");
    expect(loss?.values).toMatchObject({ missing: 3, named: `interventions 2-${last}` });
    expect(site.waiting()).toEqual(["b", "c"]);
    site.databases.close();
    rmSync(join(site.dataDir, "recovery.txt"));
    site.open();
    expect(site.conditions).toEqual([]);
    expect(site.trip("d")).toBeGreaterThan(last);
  });

  test.each([
    ["accounts", "accounts incomplete", "date incomplete: conturi"],
    ["objectives", "objectives incomplete", "date incomplete: obiective"],
    ["outbox", "outbox incomplete", "date incomplete: coada de transmitere"],
    [
      "transmissions",
      "messages to the monitoring receiver incomplete",
      "date incomplete: mesaje către receptorul de monitorizare",
    ],
    ["bypasses", "bypasses incomplete", "date incomplete: bypassuri"],
  ])("an unreadable page of %s is named, in both languages", (table, named, romanian) => {
    site.trip("a");
    const database = table === "bypasses" ? "journal" : "main";
    const file = join(site.dataDir, database === "main" ? "santinela.db" : "journal.db");
    const root = site.databases[database]
      .prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?")
      .pluck()
      .get(table);
    site.databases.close();
    damage(file, ((root ?? 0) - 1) * 4096, 4096);
    site.open();
    const [loss] = site.health.list().filter(({ code }) => code === "data-lost");
    expect(loss?.values).toMatchObject({ named });
    expect(translateToRomanian(`interventions 3, 7-9; ${named}`)).toBe(`intervenții 3, 7-9; ${romanian}`);
    expect(site.names()).toEqual(["a"]);
  });

  test("a missing database is not a first start", () => {
    site.trip("a");
    site.databases.close();
    rmSync(site.main);
    site.open();
    expect(site.names()).toEqual([]);
    expect(site.waiting()).toEqual(["a"]);
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
  });

  test("the report of a recovery can be read in Romanian", () => {
    for (const key of ["a", "b", "c"]) site.trip(key);
    site.databases.close();
    damage(site.main, readFileSync(site.main).lastIndexOf('"crews":'), 1);
    site.open();
    const report = readFileSync(join(site.dataDir, "recovery.txt"), "utf8").trim();
    expect(report).toMatch(/was damaged \(.*\); there was no intact backup.*; rows salvaged: \w+ \d+/);
    expect(translateToRomanian(report)).toMatch(
      /Z santinela\.db era deteriorat \(.*\); nu exista nicio copie.*; rânduri recuperate: \w+ \d+.*\. Fișierul deteriorat/,
    );
  });

  test("a backup that a clock years ahead has dated is used only if there is no other, and its date is ignored", async () => {
    site.trip("old");
    await backUpRegularly(site.dataDir, Date.UTC(2066, 0, 1));
    site.trip("later");
    const good = await backUpRegularly(site.dataDir, site.clock.wallMs());
    site.clock.advance(3_600_000);
    site.trip("new");
    const lose = (): void => {
      site.databases.close();
      writeFileSync(site.main, "");
      site.open();
    };
    lose();
    expect(site.names()).toEqual(["old", "later"]);
    expect(site.waiting()).toEqual(["new"]);
    rmSync(good);
    lose();
    expect(site.names()).toEqual(["old"]);
    expect(site.waiting().toSorted()).toEqual(["later", "new"]);
  });

  test("a damaged backup is skipped for an older valid one", async () => {
    site.trip("old");
    const good = await backUpRegularly(site.dataDir, site.clock.wallMs());
    site.clock.advance(3_600_000);
    site.trip("new");
    damage(await backUpRegularly(site.dataDir, site.clock.wallMs()), 4096, 8192);
    site.databases.close();
    writeFileSync(site.main, "");
    site.open();
    expect(site.names()).toEqual(["old"]);
    expect(site.waiting()).toEqual(["new"]);
    expect(readFileSync(join(site.dataDir, "recovery.txt"), "utf8")).toContain(
      new Date(backupsIn(site.dataDir)[1]?.atMs ?? 0).toISOString(),
    );
    expect(existsSync(good)).toBe(true);
  });

  test("a damaged journal is recreated with the readable trips", () => {
    for (let number = 0; number < 30; number += 1) site.trip(`t${number}`, "d".repeat(900));
    site.databases.journal.prepare("UPDATE trips SET state = 'waiting', intervention_id = NULL").run();
    site.databases.close();
    rmSync(join(site.dataDir, "stopped-in-order"));
    const path = join(site.dataDir, "journal.db");
    damage(path, statSync(path).size - 4096, 4096);
    site.open();
    expect(site.waiting().length).toBeGreaterThan(20);
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
    expect(site.names()).toHaveLength(30);
  });

  test("a missing table is damage, also after a clean shutdown, and the trips of the others are kept", () => {
    site.trip("Front door");
    site.databases.close();
    const journal = new Sqlite(join(site.dataDir, "journal.db"));
    journal.exec("DROP TABLE swingers");
    journal.close();
    site.open();
    expect(site.conditions).toContain("database-recovered");
    const { trips, swingers } = new Journal(site.databases.journal, site.clock);
    expect(trips.find("Front door")).toBeDefined();
    expect(swingers.all()).toEqual(new Map());
    expect(site.names()).toEqual(["Front door"]);
  });

  test("the damaged file is quarantined with its write-ahead log", () => {
    site.trip("a");
    site.pullPlug();
    damage(site.main, 0, 4096);
    damage(`${site.main}-wal`, 0, 32);
    site.open();
    const [folder = ""] = readdirSync(join(site.dataDir, "quarantine"));
    expect(readdirSync(join(site.dataDir, "quarantine", folder))).toEqual(
      expect.arrayContaining(["santinela.db", "santinela.db-wal"]),
    );
    expect([...site.names(), ...site.waiting()]).toEqual(["a"]);
  });

  test("a log that ends with an incomplete commit is kept, and the database is used as it is: no copy of it is left", () => {
    site.trip("a");
    const last = site.trip("b");
    site.service().update(last, { description: "changed" }, OPERATOR_USER);
    site.pullPlug();
    const log = `${site.main}-wal`;
    damage(log, statSync(log).size - 100, 64);
    const before = statSync(site.main).ino;
    site.open();
    expect(site.names()).toEqual(["a", "b"]);
    expect(site.service().get(last).record.description).toBe("x");
    expect(statSync(site.main).ino).toBe(before);
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
    const [folder = "", ...others] = readdirSync(join(site.dataDir, "quarantine"));
    expect(others).toEqual([]);
    expect(readdirSync(join(site.dataDir, "quarantine", folder))).toEqual(["santinela.db-wal"]);
    expect(readFileSync(join(site.dataDir, "recovery.txt"), "utf8")).toContain(
      "it continues without that commit. Its log is kept as",
    );
    site.databases.close();
    rmSync(join(site.dataDir, "recovery.txt"));
    site.open();
    expect(site.conditions).toEqual([]);
  });

  test("an audit trail that was written again up to the noted position is reported with the noted hash", () => {
    const events = new EventLog(site.databases.main);
    events.add({ event: "restart-ordered", ...TESTER, subject: "-", detail: {} }, site.clock.wallMs());
    site.databases.close();
    const main = openMainDatabase(site.main);
    const { position, hash } = main
      .prepare("SELECT position, hash FROM audit ORDER BY position DESC LIMIT 1")
      .get() as { position: number; hash: string };
    const triggers = main
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'")
      .all() as { name: string; sql: string }[];
    for (const { name } of triggers) main.exec(`DROP TRIGGER ${name}`);
    main.prepare("DELETE FROM audit WHERE position = ?").run(position);
    for (const { sql } of triggers) main.exec(sql);
    const other = { event: "reload-applied", ...TESTER, subject: "-", detail: {} } as const;
    new EventLog(main).add(other, site.clock.wallMs());
    main.close();
    site.open();
    const [loss] = site.health.list().filter(({ code }) => code === "data-lost");
    expect(loss?.values).toMatchObject({
      altered: 1,
      named: expect.stringContaining(`with the noted hash ${hash}`) as string,
    });
  });

  test("a backup that a person keeps among the regular ones stays", async () => {
    const folder = join(site.dataDir, "backups");
    mkdirSync(folder, { recursive: true });
    for (const name of ["santinela-before-the-move.db", "santinela-2026-old.db"])
      writeFileSync(join(folder, name), "mine");
    const path = await backUpRegularly(site.dataDir, site.clock.wallMs());
    expect(readdirSync(folder).sort()).toEqual(
      ["santinela-2026-old.db", "santinela-before-the-move.db", basename(path)].sort(),
    );
  });

  test("the report is in the status until a user removes it", () => {
    site.databases.close();
    rmSync(site.main);
    site.open();
    site.databases.close();
    site.open();
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
    rmSync(join(site.dataDir, "recovery.txt"));
    site.databases.checkRecoveryReport();
    expect(site.conditions).toEqual([]);
  });

  test("a second loss is named beside the first, until a user removes the report", () => {
    for (const key of ["a", "b", "c"]) site.trip(key, `seen by ${key}`);
    for (const key of ["a", "c"]) {
      site.databases.close();
      const bytes = readFileSync(site.main, "latin1");
      for (const { index } of bytes.matchAll(new RegExp(`seen by ${key}`, "g"))) damage(site.main, index, 1);
      site.open();
    }
    const [loss] = site.health.list().filter(({ code }) => code === "data-lost");
    expect(loss?.values).toMatchObject({ altered: 2 });
    expect(loss?.text).toMatch(/interventions 1; .*interventions 3/);
  });

  /** An integer that is stored as these bytes. */
  const marker = Buffer.from("FLIPME").readUIntBE(0, 6);
  const STATE = `zone_states(zone_id, contact, since_wall) VALUES('door', 'open', ${marker})`;
  const RESULT = `walk_test_results(number, who, since_wall, ended_wall, sha256, result) VALUES(1, 'w', 0, ${marker}, 'h', '{}')`;
  const COUNT = `swingers(zone_id, incidents, trips, counted, last_wall) VALUES('door', 2, 9, 0, ${marker})`;

  test.each([
    [
      "an account",
      "accounts 1",
      `accounts(email, role, token_version, created_at) VALUES('a@b.example', 'viewer', ${marker}, 0)`,
    ],
    [
      "a bypass",
      "bypasses door",
      `bypasses(zone_id, reason, who, since_wall, until_wall) VALUES('door', 'r', 'w', 0, ${marker})`,
    ],
    [
      "a walk test",
      "walk_tests 1",
      `walk_tests(who, after_seq, since_wall, until_wall) VALUES('w', 0, 0, ${marker})`,
    ],
    [
      "an arming condition",
      "gate_states key",
      `gate_states(gate, state, since_wall) VALUES('key', 'open', ${marker})`,
    ],
    [
      "an entry delay",
      "entry_delays t1",
      `entry_delays(key, zone_id, due_wall, due_boot, due_monotonic) VALUES('t1', 'door', ${marker}, 'b', 0.5)`,
    ],
    [
      "the open topics of a filter",
      "active_topics +/door",
      `active_topics(source, topics) VALUES('+/door', '["FLIPME"]')`,
    ],
    [
      "an incident",
      "incidents 1",
      `incidents(key, subject, intervention_id, last_wall, last_boot, last_monotonic, zones) VALUES('i', 's', ${marker}, 0, 'b', 0.5, '[]')`,
    ],
    [
      "an event for a monitoring receiver",
      "transmissions 1",
      `transmissions(trip, zone_id, pair, change, token, data, created_at) VALUES('t', 'door', 'p', 'new', 'SIA-DCS', 'FLIPME', 0)`,
    ],
    ["the copy of a result", "walk_test_results 1", RESULT],
    ["the contact of a zone", "zone_states door", STATE],
    ["the trips of a zone", "swingers door", COUNT],
  ])("an altered value of %s is reported once, by its name", (_what, named, row) => {
    const isMain = /^(?:accounts|transmissions|walk_test_results) /.test(named);
    const file = isMain ? site.main : join(site.dataDir, "journal.db");
    site.databases[file === site.main ? "main" : "journal"].exec(`INSERT INTO ${row}`);
    site.databases.close();
    damage(file, readFileSync(file).indexOf("FLIPME") + 1, 1);
    site.open();
    const [loss] = site.health.list().filter(({ code }) => code === "data-lost");
    expect(loss?.values).toMatchObject({ altered: 1, missing: 0, named });
    site.databases.close();
    rmSync(join(site.dataDir, "recovery.txt"));
    site.open();
    expect(site.conditions).toEqual([]);
  });

  test.each([
    ["read again", () => {}],
    ["salvaged from a damaged file", (file: string) => damage(file, 0, 16)],
  ])(
    "an altered contact and an altered count are not trusted when they are %s, and others are",
    (_how, damageMore) => {
      const file = join(site.dataDir, "journal.db");
      for (const row of [STATE, COUNT]) site.databases.journal.exec(`INSERT INTO ${row}`);
      const { zoneStates, swingers } = new Journal(site.databases.journal, site.clock);
      zoneStates.save("yard", { contact: "open", sinceWallMs: 1, autoRestored: false, sensor: null });
      swingers.save("yard", { incidents: 1, trips: 1, counted: 0, lastWallMs: 1 });
      site.databases.close();
      for (const { index } of readFileSync(file, "latin1").matchAll(/FLIPME/g)) damage(file, index + 1, 1);
      damageMore(file);
      site.open();
      const [loss] = site.health.list().filter(({ code }) => code === "data-lost");
      expect(loss?.values).toMatchObject({ altered: 2 });
      expect(loss?.text).toMatch(/zone_states door; swingers door/);
      const journal = new Journal(site.databases.journal, site.clock);
      expect([journal.stateOf("door"), journal.stateOf("yard")]).toMatchObject([
        undefined,
        { contact: "open" },
      ]);
      expect([...journal.swingers.all().keys()]).toEqual(["yard"]);
    },
  );

  test("an altered copy of the result of a walk test is removed, so that it is copied again from the journal", () => {
    site.databases.main.exec(`INSERT INTO ${RESULT}`);
    site.databases.close();
    damage(site.main, readFileSync(site.main).indexOf("FLIPME") + 1, 1);
    site.open();
    expect(site.databases.main.prepare("SELECT count(*) FROM walk_test_results").pluck().get()).toBe(0);
  });

  test("a recovery that was interrupted during the exchange is completed and reported, even if its note is damaged", () => {
    site.trip("a");
    site.databases.close();
    interruptExchange("{");
    site.open();
    expect(site.names()).toEqual(["a"]);
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
    expect(quarantined()).toEqual(["damaged"]);
    expect(readdirSync(site.dataDir).filter((name) => /ready|unreported/.test(name))).toEqual([]);
  });

  test("a file of a newer release is not changed: it is not damaged", () => {
    site.databases.close();
    const raw = new Sqlite(site.main);
    raw.pragma("user_version = 999");
    raw.close();
    expect(() => site.open()).toThrow(/made by a newer release/);
    expect(existsSync(join(site.dataDir, "quarantine"))).toBe(false);
  });
});

describe("a backup", () => {
  test("that its medium has damaged is rejected, and the intact database is not suspected", async () => {
    site.trip("a");
    const out = join(site.dataDir, "stick", "copy.db");
    mkdirSync(join(site.dataDir, "stick"));
    await writeBackup(site.dataDir, out);
    const written = readFileSync(`${out}.part`);
    writeFileSync(`${out}.part`, written.fill(0xff, 4096));
    expect(() => finishBackup(site.dataDir, out, backupProblems(site.dataDir, out))).toThrow(
      expect.objectContaining({
        code: "cannot-create",
        message: expect.stringContaining("is not intact") as string,
      }),
    );
    expect(readdirSync(join(site.dataDir, "stick"))).toEqual([]);
    expect(requestedIntegrityCheck(site.dataDir)).toBeUndefined();
  });

  test("of a database in use has every record, and is complete without a write-ahead log", async () => {
    site.trip("a");
    const out = join(site.dataDir, "elsewhere", "copy.db");
    mkdirSync(join(site.dataDir, "elsewhere"));
    await backUp(site.dataDir, out);
    const copy = new Sqlite(out, { readonly: true });
    expect(copy.prepare("SELECT name FROM interventions").pluck().all()).toEqual(["a"]);
    expect(copy.pragma("journal_mode", { simple: true })).toBe("delete");
    copy.close();
    expect(readdirSync(join(site.dataDir, "elsewhere"))).toEqual(["copy.db"]);
  });

  test("of a damaged database is not created; the next start checks the database", async () => {
    for (let number = 0; number < 40; number += 1) site.trip(`t${number}`, "d".repeat(900));
    await backUpRegularly(site.dataDir, site.clock.wallMs());
    site.databases.close();
    const at = readFileSync(site.main).indexOf(`t20${"d".repeat(20)}`);
    damage(site.main, Math.floor(at / 4096) * 4096, 4096);
    site.clock.advance(86_400_000);
    await expect(backUpRegularly(site.dataDir, site.clock.wallMs())).rejects.toThrow(
      /the database is damaged/,
    );
    expect(backupsIn(site.dataDir)).toHaveLength(1);
    site.open();
    expect(site.conditions).toEqual(["database-recovered", "data-lost"]);
    expect(site.names()).toHaveLength(40);
  });

  test("is kept if it is one of the newest three or the last of an earlier week", async () => {
    for (let day = 0; day < 30; day += 1) {
      site.clock.advance(86_400_000);
      await backUpRegularly(site.dataDir, site.clock.wallMs());
    }
    const ages = backupsIn(site.dataDir).map(({ atMs }) => (site.clock.wallMs() - atMs) / 86_400_000);
    expect(ages.slice(0, 3)).toEqual([0, 1, 2]);
    expect(ages).toHaveLength(4);
    expect(ages[3]).toBeGreaterThanOrEqual(3);
    expect(ages[3]).toBeLessThanOrEqual(10);
  });
});

describe("a restore from a backup", () => {
  test("lists before what would be lost, quarantines it, and dispatches the trips of the journal again", async () => {
    site.trip("in-copy");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    const id = site.trip("later");
    expect(planRestore(site.dataDir, copy)).toEqual({
      recordsInBackup: 1,
      onlyInCurrent: [id],
      onlyInBackup: [],
    });
    site.databases.close();
    const { kept, redelivered } = restore(site.dataDir, copy, site.clock.wallMs(), TESTER);
    expect(redelivered).toBe(1);
    const present = new Sqlite(kept ?? "", { readonly: true });
    expect(present.prepare("SELECT count(*) FROM interventions").pluck().get()).toBe(2);
    present.close();
    site.open();
    expect(site.names()).toEqual(["in-copy"]);
    expect(site.waiting()).toEqual(["later"]);
    expect(site.conditions).toEqual([]);
    expect(new EventLog(site.databases.main).newest(1)[0]).toMatchObject({
      event: "database-restored",
      who: "tester",
    });
  });

  test("is rejected for an invalid file, and nothing is changed", async () => {
    site.trip("a");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    damage(copy, 4096, 20_000);
    expect(() => planRestore(site.dataDir, copy)).toThrow(/cannot be restored/);
    expect(() => planRestore(site.dataDir, join(site.dataDir, "journal.db"))).toThrow(/another kind of file/);
    expect(() => planRestore(site.dataDir, join(site.dataDir, "nowhere"))).toThrow(/no such file/);
    expect(() => restore(site.dataDir, copy, 0, TESTER)).toThrow(/cannot be restored/);
    expect(site.names()).toEqual(["a"]);
    // Removed since the check.
    const plan = { recordsInBackup: 1, onlyInCurrent: [], onlyInBackup: [] };
    const missingPath = join(site.dataDir, "nowhere");
    expect(() => restore(site.dataDir, missingPath, 0, TESTER, plan)).toThrow(/no such file/);
    expect(site.names()).toEqual(["a"]);
  });

  test.each([
    [
      "a trigger that hides alarms",
      "CREATE TRIGGER t AFTER INSERT ON outbox BEGIN DELETE FROM outbox; END",
      /trigger t/,
    ],
    ["a view", "CREATE VIEW v AS SELECT 1", /view v/],
    ["an index that rejects a second record", "CREATE UNIQUE INDEX u ON interventions(type)", /index u/],
    ["a missing table", "DROP TABLE outbox", /table outbox is missing/],
    ["a different table", "ALTER TABLE centre_facts RENAME COLUMN value TO other", /centre_facts/],
  ])("is rejected for a backup with %s, and nothing is changed", async (_what, change, problem) => {
    site.trip("a");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    const meddled = new Sqlite(copy);
    meddled.exec(change);
    meddled.close();
    site.databases.close();
    expect(() => restore(site.dataDir, copy, 0, TESTER)).toThrow(problem);
    site.open();
    expect(site.names()).toEqual(["a"]);
    expect(site.conditions).toEqual([]);
  });

  test("accepts a backup with an additional index, and one of 0.0.1 with its write-ahead log", async () => {
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    const own = new Sqlite(copy);
    own.exec("CREATE INDEX mine ON interventions(name)");
    own.close();
    expect(planRestore(site.dataDir, copy).recordsInBackup).toBe(0);
    const left = join(import.meta.dirname, "..", "upgrade", "0.0.1", "site", "santinela.db");
    for (const ending of ["", "-wal"]) copyFileSync(left + ending, join(site.dataDir, `old.db${ending}`));
    const old = join(site.dataDir, "old.db");
    const { recordsInBackup } = planRestore(site.dataDir, old);
    expect(recordsInBackup).toBeGreaterThan(0);
    site.databases.close();
    restore(site.dataDir, old, site.clock.wallMs(), TESTER);
    site.open();
    expect(site.names()).toHaveLength(recordsInBackup + 1);
  });

  test("replaces a recovered database whose exchange was interrupted, not the damaged one", async () => {
    site.trip("in-copy");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    site.trip("later");
    site.databases.close();
    interruptExchange(JSON.stringify({ quarantined: join(site.dataDir, "quarantine", "1", "santinela.db") }));
    restore(site.dataDir, copy, site.clock.wallMs(), TESTER);
    site.open();
    expect(site.names()).toEqual(["in-copy"]);
    expect(site.waiting()).toEqual(["later"]);
    expect(quarantined()).toEqual(["damaged", "SQLite"]);
  });

  test("queues trips only at the next start, also if a power cut ends it after its decision", async () => {
    site.trip("in-copy");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    site.trip("later");
    site.databases.close();
    const ready = join(site.dataDir, "santinela.db.ready");
    mkdirSync(ready);
    copyFileSync(copy, join(ready, "santinela.db"));
    writeFileSync(join(ready, "replacement.json"), JSON.stringify({ quarantined: null }));
    site.open();
    expect(site.names()).toEqual(["in-copy"]);
    expect(site.waiting()).toEqual(["later"]);
    expect(site.conditions).toEqual([]);
    site.databases.close();
    site.open();
    expect(site.waiting()).toEqual(["later"]);
  });

  test("that fails before its decision queues nothing", async () => {
    site.trip("in-copy");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    site.trip("later");
    site.databases.close();
    const plan = { ...planRestore(site.dataDir, copy) };
    // The note in the event log is the last step before the decision.
    Object.defineProperty(plan, "onlyInBackup", {
      enumerable: true,
      get: () => {
        throw new Error("the power fails");
      },
    });
    expect(() => restore(site.dataDir, copy, site.clock.wallMs(), TESTER, plan)).toThrow("the power fails");
    site.open();
    expect(site.names()).toEqual(["in-copy", "later"]);
    expect(site.waiting()).toEqual([]);
  });

  test("is possible after a power cut while an earlier replacement was forgotten", async () => {
    site.trip("in-copy");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    site.trip("later");
    site.databases.close();
    mkdirSync(join(site.dataDir, "santinela.db.ready"));
    writeFileSync(join(site.dataDir, "santinela.db.ready", "santinela.db-shm"), "");
    restore(site.dataDir, copy, site.clock.wallMs(), TESTER);
    site.open();
    expect(site.names()).toEqual(["in-copy"]);
  });

  test("that cannot be prepared does not change the current database", async () => {
    site.trip("a");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    const id = site.trip("b");
    site.databases.close();
    const journal = readFileSync(join(site.dataDir, "journal.db"));
    writeFileSync(join(site.dataDir, "journal.db"), "this is not a database ".repeat(1_000));
    expect(() => restore(site.dataDir, copy, site.clock.wallMs(), TESTER)).toThrow(/journal/);
    writeFileSync(join(site.dataDir, "journal.db"), journal);
    site.open();
    expect(site.names()).toEqual(["a", "b"]);
    expect(id).toBe(2);
    expect(site.conditions).toEqual([]);
  });

  test("takes a journal whose last commit a power cut has interrupted as a start does, and the start reports it", async () => {
    site.trip("a");
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    for (const key of ["b", "c"]) site.trip(key);
    site.pullPlug();
    const log = join(site.dataDir, "journal.db-wal");
    damage(log, statSync(log).size - 100, 64);
    const before = readFileSync(log);
    expect(restore(site.dataDir, copy, site.clock.wallMs(), TESTER)).toMatchObject({ redelivered: 1 });
    const kept = readdirSync(join(site.dataDir, "quarantine"))
      .map((folder) => join(site.dataDir, "quarantine", folder, "journal.db-wal"))
      .filter((path) => existsSync(path));
    expect(kept.map((path) => readFileSync(path).equals(before))).toEqual([true]);
    site.open();
    expect(site.names()).toEqual(["a"]);
    expect(site.conditions).toContain("database-recovered");
    expect(readFileSync(join(site.dataDir, "recovery.txt"), "utf8")).toContain(
      "it continues without that commit. Its log is kept as",
    );
  });

  test("is refused before anything is copied if more of the journal's log is damaged", async () => {
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    for (const key of ["a", "b", "c"]) site.trip(key);
    site.pullPlug();
    const log = join(site.dataDir, "journal.db-wal");
    damage(log, Math.floor(statSync(log).size / 2), 64);
    const before = readFileSync(log);
    expect(() => restore(site.dataDir, copy, site.clock.wallMs(), TESTER)).toThrow(
      /write-ahead log is incomplete/,
    );
    expect(readFileSync(log)).toEqual(before);
  });

  test("revokes the tokens that belong to another user there, and keeps the others", async () => {
    const { main } = site.databases;
    const accounts = new AccountStore(main);
    const add = (email: string, role: "administrator" | "viewer") =>
      accounts.add({ email, role, passwordHash: "x", mustChangePassword: false, createdAtMs: 0 })?.id ?? 0;
    const [ana, ion] = [add("ana@site.example", "administrator"), add("ion@site.example", "administrator")];
    const copy = join(site.dataDir, "copy.db");
    await backUp(site.dataDir, copy);
    const before = accounts.change(ion, { role: "viewer" })?.tokenVersion ?? 0;
    const later = add("dan@site.example", "viewer");
    site.databases.close();
    restore(site.dataDir, copy, site.clock.wallMs(), TESTER);
    site.open();
    const restored = new AccountStore(site.databases.main);
    expect(restored.byId(ana)?.tokenVersion).toBe(1);
    expect(restored.byId(ion)).toMatchObject({ role: "administrator" });
    expect(restored.byId(ion)?.tokenVersion).toBeGreaterThan(before);
    const next = restored.add({
      email: "eva@site.example",
      role: "administrator",
      passwordHash: "x",
      mustChangePassword: false,
      createdAtMs: 0,
    });
    expect(next?.id).toBeGreaterThan(later);
  });
});

test("damage is recorded once, and a disk that cannot record it does not hide the original error", () => {
  const folder = temporaryFolder();
  requestIntegrityCheck(folder, "the first page");
  requestIntegrityCheck(folder, "another page");
  expect(readFileSync(integrityCheckFile(folder), "utf8")).toBe("the first page\n");
  rmSync(folder, { recursive: true });
  expect(() => requestIntegrityCheck(folder, "nowhere to write")).not.toThrow();
});
