import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { STEPS } from "../../src/postgres/schema.ts";
import { etagOf } from "../../src/service/records.ts";
import { buildingsYaml, EDGE, Installation } from "../support/installation.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Each test sends the same request to two processes at once, over HTTP: one may win, and the others get an answer of the contract. */

const CLIENTS = 64;
const ROUNDS = 10;
const RECORD = { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 };
const PASSWORD = "z8r4-2mkqp-x7dvb-h9ctn";

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

describeOnPostgres("two processes of a dispatch centre that get the same request at once", (server) => {
  let url: string;
  const installation = Installation.temporary(afterAll);
  let bases: readonly string[];
  let token: string;

  beforeAll(async () => {
    url = await server.newDatabase();
    const yaml = `database: "${url}"\nsite: { ref: centre, locale: en }\nhttp: { port: 0, connectionsPerAddressMax: 256 }\n${buildingsYaml(2)}`;
    const centres = ["first", "second"].map((name) => installation.centre(name, yaml));
    // The database is empty: both bring its schema up, and each would add the first administrator and the first key.
    const started = await Promise.all(centres.map((centre) => centre.start()));
    bases = started.map(({ httpPort }) => `http://127.0.0.1:${httpPort}`);
    await centres[0]?.addAccount(EDGE, "administrator");
    ({ token } = (await send(0, "POST", "/auth/token", EDGE)).body as { token: string });
  });

  /** Sends a request to one of the processes. The contents of each refusal are those of the contract. */
  async function send(
    client: number,
    method: string,
    path: string,
    content?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const response = await fetch(`${bases[client % bases.length]}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    });
    const text = await response.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    if (response.status >= 400)
      expect(body).toEqual({
        error: expect.any(String) as string,
        message: expect.any(String) as string,
        statusCode: response.status,
      });
    return { status: response.status, body };
  }

  const atOnce = (one: (client: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => one(client)));

  /** How often each status came. */
  const counted = (answers: readonly Answer[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const create = async (): Promise<number> =>
    ((await send(0, "POST", "/interventii", RECORD)).body as { id: number }).id;
  const rowsOf = <Row>(sql: string): Promise<Row[]> =>
    server.query(url.split("/").at(-1) ?? "", sql) as Promise<Row[]>;
  /** All clients have one address here, whose wrong passwords would soon delay each of them. */
  const forgetWrongPasswords = (): Promise<unknown> => rowsOf("DELETE FROM wrong_passwords");

  test("bring the schema up once, and add one administrator and one signing key", async () => {
    const [found] = await rowsOf(`SELECT (SELECT count(*) FROM schema_steps)::int AS steps,
      (SELECT count(*) FROM signing_keys)::int AS keys,
      (SELECT count(*) FROM accounts WHERE email = 'admin@santinela.local')::int AS administrators,
      (SELECT count(*) FROM accounts WHERE password_hash IS NULL)::int AS devices`);
    expect(found).toEqual({ steps: STEPS.length, keys: 1, administrators: 1, devices: 1 });
    for (const client of [0, 1]) expect((await send(client, "GET", "/interventii")).status).toBe(200);
  });

  test("create one record for a key, and answer each request with it", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = randomUUID();
      const headers = { "Idempotency-Key": key };
      const answers = await atOnce((client) => send(client, "POST", "/interventii", RECORD, headers));
      expect(counted(answers)).toEqual({ 201: CLIENTS });
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await rowsOf(`SELECT 1 FROM interventions WHERE uid = '${key}'`)).toHaveLength(1);
    }
  });

  test("create one record for a key with two contents, and refuse the other one", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const headers = { "Idempotency-Key": randomUUID() };
      const answers = await atOnce((client) =>
        send(client, "POST", "/interventii", { ...RECORD, notes: `${client % 4}` }, headers),
      );
      expect(counted(answers)).toEqual({ 201: CLIENTS / 4, 422: (CLIENTS * 3) / 4 });
      const created = answers.filter(({ status }) => status === 201);
      expect(new Set(created.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    }
  });

  test("let one of 64 changes of a revision win", async () => {
    const id = await create();
    for (let rev = 1; rev <= ROUNDS; rev += 1) {
      const headers = { "If-Match": etagOf(rev) };
      const answers = await atOnce((client) =>
        send(client, "PUT", `/interventii/${id}`, { notes: `${rev}, ${client}` }, headers),
      );
      expect(counted(answers)).toEqual({ 200: 1, 412: CLIENTS - 1 });
      const [winner] = answers.filter(({ status }) => status === 200);
      expect((await send(rev, "GET", `/interventii/${id}`)).body).toEqual(winner?.body);
    }
  });

  test("make each of 64 changes that name no revision", async () => {
    const id = await create();
    const answers = await atOnce((client) =>
      send(client, "PUT", `/interventii/${id}`, { notes: `by ${client}` }),
    );
    expect(counted(answers)).toEqual({ 200: CLIENTS });
    const [found] = await rowsOf<{ rev: number }>(`SELECT rev FROM interventions WHERE id = ${id}`);
    expect(found?.rev).toBe(CLIENTS + 1);
  });

  test("delete a record once, and change none that is deleted", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create();
      const headers = round % 2 === 0 ? {} : { "If-Match": etagOf(1) };
      const deleted = await atOnce((client) =>
        send(client, "DELETE", `/interventii/${id}`, undefined, headers),
      );
      expect(counted(deleted)).toEqual({ 204: 1, 404: CLIENTS - 1 });
      const other = await create();
      const mixed = await atOnce((client) =>
        client % 8 === 7
          ? send(client, "DELETE", `/interventii/${other}`)
          : send(client, "PUT", `/interventii/${other}`, { notes: `by ${client}` }),
      );
      const { 200: changes = 0, ...others } = counted(mixed);
      expect(others).toEqual({ 204: 1, 404: CLIENTS - 1 - changes });
      expect((await send(round, "GET", `/interventii/${other}`)).status).toBe(404);
    }
    const [totals] = await rowsOf(`SELECT (SELECT sum(records) FROM intervention_counts)::int AS counted,
      (SELECT count(*) FROM interventions WHERE deleted_at IS NULL)::int AS stored,
      (SELECT count(*) FROM events WHERE event = 'intervention-deleted')::int AS deletions`);
    const [stored] = await rowsOf<{ n: number }>(
      "SELECT count(*)::int AS n FROM interventions WHERE deleted_at IS NULL",
    );
    expect(totals).toEqual({ counted: stored?.n, stored: stored?.n, deletions: 2 * ROUNDS });
  });

  test("accept no token of an account that is disabled while it signs in at the other one", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = { email: `person${round}@test.example`, password: PASSWORD };
      const path = `/site/accounts/${person.email}`;
      expect(
        (
          await send(0, "POST", "/site/accounts", {
            ...person,
            role: "operator",
            currentPassword: EDGE.password,
          })
        ).status,
      ).toBe(201);
      const signIns = Promise.all(Array.from({ length: 8 }, () => send(1, "POST", "/auth/token", person)));
      expect((await send(0, "PUT", path, { disabled: true, currentPassword: EDGE.password })).status).toBe(
        200,
      );
      const answers = await signIns;
      const { 200: _accepted, 401: _refused, 429: _delayed, ...others } = counted(answers);
      expect(others).toEqual({});
      await forgetWrongPasswords();
      const tokens = answers.flatMap(({ body }) => (body as { token?: string }).token ?? []);
      for (const [client, one] of tokens.entries()) {
        const headers = { Authorization: `Bearer ${one}` };
        expect((await send(client, "GET", "/interventii", undefined, headers)).status).toBe(401);
      }
      expect((await send(1, "POST", "/auth/token", person)).status).toBe(401);
    }
  });

  test("add one account of an address, and one of a site for its code", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await forgetWrongPasswords();
      const person = {
        email: `new${round}@test.example`,
        password: PASSWORD,
        role: "operator",
        currentPassword: EDGE.password,
      };
      const added = await Promise.all(
        [0, 1, 2, 3].map((client) => send(client, "POST", "/site/accounts", person)),
      );
      expect(counted(added)).toEqual({ 201: 1, 409: 3 });
      const site = `site-${round}`;
      const invitation = { site, objectives: ["obiective/cladiri/1"] };
      const { code } = (await send(0, "POST", "/enrolments", invitation)).body as { code: string };
      const claims = await Promise.all(
        [0, 1, 2, 3].map(async (client) => {
          const password = `${PASSWORD}-${client}`;
          return { password, ...(await send(client, "POST", "/enrolments/claim", { code, site, password })) };
        }),
      );
      expect(counted(claims)).toEqual({ 201: 1, 403: 3 });
      const email = `${site}@sites.santinela.local`;
      for (const { password } of claims.filter(({ status }) => status === 201))
        expect((await send(round, "POST", "/auth/token", { email, password })).status).toBe(200);
    }
  });
});
