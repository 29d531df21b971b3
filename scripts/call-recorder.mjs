// Preloaded into a daemon by scripts/trip-path.mjs (node --import). While the file CALL_RECORDER/on exists, it writes the
// functions of build/ that were called between two commits or messages to other threads, one JSON line for each, to a file of
// its thread; with CALL_RECORDER_STEPS=statements between two SQL statements, which shows more of the order but slows the
// daemon down.
// V8's precise coverage counts the calls. The timer and the probes belong to this file, so they are not in the result.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { MessagePort, threadId } from "node:worker_threads";

const folder = process.env.CALL_RECORDER ?? "";
const program = process.env.CALL_RECORDER_PROGRAM ?? "";
const root = new URL(".", pathToFileURL(program)).href;
const trace = join(folder, `${process.pid}-${threadId}.jsonl`);
const on = join(folder, "on");
const hasAllStatements = process.env.CALL_RECORDER_STEPS === "statements";
const LOOK_MS = 20;

/** Rows that show how far a trip is, by file name of the database: read after each commit. */
const PROBES = {
  "journal.db": { trips: "SELECT count(*) FROM trips" },
  "santinela.db": {
    records: "SELECT count(*) FROM interventions",
    sent: "SELECT count(*) FROM outbox WHERE sends > 0",
    linked: "SELECT count(*) FROM outbox WHERE phase = 'linked'",
  },
};

const session = new Session();
session.connect();
const { Database, Statement, prepare, get, pluck } = driver();
let isRecording = false;

writeFileSync(trace, "");
setInterval(followSwitch, LOOK_MS).unref();
for (const method of ["run", "get", "all", "iterate"])
  wrap(Statement, method, ({ database, source, readonly }) => [database, source, readonly]);
wrap(Database, "exec", (database, [text]) => [database, text, false]);

// A thread without commits is recorded before each message to another thread.
const postMessage = Reflect.get(MessagePort.prototype, "postMessage");
MessagePort.prototype.postMessage = function recorded(...values) {
  if (isRecording) write({ text: "message", calls: takeCalls() });
  return postMessage.apply(this, values);
};

/** The prototypes of the SQLite driver that the program loads, before they are wrapped. */
function driver() {
  const Sqlite = createRequire(program)("better-sqlite3");
  const memory = new Sqlite(":memory:");
  const prototype = Object.getPrototypeOf(memory.prepare("SELECT 1"));
  memory.close();
  const { prepare } = Sqlite.prototype;
  return {
    Database: Sqlite.prototype,
    Statement: prototype,
    prepare,
    get: prototype.get,
    pluck: prototype.pluck,
  };
}

function wrap(prototype, method, placeOf) {
  const original = prototype[method];
  prototype[method] = function recorded(...values) {
    if (!isRecording) return original.apply(this, values);
    const [database, text, isRead] = placeOf(this, values);
    const isCommit = database.inTransaction ? /^(?:COMMIT|END)\b/i.test(text) : !isRead;
    if (!isCommit && !hasAllStatements) return original.apply(this, values);
    const calls = takeCalls();
    try {
      return original.apply(this, values);
    } finally {
      write({ database: basename(database.name), text, calls, ...progressOf(database) });
    }
  };
}

function followSwitch() {
  if (existsSync(on) === isRecording) return;
  if (isRecording) write({ text: "off", calls: takeCalls() });
  isRecording = !isRecording;
  if (!isRecording) {
    session.post("Profiler.stopPreciseCoverage");
    return;
  }
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  takeCalls();
  write({ text: "on", calls: [] });
}

/** What a commit has changed; nothing within a transaction. */
function progressOf(database) {
  const probes = PROBES[basename(database.name)];
  if (!probes || database.inTransaction) return {};
  const count = (text) => get.call(pluck.call(prepare.call(database, text), true));
  return { progress: Object.fromEntries(Object.entries(probes).map(([name, text]) => [name, count(text)])) };
}

/** The functions called since the last time: file below the program's folder, name, and offset of the function in it. */
function takeCalls() {
  let calls = [];
  session.post("Profiler.takePreciseCoverage", (error, taken) => {
    if (error) throw new Error(error.message);
    calls = taken.result
      .filter(({ url }) => url.startsWith(root))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges: [range] }) => range.count > 0 && range.startOffset > 0)
          .map(({ functionName, ranges: [{ startOffset }] }) => [
            url.slice(root.length),
            functionName,
            startOffset,
          ]),
      );
  });
  return calls;
}

function write(line) {
  appendFileSync(trace, `${JSON.stringify({ atNs: String(process.hrtime.bigint()), ...line })}\n`);
}
