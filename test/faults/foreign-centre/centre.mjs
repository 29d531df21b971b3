// A dispatch centre as a third party could implement it from the published contract alone. It shares no code
// with the site, and has options that a test switches through a second port.
import { createServer } from "node:http";

/** Options of the dispatch centre. All are off by default, which follows the contract. */
const habits = {
  /** The next id is the highest one plus one: ids of deleted or lost records are reused. */
  givesIdsAgain: true,
  /** Records have fields that the contract does not define. */
  addsFields: false,
  /** Dates are written with an offset and milliseconds. */
  ownDates: false,
  /** Texts lose the spaces and empty lines at both ends. */
  trims: false,
  /** Notes are silently truncated to this number of characters. 0 for no limit. */
  notesMax: 0,
  /** Maximum rows of a response. */
  pageRows: 50,
  /** `_start` is ignored: every page is the first one. */
  ignoresStart: false,
  /** `_sort` and `_order` are ignored: the oldest record comes first. */
  ignoresSort: false,
  /** Delay of reads in milliseconds, like a replica. */
  readLagMs: 0,
  /** Whether lists have a total; `page`: the number of rows of the response instead. */
  saysTotal: false,
  /** A list requested without `_end` is complete, whatever the page limit. */
  givesWhole: false,
  /** Text in square brackets is removed from notes. */
  stripsBrackets: false,
  /** A repeated key returns the first response, and is echoed. */
  honoursKeys: false,
};
const EXTRA = { externalRef: null, tenant: "vest", tags: [] };

/** Rules of the gateway: `{ method, path, status, shape, times, after }`. The first match answers. */
let gateway = [];
/** Requests that the proxy delivers twice: `{ method, path, times }`. */
let twice = [];
/** Requests that are applied and whose response is lost: `{ method, path, times }`. */
let cut = [];
/**
 * Requests spoiled by the network, a proxy or a portal: `{ method, path, times, kind, isAfter }`. With
 * `isAfter` they are applied before.
 */
let spoilt = [];
const answersByKey = new Map();

let rows = new Map();
let makers = new Map();
let backup = { rows: new Map(), makers: new Map() };
/** Earlier states, for delayed reads. */
let past = [];
let highest = 0;
const tokens = new Map();
const seen = [];
/** Writes to records of others. */
const violations = [];
let isDeaf = false;

const STATUS_NAMES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};
const PAGE = "<html><title>Sorry</title></html>";

function errorBody(statusCode, message, shape = "interface") {
  if (shape === "gateway") return { code: statusCode, detail: message };
  return { error: STATUS_NAMES[statusCode] ?? "Error", message, statusCode };
}

function changed() {
  past.push({ atMs: Date.now(), rows: new Map(rows) });
  if (past.length > 2000) past = past.slice(-1000);
}

function readable() {
  if (habits.readLagMs === 0) return rows;
  const untilMs = Date.now() - habits.readLagMs;
  return past.findLast(({ atMs }) => atMs <= untilMs)?.rows ?? new Map();
}

function text(value, isNotes) {
  if (typeof value !== "string") return value;
  const trimmed = habits.trims ? value.trim() : value;
  const plain = isNotes && habits.stripsBrackets ? trimmed.replaceAll(/\[[^\]]*\]/g, "") : trimmed;
  return isNotes && habits.notesMax > 0 ? [...plain].slice(0, habits.notesMax).join("") : plain;
}

function date(value) {
  if (typeof value !== "string" || !habits.ownDates) return value;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? value : new Date(ms + 7_200_000).toISOString().replace("Z", "+02:00");
}

function stored(fields) {
  const row = { ...fields };
  for (const name of ["name", "description", "notes"])
    if (name in row) row[name] = text(row[name], name === "notes");
  for (const name of ["dateStart", "dateEnd"]) if (name in row) row[name] = date(row[name]);
  return row;
}

function create(fields, maker) {
  const top = habits.givesIdsAgain ? Math.max(0, ...rows.keys()) : highest;
  const id = top + 1;
  highest = Math.max(highest, id);
  const row = {
    id,
    name: "",
    description: null,
    dateStart: null,
    dateEnd: null,
    status: "planned",
    priority: "medium",
    type: "maintenance",
    crews: 1,
    police: false,
    ambulance: false,
    firetruck: false,
    notes: null,
    ...stored(fields),
    dispeceratId: 40,
    invoicePdf: null,
  };
  rows.set(id, row);
  makers.set(id, maker);
  changed();
  return row;
}

