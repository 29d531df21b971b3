// Random requests with the token of an operator, to every path of the OpenAPI document. It runs until its process ends.
import { Agent, request } from "node:http";
import { pauseMs } from "./raw-client.mjs";

/** Then the attack only waits for its end. */
const REQUESTS_MAX = 120_000;
const CLIENTS = 32;
/** Streams have no end, and passwords have a throttle of their own. */
const LEFT_OUT = ["/site/events", "/auth/token", "/interventii/events"];
const METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const WRITES = ["POST", "PUT", "PATCH", "DELETE"];

const IDS = [
  "1",
  "2",
  "17",
  "0",
  "-1",
  "1e3",
  "9007199254740993",
  "x",
  "%00",
  "%F0%9F%98%80",
  "..",
  "a".repeat(300),
];
const VALUES = [
  ...IDS,
  "",
  "null",
  "true",
  "ASC",
  "DESC",
  "priority",
  "-dateStart",
  "2026-11-20T23:30:00",
  "%",
  "[]",
  "'--",
];
const QUERY = [
  "_start",
  "_end",
  "_sort",
  "_order",
  "_page",
  "q",
  "status",
  "priority",
  "type",
  "limit",
  "after",
  "hours",
  "x[]",
];
const FIELDS = [
  "name",
  "objectiveType",
  "objectiveId",
  "description",
  "status",
  "priority",
  "crews",
  "police",
  "notes",
  "dateStart",
  "x",
];
const FIELD_VALUES = [
  null,
  true,
  1,
  -1,
  1.5,
  1e300,
  "",
  "Hall",
  "obiective/cladiri",
  "done",
  "high",
  [],
  {},
  "x".repeat(5000),
  "\u0000",
  "\ud800",
  [[[[]]]],
];
const TYPES = [
  "application/json",
  "application/json; charset=utf-16",
  "text/plain",
  "application/octet-stream",
  "",
];
const TEXTS = [
  "",
  "{",
  "[",
  "null",
  '"x"',
  "[".repeat(100),
  '{"a":1}{',
  "\u0000",
  "{}".padStart(3000),
  '{"__proto__":{"id":1}}',
];
const IF_MATCH = ["", "*", '"1"', 'W/"x"', "x"];

/** One connection for each client, which sends the next request after each response. */
export async function fuzzedRequests({ httpPort, token, count, countFailed }) {
  const paths = await pathsOf({ httpPort, token });
  const random = seeded(1);
  const pick = (values) => values[Math.floor(random() * values.length)];
  let sent = 0;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (sent < REQUESTS_MAX) {
      sent += 1;
      const status = await ask(httpPort, agent, requestOf(paths, pick, token));
      // Anything but a response of the API is a defect. A request that cannot be served now gets 503.
      if (status > 0 && (status < 500 || status === 503)) count();
      else countFailed();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  for (;;) await pauseMs(1_000);
}

function requestOf(paths, pick, token) {
  const template = pick(paths);
  const query = Array.from({ length: pick([0, 0, 1, 3]) }, () => `${pick(QUERY)}=${pick(VALUES)}`).join("&");
  const path = template.replaceAll(/\{[^}]+\}/g, () => pick(IDS));
  // A walk test, a bypass or a test of an output would keep back the trips that are measured.
  const method = pick(
    template.startsWith("/site") ? METHODS.filter((name) => !WRITES.includes(name)) : METHODS,
  );
  const fields = Array.from({ length: pick([0, 2, 5]) }, () => [pick(FIELDS), pick(FIELD_VALUES)]);
  const record = {
    name: "Fuzz",
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
    ...Object.fromEntries(fields),
  };
  const body = WRITES.includes(method)
    ? pick([JSON.stringify(record), JSON.stringify(record), pick(TEXTS)])
    : "";
  const headers = {
    Authorization: `Bearer ${pick([token, token, token, token, "x", ""])}`,
    "Content-Type": pick(["application/json", "application/json", pick(TYPES)]),
    "Content-Length": Buffer.byteLength(body),
    "If-Match": pick(IF_MATCH),
    "Idempotency-Key": pick(["", "k", String(Math.floor(sentNumber(pick)))]),
  };
  for (const [name, value] of Object.entries(headers)) if (value === "") delete headers[name];
  return { method, path: query === "" ? path : `${path}?${query}`, headers, body };
}

/** A number that rarely repeats. */
function sentNumber(pick) {
  return Number(Array.from({ length: 8 }, () => pick([..."0123456789"])).join(""));
}

/** @returns the status; 0 without a response */
function ask(port, agent, { method, path, headers, body }) {
  return new Promise((resolve) => {
    const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (response) => {
      response.resume();
      response.on("error", () => resolve(0));
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", () => {
      // The server may close a connection that is idle while the request is on its way.
      if (sent.reusedSocket) resolve(ask(port, agent, { method, path, headers, body }));
      else resolve(0);
    });
    sent.end(body);
  });
}

function pathsOf({ httpPort, token }) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    request({ host: "127.0.0.1", port: httpPort, path: "/openapi.json", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        const paths = Object.keys(JSON.parse(text).paths).filter((path) => !LEFT_OUT.includes(path));
        resolve([...paths, "/nowhere", "//", "/interventii/../site/status"]);
      });
    })
      .on("error", reject)
      .end();
  });
}

/** Pseudo-random numbers (mulberry32): each run sends the same requests. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
