import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import { salvage, type Salvage } from "../../src/store/salvage.ts";
import { transaction } from "../../src/store/transaction.ts";
import { report } from "../support/run-length.ts";
import { testUnless } from "../support/required-programs.ts";
import { NO_RECOVER, recoverProgram, recoveredRows, rowTexts } from "../support/sqlite-recover.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Number of records of a site after a few months. */
const RECORDS = 401;

let folder: string;
let path: string;
let target: Database;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "santinela.db");
  target = openMainDatabase(":memory:");
});
afterEach(() => target.close());

const DAMAGES: Readonly<Record<string, (bytes: Buffer) => Uint8Array>> = {
  "cut at 89 per cent": (bytes) => bytes.subarray(0, Math.floor(bytes.length * 0.89)),
  "one wrong bit in the schema": (bytes) => {
    const at = bytes.indexOf("CREATE TABLE interventions(") + 3;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  },
  "without the first page": (bytes) => bytes.fill(0xa5, 0, 4096),
};
const recover = recoverProgram();

/** File content of a closed database with records. */
function databaseOf(records: number): Buffer {
  const database = openMainDatabase(path);
  database.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{\"id\":1}', 'config')");
  const add = database.prepare(
    `INSERT INTO interventions(uid, name, description, status, priority, type, objectiveType, objectiveId, crews, police,
       ambulance, firetruck, dispeceratId, created_by, created_at, updated_at)
     VALUES(?, ?, ?, 'planned', 'low', 'other', 'obiective/cladiri', 1, 1, 0, 0, 0, 1, 1, 0, 0)`,
  );
  transaction(database, () => {
    for (let number = 1; number <= records; number += 1)
      add.run(`uid-${number}`, `Alarm ${number}`, "d".repeat(700));
  });
  database.close();
  return readFileSync(path);
}

function salvageOf(bytes: Uint8Array): Salvage {
  writeFileSync(path, bytes);
  return salvage(path, target, { kind: MAIN_DATABASE });
}

const names = (): string[] =>
  target.prepare("SELECT name FROM interventions ORDER BY id").pluck().all() as string[];

describe("records are salvaged from a damaged database", () => {
  test("when the file is cut at 89 per cent", () => {
    const bytes = databaseOf(RECORDS);
    const cut = bytes.subarray(0, Math.floor(bytes.length * 0.89));
    const whole = Array.from({ length: RECORDS }, (_, index) => `Alarm ${index + 1}`).filter((name) =>
      cut.includes(`${name}d`),
    );
    salvageOf(cut);
    expect(names().length).toBeGreaterThan(300);
    // A row of the truncated page may be incomplete.
    expect(names().length).toBeGreaterThanOrEqual(whole.length - 1);
    expect(target.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  test("when one bit of the schema text is wrong", () => {
    const bytes = databaseOf(RECORDS);
    const at = bytes.indexOf("CREATE TABLE interventions(");
    bytes.writeUInt8(bytes.readUInt8(at + 3) ^ 1, at + 3);
    salvageOf(bytes);
    expect(names()).toHaveLength(RECORDS);
  });

  test("when the first page is lost, with the header and the roots of all tables", () => {
    const bytes = databaseOf(RECORDS);
    bytes.fill(0xa5, 0, 4096);
    salvageOf(bytes);
    expect(names()).toHaveLength(RECORDS);
    expect(target.prepare("SELECT uid FROM interventions WHERE id = 400").pluck().get()).toBe("uid-400");
  });

  test("when the interior page above them is lost, with the page map", () => {
    const bytes = databaseOf(RECORDS);
    bytes.fill(0, 4096, 8192);
    for (let page = 2; page * 4096 < bytes.length; page += 1)
      if (bytes[page * 4096] === 5) bytes.fill(0, page * 4096, (page + 1) * 4096);
    salvageOf(bytes);
    expect(names()).toHaveLength(RECORDS);
  });

  test("and a record that differs from the original is listed, even with a plausible text", () => {
    const bytes = databaseOf(20);
    const at = bytes.indexOf("Alarm 13d");
    bytes.write("Alarm 73", at);
    const { tables } = salvageOf(bytes);
    expect(tables.find(({ table }) => table === "interventions")?.altered).toEqual([13]);
  });

  test("without deleted ones", () => {
    databaseOf(40);
    const database = openMainDatabase(path);
    database.exec("DELETE FROM interventions WHERE id BETWEEN 10 AND 30");
    database.close();
    salvageOf(readFileSync(path));
    expect(names()).toHaveLength(19);
  });
});

describe("of the same damaged file, each record that .recover of sqlite3 reads is salvaged", () => {
  for (const [damage, spoil] of Object.entries(DAMAGES))
    testUnless(
      recover === undefined ? NO_RECOVER : undefined,
      damage,
      async () => {
        const bytes = databaseOf(RECORDS);
        const whole = openMainDatabase(path);
        const stored = [...rowTexts(whole, "interventions")];
        whole.close();
        salvageOf(spoil(bytes));
        const image = new Map([["santinela.db", readFileSync(path)]]);
        const place = { image, name: "santinela.db", folder: join(folder, "recovered") };
        const theirs = recoveredRows(recover ?? "", place, [["interventions", target]]);
        const ours = rowTexts(target, "interventions");
        const count = (found: ReadonlySet<string>): number => stored.filter((row) => found.has(row)).length;
        report(`${damage}: ${count(ours)} salvaged, ${count(theirs)} by .recover, of ${stored.length}`);
        expect(stored.filter((row) => theirs.has(row) && !ours.has(row))).toEqual([]);
      },
      { isRequired: false },
    );
});

test("a salvage that exceeds its time-out stops, and reports that it is incomplete", () => {
  writeFileSync(path, databaseOf(RECORDS));
  const { tables } = salvage(path, target, { kind: MAIN_DATABASE, isInTime: () => false });
  expect(names()).toEqual([]);
  expect(tables.find(({ table }) => table === "interventions")?.unreadable).toBeGreaterThan(0);
});
