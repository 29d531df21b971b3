import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { transaction } from "../../src/store/transaction.ts";
import { logCensus } from "../../src/store/wal-census.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * A process that is killed leaves the database, its log, the index of the log and the mark. Each test copies the files without the
 * index, as a power cut or a copy of the directory can leave them.
 */

const FRAME_BYTES = 24 + 4096;

let folder: string;
let path: string;
let copy: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "santinela.db");
  copy = join(folder, "copy.db");
});

function write(database: Database, name: string): void {
  transaction(database, () =>
    database
      .prepare("INSERT INTO objectives VALUES('obiective/cladiri', ?, '{}', 'config')")
      .run(name.length),
  );
}

/** Copies what a killed process leaves, without the index of the log. */
function kill(endings: readonly string[] = ["", "-wal", "-mark"]): string {
  for (const ending of endings)
    if (existsSync(path + ending)) copyFileSync(path + ending, copy + ending);
    else rmSync(copy + ending, { force: true });
  return copy;
}

test("a log that ends at an earlier commit is incomplete, although its index is missing", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  const before = statSync(`${path}-wal`).size;
  write(database, "ab");
  expect(logCensus(kill())).toBeUndefined();
  truncateSync(`${copy}-wal`, before);
  expect(logCensus(copy)?.versions[0]?.lostPages).toBe((statSync(`${path}-wal`).size - before) / FRAME_BYTES);
  // Without the mark it looks whole.
  rmSync(`${copy}-mark`);
  expect(logCensus(copy)).toBeUndefined();
  database.close();
});

test("an older log in the place of the log is not the log that is marked", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  const older = readFileSync(`${path}-wal`);
  database.pragma("wal_checkpoint(RESTART)");
  write(database, "ab");
  kill();
  writeFileSync(`${copy}-wal`, older);
  expect(logCensus(copy)).toBeDefined();
  database.close();
});

test("a commit after the marked one is used, and an unfinished one is not missed", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  const mark = readFileSync(`${path}-mark`);
  write(database, "ab");
  kill();
  writeFileSync(`${copy}-mark`, mark);
  expect(logCensus(copy)).toBeUndefined();
  database.close();
});

test("a closed database has neither a log nor a mark", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  database.close();
  expect([existsSync(`${path}-wal`), existsSync(`${path}-mark`)]).toEqual([false, false]);
});

test("a log that another program has applied and removed is not missed", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  kill();
  new Sqlite(copy).exec("PRAGMA user_version").close();
  expect(existsSync(`${copy}-wal`)).toBe(false);
  expect(logCensus(copy)).toBeUndefined();
  database.close();
});

test("an opening begins a new mark before the log changes", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  const mark = readFileSync(`${path}-mark`);
  database.close();
  writeFileSync(`${path}-mark`, mark);
  const again = openMainDatabase(path);
  expect(readFileSync(`${path}-mark`)).not.toEqual(mark);
  write(again, "ab");
  expect(logCensus(kill())).toBeUndefined();
  again.close();
});

test("a command beside the daemon leaves the daemon's mark usable", () => {
  const daemon = openMainDatabase(path);
  write(daemon, "a");
  const command = openMainDatabase(path);
  write(command, "ab");
  command.close();
  const before = statSync(`${path}-wal`).size;
  write(daemon, "abc");
  kill();
  expect(logCensus(copy)).toBeUndefined();
  truncateSync(`${copy}-wal`, before);
  expect(logCensus(copy)).toBeDefined();
  daemon.close();
});

test("a mark that cannot be written costs no commit", () => {
  mkdirSync(`${path}-mark`);
  const database = openMainDatabase(path);
  write(database, "a");
  expect(database.prepare("SELECT count(*) AS count FROM objectives").get()).toEqual({ count: 1 });
  database.close();
});

test("the locks of other connections of the process stay when one with a mark is closed", () => {
  const database = openMainDatabase(path);
  write(database, "a");
  const reader = new Sqlite(path, { readonly: true });
  reader.prepare("SELECT * FROM objectives").all();
  const { ino } = statSync(`${path}-shm`);
  const isLocked = (): boolean =>
    readFileSync("/proc/locks", "utf8")
      .split("\n")
      .some((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `));
  expect(isLocked()).toBe(true);
  database.close();
  expect(isLocked()).toBe(true);
  reader.close();
});
