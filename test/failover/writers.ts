import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect } from "vitest";
import { eventually } from "../support/eventually.ts";
import { pause } from "../support/installation.ts";

const WRITERS = 64;
const RECORD = JSON.stringify({ name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 });
/** What a site may get: haproxy answers 502 for a centre that was killed after it had the request. */
const EXPECTED = /^(201|502|503, Retry-After \d+|no answer)$/;
/** Ends a hung test and does not measure speed. */
export const LONG_MS = 180_000;

interface StoredKey {
  readonly key: string;
  readonly id: number;
}

/** 64 sites that create records, each with its key until there is an answer. */
export class Writers {
  readonly acknowledged = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  gapMs = 0;
  #lastAt = Date.now();
  #ended = false;
  readonly #addresses: readonly string[];
  readonly #token: string;
  readonly #writers: Promise<void>[];

  /** @param addresses of the centre; each attempt of a key is sent to the next one */
  constructor(addresses: readonly string[], token: string) {
    this.#addresses = addresses;
    this.#token = token;
    this.#writers = Array.from({ length: WRITERS }, (_, index) => this.#write(index));
  }

  /** Waits until so many more records are acknowledged. */
  async grows(by: number): Promise<void> {
    const from = this.acknowledged.size;
    await eventually("records are acknowledged", () => this.acknowledged.size >= from + by, LONG_MS);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#writers);
  }

  /** Ends the writers and compares: the database has what was acknowledged, once, and nothing else. */
  async expectStored(url: string): Promise<void> {
    await this.end();
    process.stdout.write(`${JSON.stringify(Object.fromEntries(this.statuses))}\n`);
    const stored = (await rows(url, "SELECT uid AS key, id::int AS id FROM interventions")) as StoredKey[];
    process.stdout.write(`${this.#compared(stored)}\n`);
    expect(new Map(stored.map(({ key, id }) => [key, id]))).toEqual(this.acknowledged);
    const [counted] = await rows(
      url,
      `SELECT (SELECT count(*) FROM interventions)::int AS records, (SELECT sum(records) FROM intervention_counts)::int AS totals,
         (SELECT count(*) FROM events WHERE event = 'intervention-created')::int AS events`,
    );
    const all = this.acknowledged.size;
    expect(counted).toEqual({ records: all, totals: all, events: all });
    const others = [...this.statuses.keys()].filter((outcome) => !EXPECTED.test(outcome));
    expect(others).toEqual([]);
  }

  /** The figures of a run, also of one that fails. A record with another uid than its key is a second one of that key. */
  #compared(stored: readonly StoredKey[]): string {
    const ids = new Set(stored.map(({ id }) => id));
    const lost = [...this.acknowledged.values()].filter((id) => !ids.has(id)).length;
    const doubled = stored.filter(({ key, id }) => this.acknowledged.get(key) !== id).length;
    return `${this.acknowledged.size} acknowledged, ${lost} lost, ${doubled} doubled`;
  }

  async #write(index: number): Promise<void> {
    let attempt = index;
    while (!this.#ended) {
      const key = randomUUID();
      while (!(await this.#send(key, (attempt += 1)))) await pause(250);
    }
  }

  async #send(key: string, attempt: number): Promise<boolean> {
    const answer = await fetch(`${this.#addresses[attempt % this.#addresses.length]}/interventii`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: RECORD,
      signal: AbortSignal.timeout(15_000),
    }).then(
      async (response) => ({ response, text: await response.text() }),
      () => undefined,
    );
    const retryAfter = answer?.response.headers.get("Retry-After") ?? "none";
    const status = answer ? `${answer.response.status}` : "no answer";
    const outcome = status === "503" ? `503, Retry-After ${retryAfter}` : status;
    this.statuses.set(outcome, (this.statuses.get(outcome) ?? 0) + 1);
    if (!answer || status !== "201") return false;
    this.acknowledged.set(key, (JSON.parse(answer.text) as { id: number }).id);
    const now = Date.now();
    this.gapMs = Math.max(this.gapMs, now - this.#lastAt);
    this.#lastAt = now;
    return true;
  }
}

/** A token for the account, as soon as the centre gives one. */
export function signedIn(base: string, account: { email: string; password: string }): Promise<string> {
  return eventually(
    "a sign-in",
    async () => {
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(account);
      const answer = await fetch(`${base}/auth/token`, { method: "POST", headers, body });
      return answer.status === 200 ? ((await answer.json()) as { token: string }).token : undefined;
    },
    LONG_MS,
  );
}

/** The median and the longest of some gaps, in seconds, as text. */
export function medianAndWorst(gapsMs: readonly number[]): string {
  const sorted = gapsMs.toSorted((a, b) => a - b);
  const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(1)} s`;
  return `${sorted.length} gaps, median ${seconds(sorted[Math.floor((sorted.length - 1) / 2)])}, worst ${seconds(sorted.at(-1))}`;
}

/** The rows of a statement on a connection of its own. */
export async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await Promise.race([client.end(), pause(1_000)]);
  }
}
