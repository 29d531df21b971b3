import { createServer, type Server } from "node:http";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, EDGE, Installation } from "../support/installation.ts";
import { close, listen } from "../support/loopback.ts";

/* The centre of another vendor, whose list of records is large: whatever its size, alarms are sent, and no thread of the daemon
   ends. */

const LINE = "Patrula a verificat încuietorile, ușa și fereastra; totul este în ordine. ";
const MEBIBYTE = 1024 * 1024;

/** The same in each record. */
const OTHERS = {
  objectiveType: "obiective/cladiri",
  objectiveId: 1,
  type: "other",
  status: "done",
  priority: "low",
  description: null,
  dateStart: "2026-01-01T00:00:00.000Z",
  dateEnd: null,
  crews: 1,
  police: false,
};

interface Listed {
  readonly rows: readonly object[];
  readonly ascending: Buffer;
  readonly descending: Buffer;
}

let server: Server;
let installation: Installation;
let url: string;
let listed: Listed;
/** Whether the parameters of paging, order and filters change what is listed. */
let honours: boolean;
/** Names of the records that the site has created. */
let created: string[];
let listReads: number;
/** The list stops in the middle. */
let isHanging: boolean;
/** A POST gets no response. */
let isPostHanging: boolean;
/** The centre echoes idempotency keys. */
let honoursKeys: boolean;

beforeEach(async () => {
  [honours, created, listReads, isHanging] = [false, [], 0, false];
  [isPostHanging, honoursKeys] = [false, false];
  listed = listOf(1);
  server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += String(chunk)));
    request.on("end", () => {
      const { method, url: path = "" } = request;
      const answer = (status: number, body: string | Buffer): void =>
        void response.writeHead(status, { "Content-Type": "application/json" }).end(body);
      if (path === "/auth/token") answer(200, JSON.stringify({ token: "t", expiresIn: 3600 }));
      else if (method === "POST" && path === "/interventii") {
        const record = JSON.parse(text) as { name: string };
        created.push(record.name);
        if (isPostHanging) return addToList({ ...record, id: 100_000 + created.length });
        const key = request.headers["idempotency-key"];
        if (honoursKeys) response.setHeader("Idempotency-Key", String(key));
        answer(201, JSON.stringify({ ...record, id: 100_000 + created.length }));
      } else if (method === "GET" && path.startsWith("/interventii?")) {
        listReads += 1;
        if (!isHanging) answer(200, listBody(new URL(path, url).searchParams));
        else response.writeHead(200, { "Content-Type": "application/json" }).write(listed.ascending);
      } else if (method === "GET" && path.startsWith("/obiective")) answer(200, "[]");
      else answer(404, JSON.stringify({ error: "Not Found", message: "none", statusCode: 404 }));
    });
  });
  url = `http://127.0.0.1:${await listen(server)}`;
  installation = new Installation();
  installation.secret("upstream.password", EDGE.password);
});
afterEach(async () => {
  await installation.remove();
  server.closeAllConnections();
  await close(server);
});

/** A list of ordinary records in Romanian, of this size. */
function listOf(mebibytes: number): Listed {
  const texts: string[] = [];
  const rows: object[] = [];
  for (let [id, bytes] = [1, 2]; ; id += 1) {
    const row = { id, name: `Call ${id}`, notes: LINE.repeat(25), ...OTHERS };
    const text = JSON.stringify(row);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > mebibytes * MEBIBYTE) break;
    rows.push(row);
    texts.push(text);
  }
  const json = (all: readonly string[]): Buffer => Buffer.from(`[${all.join(",")}]`);
  return { rows, ascending: json(texts), descending: json(texts.toReversed()) };
}

function addToList(record: object): void {
  const ascending = Buffer.from(`${String(listed.ascending).slice(0, -1)},${JSON.stringify(record)}]`);
  listed = { ...listed, ascending, rows: [...listed.rows, record] };
}

function listBody(query: URLSearchParams): string | Buffer {
  if (!honours) return listed.ascending;
  if (query.has("status") && query.get("status") !== "done") return "[]";
  const start = query.get("_start");
  if (start === null) return query.get("_order") === "DESC" ? listed.descending : listed.ascending;
  return JSON.stringify(listed.rows.toReversed().slice(Number(start), Number(query.get("_end"))));
}

function newSite() {
  return installation.daemon(
    "site",
    `site: { ref: hala-nord, name: Hala Nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
upstream: { baseUrl: "${url}", email: ${EDGE.email}, passwordFile: ./upstream.password, timeoutS: 15 }
${buildingsYaml(1)}`,
  );
}

