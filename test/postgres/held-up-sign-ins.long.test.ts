import { createSecretKey, randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { TokenService } from "../../src/service/tokens.ts";
import { PASSWORD, TESTER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { setStandby } from "../support/missing-standby.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const ANA = "ana@test.example";
const ADDRESS = "192.0.2.1";

/* A commit waits for its synchronous standby, here one that never comes. */
describeOnPostgres("while all commits wait for a standby", (server) => {
  let centre: PostgresCentre;
  let tokens: TokenService;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
    await centre.accounts.add({ email: ANA, role: "operator", password: PASSWORD }, TESTER);
  });
  beforeEach(() => {
    const { signIns, notes: events, clock } = centre;
    const keys = { current: createSecretKey(randomBytes(32)) };
    tokens = new TokenService({ signIns, events, clock, keys });
  });
  afterEach(() => setStandby(server, ""));
  afterAll(() => centre.close());

  const signIn = async (password = PASSWORD): Promise<string> => {
    const { token } = await tokens.signIn(ANA, password, ADDRESS);
    return (await tokens.verify(token, ADDRESS)).email;
  };
  const inTrail = async (event: string): Promise<number> => {
    const sql = "SELECT 1 FROM audit WHERE event = $1 AND subject = $2";
    return (await centre.connections.query(sql, [event, `account ${ANA}`])).length;
  };

  test("a user signs in, also after a wrong password, and is in the audit trail later", async () => {
    await expect(signIn("wrong password")).rejects.toMatchObject({ code: "unauthenticated" });
    await setStandby(server, "missing");
    expect(await signIn()).toBe(ANA);
    expect(await inTrail("signed-in")).toBe(0);
    await setStandby(server, "");
    await eventually("the entry", async () => {
      centre.clock.advance(1_000);
      return (await inTrail("signed-in")) > 0;
    });
    const events = (await centre.settledEvents(20)).filter(({ event }) => event === "signed-in");
    expect(events).toMatchObject([{ who: ANA, from: ADDRESS }]);
    expect(await inTrail("signed-in")).toBe(1);
  });

  test("wrong passwords are refused and counted", async () => {
    await setStandby(server, "missing");
    for (let count = 0; count < 5; count += 1)
      await expect(signIn("wrong password")).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(signIn("another one")).rejects.toMatchObject({ code: "too-many-requests", retryAfterS: 30 });
    await setStandby(server, "");
    await expect(signIn("another one")).rejects.toMatchObject({ code: "too-many-requests" });
    centre.clock.advance(30_000);
    expect(await signIn()).toBe(ANA);
  });
});
