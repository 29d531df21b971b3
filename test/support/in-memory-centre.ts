import {
  notFound,
  json,
  NonconformingCentre,
  type ScriptedResponse,
  type ReceivedRequest,
} from "./nonconforming-centre.ts";

export interface CentreRow {
  readonly id: number;
  readonly [field: string]: unknown;
}

/**
 * A dispatch centre without idempotency keys that keeps records in memory with ascending ids. A test can reset
 * it to an earlier state, like a restore from a backup, after which ids are reused.
 */
export class InMemoryCentre {
  readonly rows = new Map<number, CentreRow>();
  /** Response instead of the normal one, without an effect; undefined for the normal one. */
  instead: (request: ReceivedRequest) => ScriptedResponse | undefined = () => undefined;
  /** Response instead of the normal one, after the request was applied. */
  afterwards: (request: ReceivedRequest) => ScriptedResponse | undefined = () => undefined;
  /** The stored form of a posted record. */
  keeps: (record: CentreRow) => CentreRow = (record) => record;
  ignoresOrder = false;
  readonly #odd = new NonconformingCentre();
  #nextId = 1;

  constructor() {
    this.#odd.answer = (request) => this.#reply(request);
    this.#odd.read = (request) => this.#reply(request);
  }

  start(): Promise<string> {
    return this.#odd.start();
  }

  stop(): Promise<void> {
    return this.#odd.stop();
  }

  /** Received writes. */
  get writes(): readonly ReceivedRequest[] {
    return this.#odd.requests;
  }

  /** Applies a request as if it arrived now. */
  arrive(request: ReceivedRequest): void {
    this.#carryOut(request);
  }

  /** Deletes every record from this id, and reuses the ids. */
  restoreTo(id: number): void {
    for (const known of this.rows.keys()) if (known >= id) this.rows.delete(known);
    this.#nextId = id;
  }

  /** Creates a record of another client. */
  add(fields: Readonly<Record<string, unknown>>): CentreRow {
    const row = { id: this.#nextId, ...fields };
    this.#nextId += 1;
    this.rows.set(row.id, row);
    return row;
  }

  /** Changes a record as a dispatcher. */
  edit(id: number, changes: Readonly<Record<string, unknown>>): void {
    const row = this.rows.get(id);
    if (row) this.rows.set(id, { ...row, ...changes });
  }

  #reply(request: ReceivedRequest): ScriptedResponse {
    const refused = this.instead(request);
    if (refused) return refused;
    const answer = this.#carryOut(request);
    return this.afterwards(request) ?? answer;
  }

  #carryOut({ method, path, body }: ReceivedRequest): ScriptedResponse {
    const url = new URL(path, "http://centre");
    if (url.pathname === "/interventii" && method === "GET") return this.#list(url.searchParams);
    if (method === "POST") return json(201, this.add(this.keeps(JSON.parse(body) as CentreRow)));
    const id = Number(url.pathname.split("/").at(-1));
    const row = this.rows.get(id);
    if (!row) return notFound(`there is no intervention ${id}`);
    if (method === "GET") return json(200, row);
    if (method === "PUT") {
      this.edit(id, JSON.parse(body) as CentreRow);
      return json(200, this.rows.get(id));
    }
    this.rows.delete(id);
    return { status: 204 };
  }

  #list(query: URLSearchParams): ScriptedResponse {
    const ordered = [...this.rows.values()].sort((a, b) => (this.ignoresOrder ? a.id - b.id : b.id - a.id));
    return json(200, ordered.slice(Number(query.get("_start")), Number(query.get("_end"))));
  }
}