function shown(row) {
  return habits.addsFields ? { ...EXTRA, ...row } : row;
}

function list(query) {
  const start = habits.ignoresStart ? 0 : Number(query.get("_start") ?? 0);
  const isWhole = habits.givesWhole && !query.has("_end");
  const end = isWhole ? Infinity : Math.min(Number(query.get("_end") ?? Infinity), start + habits.pageRows);
  const all = [...readable().values()].filter((row) =>
    ["status", "priority", "type"].every((name) => !query.has(name) || row[name] === query.get(name)),
  );
  const isDown = query.get("_order") === "DESC";
  const field = query.get("_sort");
  if (habits.ignoresSort) all.sort((a, b) => a.id - b.id);
  else if (field)
    all.sort(
      (a, b) => (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : a.id - b.id) * (isDown ? -1 : 1),
    );
  const page = all.slice(start, end);
  const total = habits.saysTotal === "page" ? page.length : all.length;
  const headers = habits.saysTotal ? { "X-Total-Count": String(total) } : {};
  return { status: 200, body: page.map(shown), headers };
}

function applyRequest({ method, url, body, account, key }) {
  const path = url.pathname;
  if (path.startsWith("/obiective/"))
    return {
      status: 200,
      body: path.endsWith("cladiri")
        ? Array.from({ length: 9 }, (_, index) => ({
            id: index + 1,
            name: `Hall ${index + 1}`,
            status: "active",
          })).slice(Number(url.searchParams.get("_start") ?? 0), Number(url.searchParams.get("_end") ?? 50))
        : [],
    };
  if (path === "/interventii" && method === "GET") return list(url.searchParams);
  if (path === "/interventii" && method === "POST") {
    const { name, objectiveType, objectiveId } = body ?? {};
    if (!name || !objectiveType || !objectiveId)
      return { status: 400, body: errorBody(400, "name, objectiveType and objectiveId are required") };
    if (!habits.honoursKeys || key === undefined) return { status: 201, body: shown(create(body, account)) };
    const given = answersByKey.get(key) ?? shown(create(body, account));
    answersByKey.set(key, given);
    return { status: 201, body: given, headers: { "Idempotency-Key": key } };
  }
  const id = Number(/^\/interventii\/(\d+)$/.exec(path)?.[1]);
  const row = method === "GET" ? readable().get(id) : rows.get(id);
  if (!row) return { status: 404, body: errorBody(404, `intervention ${id} does not exist`) };
  if (method === "GET") return { status: 200, body: shown(row) };
  if (makers.get(id) !== account) violations.push({ method, id, by: account, of: makers.get(id) });
  if (method === "DELETE") {
    rows.delete(id);
    makers.delete(id);
    changed();
    return { status: 204 };
  }
  const updated = { ...row, ...stored(body) };
  rows.set(id, updated);
  changed();
  return { status: 200, body: shown(updated) };
}

function ruleFor(rules, { method, url, raw }) {
  const rule = rules.find(
    (each) =>
      each.times > 0 &&
      each.method === method &&
      new RegExp(each.path).test(url.pathname) &&
      (each.body === undefined || raw.includes(each.body)),
  );
  if (rule) rule.times -= 1;
  return rule;
}

async function readBody(request) {
  let raw = "";
  for await (const chunk of request) raw += chunk;
  return raw;
}

function answer(response, { status, body, headers = {} }) {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  response.writeHead(
    status,
    payload === undefined ? headers : { "Content-Type": "application/json", ...headers },
  );
  response.end(payload);
}

const service = createServer((request, response) => void serve(request, response));

