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
 * A centre that knows no keys, keeps its records in memory and gives ids in order. A test can put it back to an earlier
 * state, as from a backup, after which it gives ids again.
 */
export class RowCentre {
  readonly rows = new Map<number, CentreRow>();
  /** Answers in place of the centre, having done nothing; undefined leaves it to the centre. */
  instead: (request: ReceivedRequest) => ScriptedResponse | undefined = () => undefined;
  /** Answers in place of the centre, after it has done what was asked. */
  afterwards: (request: ReceivedRequest) => ScriptedResponse | undefined = () => undefined;
  /** What it keeps of a record that is posted. */
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

  /** Carries a request out as if it had been on its way until now. */
  arrive(request: ReceivedRequest): void {
    this.#carryOut(request);
  }

  /** Forgets every record from this id on, and gives the ids again. */
  restoreTo(id: number): void {
    for (const known of this.rows.keys()) if (known >= id) this.rows.delete(known);
    this.#nextId = id;
  }

  /** Makes a record for somebody else. */
  add(fields: Readonly<Record<string, unknown>>): CentreRow {
    const row = { id: this.#nextId, ...fields };
    this.#nextId += 1;
    this.rows.set(row.id, row);
    return row;
  }

  /** What a dispatcher does to a record. */
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
