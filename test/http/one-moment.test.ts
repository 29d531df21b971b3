import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import request from "supertest";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { ListService } from "../../src/service/lists.ts";
import type { Records } from "../../src/service/records.ts";
import { SqliteObjectives } from "../../src/service/sqlite-objectives.ts";
import { openReadOnly } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A page and its total while another thread writes: both have to be of the same moment. PostgreSQL: test/postgres/one-moment.test.ts. */

const READS = 100;
/** Adds and removes rows in turn until it has to stop. */
const WRITER = `
  const { workerData, parentPort } = require("node:worker_threads");
  const database = require("better-sqlite3")(workerData.path, { timeout: 10_000 });
  database.pragma("synchronous = OFF");
  const stopped = new Int32Array(workerData.stopped);
  parentPort.postMessage("started");
  while (Atomics.load(stopped, 0) === 0) for (const sql of workerData.changes) database.exec(sql);
  database.close();`;

let path: string;
let site: TestApp;
beforeEach(async () => {
  path = join(temporaryFolder(), "santinela.db");
  openMainDatabase(path).close();
  // A connection of its own, as in the front thread.
  const database = openReadOnly(path);
  onTestFinished(() => void database.close());
  const lists = new ListService({ database });
  const records = { page: lists.read.bind(lists) } as unknown as Records;
  site = await TestApp.forTest({ records, objectives: new SqliteObjectives({ database }) }, path);
});

/** Reads a list over HTTP while the other thread makes the changes, until it was seen with and without the added rows. */
async function readWhileChanging(
  list: string,
  changes: readonly [add: string, remove: string],
): Promise<void> {
  const authorization = `Bearer ${await site.token()}`;
  const stopped = new SharedArrayBuffer(4);
  const writer = new Worker(WRITER, { eval: true, workerData: { path, stopped, changes } });
  const ended = once(writer, "exit");
  await once(writer, "message");
  const sizes = new Set<number>();
  try {
    for (let count = 0; count < READS || sizes.size < 2; count += 1) {
      const { body, headers } = await request(site.app).get(list).set("Authorization", authorization);
      expect(headers["x-total-count"]).toBe(String(body.length));
      sizes.add(body.length);
    }
  } finally {
    Atomics.store(new Int32Array(stopped), 0, 1);
    await ended;
  }
}

test("a list of records has as many as its total", async () => {
  for (let count = 0; count < 100; count += 1) site.interventions.create(PATROL, OPERATOR_USER);
  await readWhileChanging("/interventii?name=Patrol", [
    "UPDATE interventions SET deleted_at = 1",
    "UPDATE interventions SET deleted_at = NULL",
  ]);
});

test("a list of objectives has as many as its total", () =>
  readWhileChanging("/obiective/cladiri", [
    `INSERT INTO objectives(kind, id, data, source)
       WITH RECURSIVE added(id) AS (SELECT 100 UNION ALL SELECT id + 1 FROM added WHERE id < 200)
       SELECT 'obiective/cladiri', id, json_object('id', id, 'name', 'Added'), 'import' FROM added`,
    "DELETE FROM objectives WHERE id >= 100",
  ]));
