// Random requests with the token of an operator, to every path of the OpenAPI document. It runs until its process ends.
import { Agent, request } from "node:http";
import { pauseMs } from "./raw-client.mjs";

const CLIENTS = 32;
/** Writes that would keep back the trips that are measured, add some, or replace the site. */
const DISTURBING =
  /^\/site\/(?:walk-test|signal-test|simulate|outputs\/|zones\/|restore|setup|restart|reload|configuration\/)/;
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

const SIGN_IN_FIELDS = ["email", "password", "code", "x"];

/** One connection for each client, which sends the next request after each response. */
export async function fuzzedRequests({ httpPort, token, requests, count, countFailed }) {
  const paths = await pathsOf({ httpPort, token });
  const random = seeded(1);
  const pick = (values) => values[Math.floor(random() * values.length)];
  let sent = 0;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (sent < requests) {
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
  const [template, documented] = pick(paths);
  const query = Array.from({ length: pick([0, 0, 1, 3]) }, () => `${pick(QUERY)}=${pick(VALUES)}`).join("&");
  const path = template.replaceAll(/\{[^}]+\}/g, () => pick(IDS));
  const methods = pick([documented, METHODS]).filter(
    (name) => !WRITES.includes(name) || !DISTURBING.test(template),
  );
  const method = pick(methods.length > 0 ? methods : ["GET"]);
  const fields = Array.from({ length: pick([0, 2, 5]) }, () => [pick(FIELDS), pick(FIELD_VALUES)]);
  const record = {
    name: "Fuzz",
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
    ...Object.fromEntries(fields),
  };
  const signIn = Object.fromEntries(SIGN_IN_FIELDS.map((field) => [field, pick(FIELD_VALUES)]));
  const json = JSON.stringify(template === "/auth/token" ? signIn : record);
  const body = WRITES.includes(method) ? pick([json, json, pick(TEXTS)]) : "";
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
    let isAnswered = false;
    const sent = request({ host: "127.0.0.1", port, agent, method, path, headers }, (response) => {
      isAnswered = true;
      // A stream has no end: its client goes away, like one that loses its network.
      if (response.headers["content-type"]?.startsWith("text/event-stream")) {
        response.on("error", () => resolve(response.statusCode ?? 0));
        response.once("data", () => sent.destroy());
        response.on("close", () => resolve(response.statusCode ?? 0));
        return;
      }
      response.resume();
      response.on("error", () => resolve(0));
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", () => {
      if (isAnswered) return;
      // The server may close a connection that is idle while the request is on its way.
      if (sent.reusedSocket) resolve(ask(port, agent, { method, path, headers, body }));
      else resolve(0);
    });
    sent.end(body);
  });
}

/** The documented paths with their methods, and some others. */
function pathsOf({ httpPort, token }) {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    request({ host: "127.0.0.1", port: httpPort, path: "/openapi.json", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        const documented = Object.entries(JSON.parse(text).paths).map(([path, operations]) => [
          path,
          Object.keys(operations)
            .map((name) => name.toUpperCase())
            .filter((name) => METHODS.includes(name)),
        ]);
        const others = ["/nowhere", "//", "/interventii/../site/status"].map((path) => [path, METHODS]);
        resolve([...documented, ...others]);
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
