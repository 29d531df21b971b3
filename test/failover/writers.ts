import pg from "pg";
import { expect } from "vitest";
import { eachOf } from "../fleet/pace.ts";
import { eventually } from "../support/eventually.ts";
import { pause } from "../support/installation.ts";
import { creation, digestOf, faultOf, recordOf, type Answer, type Creation } from "./contents.ts";

const WRITERS = 64;
/** Every so many records of a site, the request of an acknowledged one is sent once more, as after a lost response. */
const REPEATED_EACH = 8;
/** Requests at once that read the records back at the end. */
const READERS = 16;
/** What a site may get: haproxy answers 502 for a centre that was killed after it had the request. */
const EXPECTED = /^(201|502|503, Retry-After \d+|no answer)$/;
/** Ends a hung test and does not measure speed. */
export const LONG_MS = 180_000;

interface StoredKey {
  readonly key: string;
  readonly id: number;
}

/**
 * 64 sites that create records, each with its key until there is an answer. Each acknowledgement has to be complete: the contents
 * that were sent, an id of its own, and the headers by which a site repeats and finds it.
 */
export class Writers {
  /** Ids by keys. */
  readonly acknowledged = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  gapMs = 0;
  /** What was acknowledged, by ids. */
  readonly #digests = new Map<number, string>();
  /** Acknowledgements that were not complete, or not those of the same key before. */
  readonly #faults: string[] = [];
  #repeated = 0;
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

  /**
   * Ends the writers and compares: each acknowledgement was complete, the database has what was acknowledged, once, and nothing
   * else, and each record is read back at the centres as it was acknowledged.
   */
  async expectStored(url: string): Promise<void> {
    await this.end();
    process.stdout.write(`${JSON.stringify(Object.fromEntries(this.statuses))}\n`);
    const stored = (await rows(url, "SELECT uid AS key, id::int AS id FROM interventions")) as StoredKey[];
    const altered = await this.#alteredIds();
    process.stdout.write(
      `${this.#compared(stored)}, ${altered.length} altered; ${this.#repeated} repeated, ${this.#faults.length} wrong acknowledgements\n`,
    );
    expect(this.#faults).toEqual([]);
    expect(altered).toEqual([]);
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

  /** Ids of records that a centre does not return as they were acknowledged; the addresses take turns. */
  async #alteredIds(): Promise<number[]> {
    const altered: number[] = [];
    await eachOf([...this.#digests], READERS, async ([id, digest]) => {
      const address = this.#addresses[id % this.#addresses.length];
      const text = await eventually(
        `record ${id}`,
        async () => {
          const init = { headers: { Authorization: `Bearer ${this.#token}` } };
          const answer = await fetch(`${address}/interventii/${id}`, init);
          // A centre that has just returned may still say that it has no database.
          return answer.status >= 502 ? undefined : await answer.text();
        },
        LONG_MS,
      );
      const record = recordOf(text);
      if (record === undefined || digestOf(record) !== digest) altered.push(id);
    });
    return altered;
  }

  async #write(index: number): Promise<void> {
    let attempt = index;
    for (let turn = 1; !this.#ended; turn += 1) {
      const sent = creation(index, turn);
      while (!(await this.#create(sent, (attempt += 1)))) await pause(250);
      if (turn % REPEATED_EACH === 0) await this.#repeat(sent, (attempt += 1));
    }
  }

  /** @returns whether the record is acknowledged */
  async #create(sent: Creation, attempt: number): Promise<boolean> {
    const answer = await this.#send(sent, attempt);
    if (answer?.status !== 201) return false;
    const record = recordOf(answer.text);
    this.#check(sent, answer, false);
    if (record !== undefined) {
      if (this.#digests.has(record.id)) this.#faults.push(`${sent.key}: ${record.id} is of another record`);
      this.acknowledged.set(sent.key, record.id);
      this.#digests.set(record.id, digestOf(record));
    }
    const now = Date.now();
    this.gapMs = Math.max(this.gapMs, now - this.#lastAt);
    this.#lastAt = now;
    return true;
  }

  /** Sends an acknowledged record again: an acknowledgement has to be the first one. */
  async #repeat(sent: Creation, attempt: number): Promise<void> {
    const answer = await this.#send(sent, attempt);
    if (answer?.status !== 201) return;
    this.#repeated += 1;
    this.#check(sent, answer, true);
    const record = recordOf(answer.text);
    const id = this.acknowledged.get(sent.key);
    if (record !== undefined && (record.id !== id || digestOf(record) !== this.#digests.get(record.id)))
      this.#faults.push(`${sent.key}: first ${id}, then ${answer.text.slice(0, 200)}`);
  }

  #check(sent: Creation, answer: Answer, isRepeated: boolean): void {
    const fault = faultOf(sent, answer, isRepeated);
    if (fault !== undefined) this.#faults.push(`${sent.key}: ${fault}`);
  }

  /** @returns undefined without an answer */
  async #send({ key, body }: Creation, attempt: number): Promise<Answer | undefined> {
    const answer = await fetch(`${this.#addresses[attempt % this.#addresses.length]}/interventii`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${this.#token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    }).then(
      async (response) => ({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
      }),
      () => undefined,
    );
    const status = answer ? `${answer.status}` : "no answer";
    const retryAfter = answer?.headers.get("Retry-After") ?? "none";
    const outcome = status === "503" ? `503, Retry-After ${retryAfter}` : status;
    this.statuses.set(outcome, (this.statuses.get(outcome) ?? 0) + 1);
    return answer;
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
