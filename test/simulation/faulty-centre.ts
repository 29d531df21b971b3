import type { ApiRequest, Reply } from "../../src/client/api-client.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Random } from "./random.ts";

/** Behaviour of a dispatch centre during a run. */
export interface CentreBehaviour {
  readonly honoursKeys: boolean;
  /** Whether its 404 tells deleted records from others, as Santinela does. */
  readonly reportsDeletions: boolean;
  /** Maximum rows of a response. */
  readonly pageRows: number;
  /** Whether it ignores the requested order of lists. */
  readonly ignoresOrder: boolean;
  /** Property that wraps its lists. */
  readonly wrapper: "data" | "items" | undefined;
  /** Whether it reformats dates. */
  readonly rewritesDates: boolean;
  /** Whether it reuses the highest id after the record was deleted or lost. */
  readonly givesIdsAgain: boolean;
  /** Whether a proxy sometimes delivers requests twice, and a gateway responds with 404 and 422. */
  readonly hasGateway: boolean;
  /** Delay of its reads, in milliseconds. */
  readonly readLagMs: number;
  /** Whether it always returns the first page. */
  readonly ignoresStart: boolean;
  /** Fraction of the requests with a fault. */
  readonly faultRate: number;
}

export interface CentreRow {
  readonly id: number;
  readonly [field: string]: unknown;
}

const FAULTS = [
  "not-sent",
  "lost",
  "late",
  "late",
  "applied-then-cut",
  "applied-then-cut",
  "applied-then-502",
  "half-answer",
  "503",
  "500",
  "429",
  "401",
  "403",
  "400",
  "portal",
  "redirect",
] as const;
/** Faults of a proxy or gateway only. */
const GATEWAY_FAULTS = ["twice", "404-gateway", "404-interface", "422"] as const;
type Fault = (typeof FAULTS)[number] | (typeof GATEWAY_FAULTS)[number];

/** Time-out of the simulated client, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Maximum delay of a request after its client has given up: less than the wait of the design. */
const LATE_MAX_MS = 130_000;

/** An in-memory dispatch centre behind a network with random faults. */
export class FaultyCentre {
  readonly behaviour: CentreBehaviour;
  rows = new Map<number, CentreRow>();
  /** Ids of deleted rows. */
  #deleted = new Set<number>();
  /** Creator of each row. */
  makers = new Map<number, string>();
  /** Objectives that it does not have yet. */
  readonly unknownObjectives = new Set<number>();
  isFaulty = true;
  /** Whether the network is down. */
  isCut = false;
  /** Called with each request and its result. */
  tell: (line: string) => void = () => {};
  /** Problems found in requests. */
  readonly violations: string[] = [];
  readonly counts = { requests: 0, ambiguous: 0, late: 0, posts: 0 };
  #nextId = 1;
  #answers = new Map<string, { body: string; answer: string }>();
  readonly #bodies = new Map<string, string>();
  readonly #clock: Clock;
  readonly #random: Random;
  #backup: (() => void) | undefined;
  /** Earlier states of the rows by monotonic time, oldest first; only with delayed reads. */
  #past: { readonly untilMs: number; readonly rows: ReadonlyMap<number, CentreRow> }[] = [];

  constructor(behaviour: CentreBehaviour, clock: Clock, random: Random) {
    this.behaviour = behaviour;
    this.#clock = clock;
    this.#random = random;
  }

  /** One request of a site, with its fault. */
  async request(site: string, asked: ApiRequest): Promise<Reply> {
    this.counts.requests += 1;
    this.#watch(site, asked);
    const isFaulty = this.isFaulty && this.#random.chance(this.behaviour.faultRate);
    const faults = this.behaviour.hasGateway ? [...FAULTS, ...GATEWAY_FAULTS] : FAULTS;
    const fault = isFaulty ? this.#random.pick(faults) : undefined;
    if (this.isCut || fault === "not-sent") return this.#after(20, () => notSent());
    if (asked.path === "/auth/token") return this.#signIn(fault);
    this.tell(`${site} asks ${asked.method} ${asked.path} ${asked.body ?? ""} ${fault ?? ""}`);
    return this.#carry(site, asked, fault);
  }

  /**
   * Whether a client can prove what it has and lacks: by pages, or by the parts of each status, priority and type if
   * each is shorter than a page.
   */
  get isProvable(): boolean {
    if (!this.behaviour.ignoresStart) return true;
    const parts = new Map<string, number>();
    for (const { status, priority, type } of this.rows.values()) {
      const part = [status, priority, type].join(" ");
      parts.set(part, (parts.get(part) ?? 0) + 1);
    }
    return Math.max(0, ...parts.values()) < Math.min(this.behaviour.pageRows, this.rows.size);
  }

