import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDatabase, type Database } from "../../src/store/database.ts";
import { setDiskFullHandler, transaction } from "../../src/store/transaction.ts";
import { GroupCommit } from "../../src/store/group-commit.ts";
import { TransactionalMap } from "../../src/store/transactional-map.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let database: Database;
let commits: GroupCommit;
beforeEach(() => {
  folder = temporaryFolder();
  database = openDatabase(join(folder, "a.db"), {
    applicationId: 7,
    migrations: [(db) => db.exec("CREATE TABLE trips(name TEXT UNIQUE) STRICT")],
  });
  commits = new GroupCommit(database, new ManualClock());
});
afterEach(() => database.close());

const put = (name: string) => (): string =>
  transaction(database, () => {
    database.prepare("INSERT INTO trips VALUES(?)").run(name);
    return name;
  });
/** The state that another process would read after a power cut now. */
function onDisk(): unknown[] {
  const other = new Sqlite(join(folder, "a.db"), { readonly: true });
  try {
    return other.prepare("SELECT name FROM trips ORDER BY rowid").pluck().all();
  } finally {
    other.close();
  }
}

/** The number of commits in a write-ahead log: the header of a frame that ends one has the size of the database. */
function commitsIn(path: string): number {
  const log = readFileSync(path);
  let commits = 0;
  for (let frame = 32; frame < log.length; frame += 24 + log.readUInt32BE(8))
    if (log.readUInt32BE(frame + 4) > 0) commits += 1;
  return commits;
}

describe("concurrent writes", () => {
  test("are on the disk before any of them returns", async () => {
    const names = ["hall", "door", "cellar"];
    const seen = await Promise.all(names.map(async (name) => [await commits.write(put(name)), onDisk()]));
    expect(seen).toEqual(names.map((name) => [name, names]));
  });

  test("share one commit", async () => {
    const before = commitsIn(join(folder, "a.db-wal"));
    await Promise.all(Array.from({ length: 64 }, (_, index) => commits.write(put(`zone ${index}`))));
    expect(onDisk()).toHaveLength(64);
    expect(commitsIn(join(folder, "a.db-wal"))).toBe(before + 1);
  });

  test("are not affected by one that fails", async () => {
    const outcomes = await Promise.allSettled([
      commits.write(put("hall")),
      commits.write(() => transaction(database, () => put("half")() && put("hall")())),
      commits.write(put("door")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(onDisk()).toEqual(["hall", "door"]);
  });

  test("all fail without a trace when the disk rolls back the transaction", async () => {
    const lost = (): never => {
      database.exec("ROLLBACK");
      throw new Error("disk full");
    };
    const outcomes = await Promise.allSettled([
      commits.write(put("hall")),
      commits.write(lost),
      commits.write(put("door")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(onDisk()).toEqual([]);
    expect(await commits.write(put("hall"))).toBe("hall");
  });

  test("all fail when the commit fails, and no change is notified", async () => {
    const told: string[] = [];
    const blocker = new Sqlite(join(folder, "a.db"));
    blocker.exec("BEGIN IMMEDIATE");
    const write = commits.write(() => {
      commits.afterCommit(() => told.push("hall"));
      return put("hall")();
    });
    await expect(write).rejects.toThrow(/locked/);
    blocker.exec("ROLLBACK");
    blocker.close();
    expect(told).toEqual([]);
    expect(onDisk()).toEqual([]);
  });
});

describe("a change in memory with a write", () => {
  const believed: string[] = [];
  const believing = (name: string) => (): string => {
    put(name)();
    believed.push(name);
    commits.onRollback(() => believed.splice(believed.indexOf(name)));
    return name;
  };
  beforeEach(() => void believed.splice(0));

  test("is reverted when the commit fails", async () => {
    const lost = (): never => {
      database.exec("ROLLBACK");
      throw new Error("disk I/O error");
    };
    await Promise.allSettled(
      [believing("hall"), believing("door"), lost].map((work) => commits.write<unknown>(work)),
    );
    expect(believed).toEqual([]);
    await commits.write(believing("door"));
    expect([believed, onDisk()]).toEqual([["door"], ["door"]]);
  });

  test("is applied once when a full disk forces a second commit", async () => {
    let isFull = true;
    setDiskFullHandler(database, () => {
      isFull = false;
      return true;
    });
    const large = (): string => {
      if (isFull) throw new Sqlite.SqliteError("database or disk is full", "SQLITE_FULL");
      return believing("cellar")();
    };
    const works = [believing("hall"), large, believing("door")];
    expect(await Promise.all(works.map((work) => commits.write(work)))).toEqual(["hall", "cellar", "door"]);
    expect([believed, onDisk()]).toEqual([
      ["hall", "cellar", "door"],
      ["hall", "cellar", "door"],
    ]);
  });

  test("remains after the commit", () => {
    believing("hall")();
    expect(believed).toEqual(["hall"]);
  });
});

test("a map follows its commit: each key has the value from before a failed one, and its owner is notified", async () => {
  let undone = 0;
  const map = new TransactionalMap<string, string>(commits, () => (undone += 1));
  map.set("hall", "open").set("door", "open");
  const changing = (): void => void map.set("hall", "normal").set("cellar", "open").delete("door");
  const lost = commits.write(() => {
    changing();
    database.exec("ROLLBACK");
    throw new Error("disk I/O error");
  });
  await expect(lost).rejects.toThrow(/disk/);
  expect(Object.fromEntries(map)).toEqual({ hall: "open", door: "open" });
  expect(undone).toBe(3);
  await commits.write(changing);
  expect(Object.fromEntries(map)).toEqual({ hall: "normal", cellar: "open" });
});

test("an action after a write follows its commit", async () => {
  const found: unknown[] = [];
  await commits.write(() => {
    commits.afterCommit(() => found.push(onDisk()));
    return put("hall")();
  });
  put("door")();
  commits.afterCommit(() => found.push(onDisk()));
  expect(found).toEqual([["hall"], ["hall", "door"]]);
});
