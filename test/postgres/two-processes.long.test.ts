import { createSecretKey, randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { STEPS } from "../../src/postgres/schema.ts";
import { migrate } from "../../src/postgres/migrations.ts";
import { SITE_DEFAULTS } from "../../src/generated/defaults.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { PostgresKnownSites } from "../../src/postgres/known-sites.ts";
import { PostgresUnfinished } from "../../src/postgres/unfinished-records.ts";
import { centreApi } from "../../src/site/centre-api.ts";
import { etagOf } from "../../src/service/records.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { OPERATOR_USER, PASSWORD, PATROL, TEST_ACCOUNTS, TESTER } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/*
 * Two processes of a centre on one database, here as two sets of connections: nothing is shared but the server. What a
 * killed process or a new primary does is not shown here.
 */

const ADD_SLOW =
  "INSERT INTO events(at, event, who, origin, subject, detail) VALUES(1, 'forbidden', 'slow', 'x', 'slow', '{}')";
const KEYS = 200;
const CLIENTS = 8;

describeOnPostgres("two processes of a centre", (server) => {
  let url: string;
  let both: [PostgresCentre, PostgresCentre];
  beforeAll(async () => {
    url = await server.newDatabase();
    // Both bring the schema up at the same time.
    both = await Promise.all([PostgresCentre.open(url), PostgresCentre.open(url)]);
  });
  afterAll(async () => {
    for (const centre of both) await centre.close();
  });

  /** A connection in a transaction. */
  const writer = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("BEGIN");
    return client;
  };
  const at = (client: number): PostgresCentre => both[client % 2] as PostgresCentre;
  const clients = [...Array(CLIENTS).keys()];
  const query = async <Row>(sql: string): Promise<Row[]> => both[0].connections.query<Row>(sql);
  const create = async () => (await both[0].records.create(PATROL, OPERATOR_USER)).record;

  test("create one record for each key, whichever process gets it and however often", async () => {
    const before = (await query<{ n: number }>("SELECT count(*) AS n FROM interventions"))[0]?.n ?? 0;
    const answers = await Promise.all(
      [...Array(KEYS).keys()].flatMap((number) =>
        clients.map((client) =>
          at(client).records.create(PATROL, OPERATOR_USER, { key: `key ${number}`, fingerprint: "f" }),
        ),
      ),
    );
    expect(new Set(answers.map(({ record }) => record.id)).size).toBe(KEYS);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(KEYS);
    const [after] = await query<{ n: number }>("SELECT count(*) AS n FROM interventions");
    expect(after?.n).toBe(before + KEYS);
  });

  test("create one record for a key that another account has used, and replay it", async () => {
    const other = { ...OPERATOR_USER, accountId: OPERATOR_USER.accountId + 1 };
    const send = (client: number, number: number, principal: typeof other) =>
      at(client).records.create(PATROL, principal, { key: `shared ${number}`, fingerprint: "f" });
    for (let number = 0; number < 50; number += 1) {
      const { record } = await send(0, number, OPERATOR_USER);
      const answers = await Promise.all(clients.map((client) => send(client, number, other)));
      const ids = new Set(answers.map((answer) => answer.record.id));
      expect(ids.size).toBe(1);
      expect(ids).not.toContain(record.id);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    }
  });

  test("let one of eight changes of the same revision win", async () => {
    const { id } = await create();
    for (let rev = 1; rev <= KEYS; rev += 1) {
      const made = await Promise.allSettled(
        clients.map((client) =>
          at(client).records.change(
            id,
            { ifMatch: etagOf(rev), body: { notes: `${rev} by ${client}` } },
            OPERATOR_USER,
          ),
        ),
      );
      expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
    expect((await both[1].records.get(id)).rev).toBe(KEYS + 1);
  });

  test("lose none of 64 changes that name no revision", async () => {
    const { id } = await create();
    await Promise.all(
      [...Array(64).keys()].map((client) =>
        at(client).records.change(id, { body: { notes: `by ${client}` } }, OPERATOR_USER),
      ),
    );
    expect((await both[0].records.get(id)).rev).toBe(65);
  });

  test("count the same totals as there are records", async () => {
    const removed = await create();
    await both[1].records.remove(removed.id, undefined, OPERATOR_USER);
    const { id } = await create();
    await both[1].records.change(id, { body: { status: "done", priority: "high" } }, OPERATOR_USER);
    const counted = await query(
      "SELECT status, priority, type, sum(records)::int AS n FROM intervention_counts GROUP BY 1, 2, 3 HAVING sum(records) <> 0 ORDER BY 1, 2, 3",
    );
    const stored = await query(
      "SELECT status, priority, type, count(*)::int AS n FROM interventions WHERE deleted_at IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    );
    expect(counted).toEqual(stored);
  });

  test("refuse a revoked token at once", async () => {
    const keys = { current: createSecretKey(randomBytes(32)) };
    const tokens = both.map(
      ({ signIns, notes: events, clock }) => new TokenService({ signIns, events, clock, keys }),
    );
    const email = TEST_ACCOUNTS.operator;
    await both[0].accounts.add(
      { email: TEST_ACCOUNTS.administrator, role: "administrator", password: PASSWORD },
      TESTER,
    );
    await both[0].accounts.add({ email, role: "operator", password: PASSWORD }, TESTER);
    const { token } = (await tokens[0]?.signIn(email, PASSWORD, "127.0.0.1")) ?? { token: "" };
    for (const one of tokens) expect((await one.verify(token, "")).email).toBe(email);
    await both[1].accounts.setDisabled(email, true, TESTER);
    for (const one of tokens)
      await expect(one.verify(token, "")).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("count wrong passwords together", async () => {
    const attempt = {
      email: "guessed@test.example",
      address: "192.0.2.9",
      isKnownAddress: false,
      isRandomPassword: false,
    };
    for (let count = 0; count < 4; count += 1)
      expect(await at(count).signIns.throttle.failed(attempt)).toBe(0);
    expect(await both[0].signIns.throttle.failed(attempt)).toBe(30);
    expect(await both[1].signIns.throttle.failed(attempt)).toBe(60);
    for (const { signIns } of both)
      await expect(signIns.throttle.assertOpen(attempt)).rejects.toMatchObject({
        code: "too-many-requests",
        retryAfterS: 60,
      });
    await both[1].signIns.throttle.succeeded(attempt);
    await both[0].signIns.throttle.assertOpen({ ...attempt, address: undefined });
  });

  test("never remove the last two administrators at the same time", async () => {
    await both[0].accounts.add(
      { email: "second@test.example", role: "administrator", password: PASSWORD },
      TESTER,
    );
    const made = await Promise.allSettled([
      both[0].accounts.setDisabled("second@test.example", true, TESTER),
      both[1].accounts.setRole(TEST_ACCOUNTS.administrator, "viewer", TESTER),
    ]);
    expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("show no event before one that is still being written", async () => {
    const { events } = both[0];
    const shown = async () => (await events.newest(2)).map(({ who }) => who);
    const before = await shown();
    const slow = await writer();
    await slow.query(ADD_SLOW);
    await both[1].events.add({ event: "forbidden", who: "fast", from: "x", subject: "fast", detail: {} }, 2);
    expect(await shown()).toEqual(before);
    await slow.query("COMMIT");
    await slow.end();
    expect(await shown()).toEqual(["fast", "slow"]);
  });

  test("tell an open page of an event that is shown after its successor", async () => {
    const { timeline } = centreApi({
      config: { site: { ...SITE_DEFAULTS, name: "Centre", ref: "centre" }, role: "centre" },
      clock: both[0].clock,
      health: new ConditionRegistry(both[0].clock, both[0].log),
      unfinished: new PostgresUnfinished(both[0].connections),
      sites: new PostgresKnownSites(both[0].connections, both[0].clock),
      events: both[0].events,
    });
    const shown = async () => (await both[0].events.newest(2)).map(({ who }) => who);
    // The first transaction is older, and numbers its event after the other one.
    const first = await writer();
    await first.query("SELECT pg_current_xact_id()");
    const slow = await writer();
    await slow.query(ADD_SLOW);
    await first.query(ADD_SLOW.replaceAll("slow", "first"));
    await first.query("COMMIT");
    expect((await shown())[0]).toBe("first");
    const place = await timeline.place();
    expect(await timeline.place()).toEqual(place);
    await slow.query("COMMIT");
    expect(await shown()).toEqual(["first", "slow"]);
    expect(await timeline.place()).not.toEqual(place);
    await Promise.all([first.end(), slow.end()]);
  });

  test("refuse the schema of a newer release", async () => {
    const newer = await PostgresCentre.open(await server.newDatabase());
    await newer.connections.query("INSERT INTO schema_steps(step, at) VALUES($1, now())", [STEPS.length + 1]);
    await expect(migrate(newer.connections)).rejects.toMatchObject({
      code: "storage",
      message: expect.stringContaining("newer release") as string,
    });
    await newer.close();
  });

  test("refuse a text that PostgreSQL cannot store, and nothing beside it", async () => {
    const made = await Promise.allSettled([
      both[0].records.create({ ...PATROL, name: "Beside" }, OPERATOR_USER),
      both[0].records.create({ ...PATROL, notes: "a\0b" }, OPERATOR_USER),
    ]);
    expect(made[0].status).toBe("fulfilled");
    expect(made[1]).toMatchObject({ reason: { code: "invalid", message: /notes must not contain/ } });
  });

  test("answer 'unavailable' while the server is gone, and work again after it", async () => {
    const { id } = await create();
    await server.kill();
    const refused = { code: "unavailable", retryAfterS: 2 };
    await expect(both[0].records.get(id)).rejects.toMatchObject(refused);
    await expect(both[1].records.create(PATROL, OPERATOR_USER)).rejects.toMatchObject(refused);
    await server.startAgain();
    expect((await both[0].records.get(id)).record.id).toBe(id);
    expect((await both[1].records.create(PATROL, OPERATOR_USER)).replayed).toBe(false);
  });
});