  /** Stores a copy of all rows, like a nightly backup. */
  takeBackup(): void {
    const [deleted, rows, makers, nextId, answers] = [
      new Set(this.#deleted),
      new Map(this.rows),
      new Map(this.makers),
      this.#nextId,
      new Map(this.#answers),
    ];
    this.#backup = () => {
      this.#deleted = new Set(deleted);
      this.rows = new Map(rows);
      this.makers = new Map(makers);
      this.#nextId = nextId;
      this.#answers = new Map(answers);
    };
  }

  restoreBackup(): void {
    this.#keepPast();
    this.#backup?.();
  }

  /** Creates a record as a user at the dispatch centre, without a marker. */
  type(fields: object): CentreRow {
    return this.#add({ ...fields }, "people");
  }

  /** Changes a row as a dispatcher. */
  edit(id: number, changes: Readonly<Record<string, unknown>>): void {
    const row = this.rows.get(id);
    this.#keepPast();
    if (row) this.rows.set(id, { ...row, ...changes });
  }

  /** Deletes a row as a dispatcher. */
  remove(id: number): void {
    this.#keepPast();
    this.#delete(id);
  }

  #delete(id: number): void {
    this.rows.delete(id);
    this.#deleted.add(id);
  }

  #watch(site: string, { method, headers, body = "" }: ApiRequest): void {
    const key = headers?.["Idempotency-Key"];
    if (method !== "POST" || key === undefined) return;
    this.counts.posts += 1;
    const earlier = this.#bodies.get(`${site} ${key}`);
    if (earlier !== undefined && earlier !== body)
      this.violations.push(`${site}: the key ${key} was sent with two bodies`);
    this.#bodies.set(`${site} ${key}`, body);
  }

  #signIn(fault: Fault | undefined): Promise<Reply> {
    if (fault === "401" || fault === "403" || fault === "400")
      return this.#after(50, () => answered(401, "{}"));
    if (fault === "portal") return this.#after(50, () => page(200));
    if (fault !== undefined) return this.#after(TIMEOUT_MS, () => lost());
    const announced = this.behaviour.reportsDeletions ? { "deletion-reporting": "1" } : {};
    return this.#after(50, () => answered(200, JSON.stringify({ token: "t", expiresIn: 3600 }), announced));
  }

  async #carry(site: string, asked: ApiRequest, fault: Fault | undefined): Promise<Reply> {
    const wayMs = this.#random.between(2, 200);
    const refusal = fault === undefined ? undefined : REFUSALS[fault];
    if (refusal) return this.#after(2 * wayMs, () => refusal(this.#random));
    if (asked.method !== "GET" && fault !== undefined) this.counts.ambiguous += 1;
    if (fault === "lost") return this.#after(TIMEOUT_MS, () => lost());
    if (fault === "late") {
      this.counts.late += 1;
      this.#clock.after(
        TIMEOUT_MS + this.#random.between(0, LATE_MAX_MS),
        () => void this.#apply(site, asked),
      );
      return this.#after(TIMEOUT_MS, () => lost());
    }
    const first = await this.#after(wayMs, () => this.#apply(site, asked));
    const reply = fault === "twice" ? this.#apply(site, asked) : first;
    return this.#after(wayMs, () => {
      if (fault === "applied-then-cut") return lost();
      if (fault === "applied-then-502") return page(502);
      if (fault === "half-answer" && reply.kind === "answered")
        return { ...reply, body: reply.body.slice(0, reply.body.length / 2) };
      return reply;
    });
  }

  #after<T>(delayMs: number, make: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.#clock.after(delayMs, () => resolve(make()));
    });
  }

  #apply(site: string, asked: ApiRequest): Reply {
    const reply = this.#answerTo(site, asked);
    const { method, path } = asked;
    if (reply.kind === "answered")
      this.tell(
        `the centre answers ${site}'s ${method} ${path}: ${reply.status} ${method === "GET" ? "" : reply.body}`,
      );
    return reply;
  }

  #answerTo(site: string, { method, path, body = "{}", headers }: ApiRequest): Reply {
    const url = new URL(path, "http://centre");
    if (url.pathname === "/interventii" && method === "GET") return this.#list(url.searchParams);
    if (url.pathname === "/interventii") return this.#create(site, body, headers?.["Idempotency-Key"]);
    const id = Number(/^\/interventii\/(\d+)$/.exec(url.pathname)?.[1]);
    const row = (method === "GET" ? this.#readable() : this.rows).get(id);
    if (!row) return notFound(this.#errorCodeOf(id));
    if (method === "GET") return answered(200, JSON.stringify(row));
    this.#keepPast();
    if (this.makers.get(id) !== site)
      this.violations.push(`${site} has touched ${id}, which is ${this.makers.get(id)}'s`);
    if (method === "DELETE") {
      this.#delete(id);
      return { kind: "answered", status: 204, headers: {}, body: "" };
    }
    const updated = { ...row, ...this.#stored(JSON.parse(body) as object) };
    this.rows.set(id, updated);
    return answered(200, JSON.stringify(updated));
  }

  #errorCodeOf(id: number): Readonly<Record<string, string>> {
    if (!this.behaviour.reportsDeletions) return {};
    return { "x-error-code": this.#deleted.has(id) && !this.rows.has(id) ? "deleted" : "not-found" };
  }

  #create(site: string, body: string, key: string | undefined): Reply {
    const known = this.#answers.get(`${site} ${key}`);
    const echo = this.behaviour.honoursKeys && key !== undefined ? { "idempotency-key": key } : {};
    if (this.behaviour.honoursKeys && known)
      return known.body === body
        ? answered(201, known.answer, echo)
        : answered(422, '{"message":"key reused"}');
    const fields = JSON.parse(body) as { objectiveId: number };
    if (this.unknownObjectives.has(fields.objectiveId)) return notFound();
    const row = this.#add(fields, site);
    const answer = JSON.stringify(row);
    this.#answers.set(`${site} ${key}`, { body, answer });
    return answered(201, answer, echo);
  }

  #add(fields: object, maker: string): CentreRow {
    this.#keepPast();
    const next = this.behaviour.givesIdsAgain ? Math.max(0, ...this.rows.keys()) + 1 : this.#nextId;
    const row = { id: next, ...this.#stored(fields), dispeceratId: 99, invoicePdf: null };
    this.#nextId = Math.max(this.#nextId, next) + 1;
    this.rows.set(row.id, row);
    this.#deleted.delete(row.id);
    this.makers.set(row.id, maker);
    return row;
  }

  #stored(fields: object): object {
    const { dateStart } = fields as { dateStart?: string | null };
    if (!this.behaviour.rewritesDates || typeof dateStart !== "string") return fields;
    return { ...fields, dateStart: dateStart.replace(/(:\d\d)Z$/, "$1.000Z") };
  }

  #list(query: URLSearchParams): Reply {
    const { pageRows, ignoresOrder, ignoresStart, wrapper } = this.behaviour;
    const start = ignoresStart ? 0 : Number(query.get("_start") ?? 0);
    const end = Math.min(Number(query.get("_end") ?? Infinity), start + pageRows);
    const asked = [...this.#readable().values()].filter((row) =>
      ["status", "priority", "type"].every((name) => !query.has(name) || row[name] === query.get(name)),
    );
    const ordered = asked.sort((a, b) => (ignoresOrder ? a.id - b.id : b.id - a.id));
    const rows = ordered.slice(start, end);
    return answered(200, JSON.stringify(wrapper === undefined ? rows : { [wrapper]: rows }));
  }

  /** Called before each change of the rows. */
  #keepPast(): void {
    if (this.behaviour.readLagMs === 0) return;
    const nowMs = this.#clock.monotonicMs();
    this.#past = this.#past.filter(({ untilMs }) => untilMs > nowMs - this.behaviour.readLagMs);
    this.#past.push({ untilMs: nowMs, rows: new Map(this.rows) });
  }

  /** The rows as delayed reads return them. */
  #readable(): ReadonlyMap<number, CentreRow> {
    const atMs = this.#clock.monotonicMs() - this.behaviour.readLagMs;
    return this.#past.find(({ untilMs }) => untilMs > atMs)?.rows ?? this.rows;
  }
}

