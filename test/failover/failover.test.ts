import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, EDGE, Installation, pause } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { PatroniPair } from "./patroni-pair.ts";

const WRITERS = 64;
const KILLS = Number(process.env["FAILOVER_KILLS"] ?? "20");
const RECORD = JSON.stringify({ name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 });
const LONG_MS = 120_000;

/** 64 sites that create records, each with its key until there is an answer. */
class Writers {
  readonly acknowledged = new Map<string, number>();
  readonly statuses = new Map<string, number>();
  lastAt = Date.now();
  gapMs = 0;
  #ended = false;
  readonly #url: string;
  readonly #token: string;
  readonly #writers: Promise<void>[];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#writers = Array.from({ length: WRITERS }, () => this.#write());
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#writers);
  }

  async #write(): Promise<void> {
    while (!this.#ended) {
      const key = randomUUID();
      while (!(await this.#send(key))) await pause(250);
    }
  }

  async #send(key: string): Promise<boolean> {
    const answer = await fetch(`${this.#url}/interventii`, {
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
    this.gapMs = Math.max(this.gapMs, Date.now() - this.lastAt);
    this.lastAt = Date.now();
    return true;
  }
}

test(`no acknowledged record is lost or doubled in ${KILLS} kills of a leader or a centre`, async () => {
  const ports = [await freePort(), await freePort()];
  const pair = await PatroniPair.start(ports);
  const installation = new Installation();
  const url = `postgres://santinela:santinela@127.0.0.1:${pair.databasePort}/postgres`;
  try {
    const centres = ports.map((port, index) =>
      installation.centre(
        `centre${index}`,
        `database: "${url}"\nsite: { ref: centre, locale: en }\nhttp: { port: ${port} }\n${buildingsYaml(2)}`,
      ),
    );
    await eventually(
      "the primary is reached",
      async () => (await rows(url, "SELECT 1").catch(() => [])).length > 0,
      LONG_MS,
    );
    await centres[0]?.addAccount(EDGE, "administrator");
    for (const centre of centres) await centre.start();
    const base = `http://127.0.0.1:${pair.centresPort}`;
    let token = "";
    await eventually("a sign-in through haproxy", async () => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${base}/auth/token`, {
        method: "POST",
        headers,
        body: JSON.stringify(EDGE),
      });
      if (answer.status === 200) token = ((await answer.json()) as { token: string }).token;
      return token !== "";
    });
    const writers = new Writers(base, token);
    const grows = async (by: number): Promise<void> => {
      const from = writers.acknowledged.size;
      await eventually("records are acknowledged", () => writers.acknowledged.size >= from + by, LONG_MS);
    };
    await grows(500);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      writers.gapMs = 0;
      const leader = await pair.leader();
      const centre = kill % 4 === 2 ? centres[0] : centres[1];
      if (kill % 2 === 1) await pair.killMember(leader);
      else await centre?.end("SIGKILL");
      await grows(500);
      if (kill % 2 === 1) {
        await eventually(
          "the other one leads",
          async () => ![leader, ""].includes(await pair.leader()),
          LONG_MS,
        );
        pair.startMember(leader);
        await pair.whole();
      } else await centre?.start();
      await grows(200);
      const what = kill % 2 === 1 ? `leader ${leader}` : "a centre";
      process.stdout.write(
        `${kill}. ${what}: gap ${writers.gapMs} ms, ${writers.acknowledged.size} acknowledged\n`,
      );
    }
    await writers.end();
    process.stdout.write(`${JSON.stringify(Object.fromEntries(writers.statuses))}\n`);
    const stored = (await rows(url, "SELECT uid AS key, id::int AS id FROM interventions")) as {
      key: string;
      id: number;
    }[];
    expect(new Map(stored.map(({ key, id }) => [key, id]))).toEqual(writers.acknowledged);
    const [counted] = await rows(
      url,
      `SELECT (SELECT count(*) FROM interventions)::int AS records, (SELECT sum(records) FROM intervention_counts)::int AS totals,
         (SELECT count(*) FROM events WHERE event = 'intervention-created')::int AS events`,
    );
    const all = writers.acknowledged.size;
    expect(counted).toEqual({ records: all, totals: all, events: all });
    expect([...writers.statuses.keys()]).not.toContain("503, Retry-After none");
  } finally {
    await installation.remove();
    await pair.stop();
  }
});

async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}
