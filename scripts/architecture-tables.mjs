// Writes the generated tables of docs/architecture.md from the built program: the effect of each event on the phase of a
// record, and of each response of the centre. Run by `npm run build`; test/meta/generated-tables.test.ts checks the result.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { classify } from "../build/sync/reply-classification.js";
import { EVENTS, nextPhase } from "../build/domain/outbox-phase.js";
import { PHASE_TEXTS } from "../build/domain/outbox-phase-text.js";

const PAGE = new URL("../docs/architecture.md", import.meta.url);
const BEGIN = "<!-- tables: begin (made by scripts/architecture-tables.mjs) -->";
const END = "<!-- tables: end -->";

const json = (status, body, headers = {}) => ({
  kind: "answered",
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const page = (status) => ({
  kind: "answered",
  status,
  headers: { "content-type": "text/html" },
  body: "<html>",
});
const fault = (kind) => ({ kind, code: "ECODE", error: "" });

/** One response of each type. */
const RESPONSES = [
  ["no connection: refused, unknown name, no route, failed handshake", fault("not-sent")],
  ["connection lost, or no complete response in time", fault("lost")],
  ["201 with a record", json(201, { id: 1 })],
  ["201 with anything else", json(201, {})],
  ["200 with a record", json(200, { id: 1 })],
  ["204", { kind: "answered", status: 204, headers: {}, body: "" }],
  ["an HTML page with 200", page(200)],
  ["a redirect", page(302)],
  ["400, 413, 415, 422", json(400, {})],
  ["401, also after a new sign-in", json(401, {})],
  ["403", json(403, {})],
  ["404 in JSON", json(404, {})],
  ["404 with an HTML page", page(404)],
  ["405, 501", page(405)],
  ["408", json(408, {})],
  ["409, 412", json(409, {})],
  ["425, 429", json(429, {})],
  ["500", json(500, {})],
  ["502, 503, 504", page(502)],
];

function phaseTable() {
  // Those that are only shown, as `doubtful`, have no events.
  const phases = Object.keys(PHASE_TEXTS).filter((phase) =>
    EVENTS.some((event) => cell(phase, event) !== ""),
  );
  const rows = EVENTS.map((event) => [`\`${event}\``, ...phases.map((phase) => cell(phase, event))]);
  return table(["event", ...phases.map((phase) => `\`${phase}\``)], rows);
}

function cell(phase, event) {
  try {
    const [linked, unlinked] = [true, false].map((isLinked) => nextPhase(phase, event, isLinked));
    if (linked !== unlinked) return `${linked}, or ${unlinked}`;
    return linked === phase ? "stays" : linked;
  } catch {
    return "";
  }
}

function responseTable() {
  const rows = RESPONSES.map(([what, reply]) => {
    const [post, put, remove] = ["POST", "PUT", "DELETE"].map((method) => classify(method, reply, 0));
    return [
      what,
      post.event,
      put.event,
      remove.event,
      post.link === put.link ? post.link : `${post.link}, ${put.link}`,
    ];
  });
  return table(["response", "POST", "PUT", "DELETE", "link"], rows);
}

function table(head, rows) {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * The page with its present tables; the page itself if only their layout, which the formatter decides, differs.
 * @param {string} text
 */
export function withCurrentTables(text) {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < 0) throw new Error("docs/architecture.md: the markers of the tables are missing");
  const tables = `### Effect of events on the phase\n\n${phaseTable()}\n\n### Effect of responses\n\n${responseTable()}`;
  const next = `${text.slice(0, from + BEGIN.length)}\n\n${tables}\n\n${text.slice(to)}`;
  const plain = (page) => page.replaceAll(/ {2,}|-{3,}/g, (run) => run[0] ?? "");
  return plain(next) === plain(text) ? text : next;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && existsSync(PAGE)) {
  const text = readFileSync(PAGE, "utf8");
  const next = withCurrentTables(text);
  if (next !== text) writeFileSync(PAGE, next);
}