/** Responses of an intermediary that has certainly not forwarded the request. */
const REFUSALS: Readonly<Partial<Record<Fault, (random: Random) => Reply>>> = {
  "503": () => page(503),
  "500": () => answered(500, '{"message":"out of order"}'),
  "429": (random) =>
    answered(429, "{}", random.chance(0.5) ? { "retry-after": String(random.between(1, 300)) } : {}),
  "401": () => answered(401, "{}"),
  "403": () => page(403),
  "400": () => page(400),
  "404-gateway": () => answered(404, '{"detail":"no route"}'),
  "404-interface": () => notFound(),
  "422": () => answered(422, '{"error":"Unprocessable Entity","message":"no","statusCode":422}'),
  portal: () => page(200),
  redirect: () => ({
    kind: "answered",
    status: 302,
    headers: { location: "http://hotel.example/" },
    body: "",
  }),
};

function answered(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { kind: "answered", status, headers: { "content-type": "application/json", ...headers }, body };
}

function notFound(headers: Readonly<Record<string, string>> = {}): Reply {
  return answered(404, '{"error":"Not Found","message":"it does not exist","statusCode":404}', headers);
}

function page(status: number): Reply {
  return { kind: "answered", status, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" };
}

function lost(): Reply {
  return { kind: "lost", code: "ECONNRESET", error: "socket hang up" };
}

function notSent(): Reply {
  return { kind: "not-sent", code: "ECONNREFUSED", error: "connect ECONNREFUSED" };
}