async function serve(request, response) {
  const url = new URL(request.url, "http://centre");
  const raw = await readBody(request);
  const { method } = request;
  if (isDeaf) return;
  if (url.pathname === "/auth/token") {
    const { email } = JSON.parse(raw);
    const token = `${email}.${tokens.size}`;
    tokens.set(token, email);
    return answer(response, { status: 200, body: { token, expiresIn: 3600 } });
  }
  const account = tokens.get((request.headers.authorization ?? "").replace("Bearer ", ""));
  if (!account) return answer(response, { status: 401, body: errorBody(401, "token missing") });
  seen.push({ method, path: request.url, atMs: Date.now(), body: raw });
  const key = request.headers["idempotency-key"];
  const received = { method, url, raw, account, key, body: raw === "" ? undefined : JSON.parse(raw) };
  const fault = ruleFor(spoilt, received);
  if (fault) return spoil(fault, received, request, response);
  const refusal = ruleFor(gateway, received);
  if (refusal) {
    if (refusal.isAfter) applyRequest(received);
    return answer(response, {
      status: refusal.status,
      body: errorBody(refusal.status, "the gateway does not like this", refusal.shape),
    });
  }
  const first = applyRequest(received);
  // The response of the second delivery is sent when the proxy has given up on the first.
  const last = ruleFor(twice, received) ? applyRequest(received) : first;
  if (ruleFor(cut, received)) return void request.socket.destroy();
  return answer(response, last);
}

/** Delay of a late request after its client has given up. */
const LATE_MS = 5_000;

/** One request with a fault. */
function spoil({ kind, isAfter, status, shape }, received, request, response) {
  if (kind === "late") return void setTimeout(() => applyRequest(received), LATE_MS);
  const done = isAfter ? applyRequest(received) : undefined;
  if (kind === "stall") return;
  if (kind === "reset") return void request.socket.destroy();
  if (kind === "portal") return page(response, 200);
  if (kind === "redirect")
    return answer(response, { status: 302, headers: { Location: "http://portal.invalid/" } });
  if (kind === "nothing")
    return answer(response, { status: 200, body: received.url.pathname === "/interventii" ? [] : {} });
  if (kind === "half") {
    const text = JSON.stringify((done ?? applyRequest(received)).body ?? {});
    response.writeHead(done?.status ?? 200, {
      "Content-Type": "application/json",
      "Content-Length": text.length,
    });
    response.write(text.slice(0, text.length / 2));
    return void setTimeout(() => request.socket.destroy(), 20);
  }
  const headers = status === 429 ? { "Retry-After": "1" } : {};
  if (shape === "html") return page(response, status);
  return answer(response, {
    status,
    headers,
    body: errorBody(status, "the gateway does not like this", shape),
  });
}

function page(response, status) {
  response.writeHead(status, { "Content-Type": "text/html" });
  response.end(PAGE);
}

/** Test commands for the dispatch centre that no site can send. */
const ORDERS = {
  habits: (given) => Object.assign(habits, given),
  gateway: (rules) => (gateway = rules),
  twice: (rules) => (twice = rules),
  cut: (rules) => (cut = rules),
  spoil: (rules) => (spoilt = rules),
  type: ({ fields, by = "people" }) => create(fields, by),
  edit: ({ id, fields }) => {
    rows.set(id, { ...rows.get(id), ...stored(fields) });
    changed();
  },
  remove: ({ id }) => {
    rows.delete(id);
    makers.delete(id);
    changed();
  },
  backup: () => (backup = { rows: new Map(rows), makers: new Map(makers) }),
  restore: () => {
    rows = new Map(backup.rows);
    makers = new Map(backup.makers);
    changed();
  },
  deaf: ({ isDeaf: given }) => (isDeaf = given),
  state: () => ({
    rows: [...rows.values()],
    makers: Object.fromEntries(makers),
    violations,
    seen: seen.map(({ method, path, atMs, body }) => ({ method, path, atMs, body })),
  }),
};

const control = createServer((request, response) => void obey(request, response));

async function obey(request, response) {
  const raw = await readBody(request);
  const order = ORDERS[request.url.slice(1)];
  answer(response, { status: 200, body: order(raw === "" ? undefined : JSON.parse(raw)) ?? null });
}

changed();
service.listen(0, "127.0.0.1", () =>
  control.listen(0, "127.0.0.1", () =>
    process.stdout.write(
      `${JSON.stringify({ port: service.address().port, control: control.address().port })}\n`,
    ),
  ),
);
process.stdin.on("end", () => process.exit(0)).resume();
