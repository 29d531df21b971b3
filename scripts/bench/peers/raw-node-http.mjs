// The floor: nothing but node:http and better-sqlite3. What is parsed in one turn of the event loop shares one commit,
// and each answer leaves after it; with --one-commit-each every request pays for a flush of its own. Tokens are
// verified once and remembered.
import { createSecretKey } from "node:crypto";
import { createServer } from "node:http";
import jwt from "jsonwebtoken";
import { options } from "./options.mjs";
import { openRecords } from "./records.mjs";

const records = options["same-rows"]
  ? (await import("./same-rows.mjs")).openSameRows(options.file)
  : openRecords(options.file);
const key = createSecretKey(Buffer.from(options.secret));
const verified = new Map();

const begin = records.database.prepare("BEGIN IMMEDIATE");
const commit = records.database.prepare("COMMIT");
let waiting = [];

createServer((request, response) => {
  if (!isAllowed(request.headers.authorization)) return send(response, 401, { message: "who is there?" });
  if (request.method === "GET") {
    const record = records.find(Number(request.url.slice("/interventii/".length)));
    return send(response, record ? 200 : 404, record ?? { message: "not found" });
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (options["one-commit-each"]) return send(response, 201, records.insert(body));
    if (waiting.length === 0) setImmediate(commitWaiting);
    waiting.push({ response, body });
  });
}).listen(Number(options.port), "127.0.0.1");

function commitWaiting() {
  const jobs = waiting;
  waiting = [];
  begin.run();
  const made = jobs.map(({ body }) => records.insert(body));
  commit.run();
  for (const [index, { response }] of jobs.entries()) send(response, 201, made[index]);
}

function isAllowed(header) {
  const token = header?.slice("Bearer ".length) ?? "";
  const until = verified.get(token);
  if (until !== undefined) return until > Date.now();
  try {
    verified.set(token, jwt.verify(token, key, { algorithms: ["HS256"] }).exp * 1000);
    return true;
  } catch {
    return false;
  }
}

function send(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(text);
}