const ask = (method: "GET" | "POST", path: string, body?: object) =>
  askDaemon(join(installation.folder, "site"), method, path, body);

async function alarm(name: string): Promise<void> {
  const record = { name, objectiveType: "obiective/cladiri", objectiveId: 1, priority: "high" };
  expect((await ask("POST", "/interventii", record)).status).toBe(201);
}

async function conditionTexts(): Promise<Map<string, string>> {
  const { conditions } = (await ask("GET", "/site/status")).value as StatusView;
  return new Map(conditions.map(({ code, text }) => [code, text]));
}

/** One value of the database of the site. */
function stored(sql: string): unknown {
  const database = new Sqlite(join(installation.folder, "site", "santinela.db"), { readonly: true });
  const value = database.prepare(sql).pluck().get();
  database.close();
  return value;
}

/** Whether the database shows that a large list is being read, or has just been. */
function isNoted(): boolean {
  const note = stored("SELECT value FROM centre_facts WHERE name = 'reading-large'");
  return typeof note === "string" && (JSON.parse(note) as { isReading: boolean }).isReading;
}

/** Whether the centre has confirmed every record. */
const isConfirmed = (): boolean => stored("SELECT count(*) FROM outbox WHERE phase <> 'linked'") === 0;

test.each([
  [5, "neither paging nor filters", false],
  [7.9, "neither paging nor filters", false],
  [8.5, "neither paging nor filters", false],
  [16, "neither paging nor filters", false],
  [7.9, "both", true],
  [16, "both", true],
])("a list of %d MiB from a centre that honours %s holds no alarm back", async (size, _what, isHonoured) => {
  listed = listOf(size);
  honours = isHonoured;
  const site = newSite();
  await site.start();
  const { pid } = site;
  await alarm("First");
  await eventually("the first alarm", () => created.includes("First"), 30_000);
  // Reads everything again, while a further alarm is sent.
  const all = ask("POST", "/site/sync/now");
  await alarm("Second");
  await eventually("the second alarm", () => created.includes("Second"), 30_000);
  await all;
  const texts = await conditionTexts();
  expect(texts.has("thread-failed")).toBe(false);
  const isTooLarge = size > 8 && !isHonoured;
  expect(texts.has("upstream-list-too-large")).toBe(isTooLarge);
  if (isTooLarge) expect(texts.get("upstream-list-too-large")).toContain(url);
  expect(site.pid).toBe(pid);
});

test("after two ends during a large list the next start sends alarms without reading it again", async () => {
  listed = listOf(2);
  isHanging = true;
  const site = newSite();
  await site.start();
  await eventually("the list to be read", () => listReads > 0);
  await alarm("Waiting");
  // The rest of the list never comes; what has arrived is large.
  await eventually("the note of it", isNoted);
  await site.end("SIGKILL");
  await site.start();
  await eventually("the note of another", isNoted);
  await site.end("SIGKILL");
  isHanging = false;
  await site.start();
  await eventually("the alarm", () => created.includes("Waiting"), 30_000);
  const texts = await conditionTexts();
  expect(texts.get("upstream-list-postponed")).toMatch(/more than 1 MiB/);
  expect(texts.get("upstream-list-postponed")).toContain(url);
  expect(created).toEqual(["Waiting"]);
});

test("an alarm whose POST had no response before the daemon was killed is confirmed soon after the start", async () => {
  listed = listOf(2);
  isPostHanging = true;
  const site = newSite();
  await site.start();
  await alarm("Unconfirmed");
  await eventually("the POST", () => created.includes("Unconfirmed"), 30_000);
  expect(isNoted()).toBe(true);
  await site.end("SIGKILL");
  isPostHanging = false;
  await site.start();
  await eventually("the confirmation", isConfirmed, 30_000);
  expect((await conditionTexts()).has("upstream-list-postponed")).toBe(false);
});

test("an alarm without a response is sent again although the list is too large, where keys are honoured", async () => {
  listed = listOf(8.5);
  honoursKeys = true;
  const site = newSite();
  await site.start();
  await alarm("First");
  await eventually("the first confirmation", isConfirmed, 30_000);
  isPostHanging = true;
  await alarm("Second");
  await eventually("the POST", () => created.includes("Second"), 30_000);
  await site.end("SIGKILL");
  isPostHanging = false;
  await site.start();
  await eventually("the second confirmation", isConfirmed, 30_000);
  expect(created).toEqual(["First", "Second", "Second"]);
});
