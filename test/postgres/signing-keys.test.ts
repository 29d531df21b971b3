import { afterAll, beforeAll, expect, test } from "vitest";
import { CentreKeys } from "../../src/centre-keys.ts";
import { newKeyText } from "../../src/ops/secrets.ts";
import { PostgresSigningKeys } from "../../src/postgres/signing-keys.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { PASSWORD, TESTER } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* What `santinela keys` does to the tokens of a centre. How a process follows the keys is in test/e2e/centre-on-postgres. */

const EMAIL = "ana@test.example";

describeOnPostgres("the signing keys of a centre on PostgreSQL", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
    await centre.accounts.add({ email: EMAIL, role: "viewer", password: PASSWORD }, TESTER);
  });
  afterAll(() => centre.close());

  /** The tokens of a process that has read the keys now. */
  const tokensNow = async (): Promise<TokenService> => {
    const { connections, clock, log, signIns, notes: events } = centre;
    const { current, others } = await new CentreKeys({
      store: new PostgresSigningKeys(connections),
      clock,
      log,
    }).read();
    const tokens = new TokenService({ signIns, events, clock, keys: { current } });
    tokens.useKeys(current, others);
    return tokens;
  };
  const signIn = async () => (await (await tokensNow()).signIn(EMAIL, PASSWORD, "192.0.2.1")).token;
  const verify = async (token: string) => (await (await tokensNow()).verify(token, "")).email;
  /** As `santinela keys rotate` does. */
  const rotate = () => new PostgresSigningKeys(centre.connections).rotate(newKeyText());
  /** Lets the half minute pass until the newest key signs. */
  const announced = () => centre.connections.query("UPDATE signing_keys SET created_at = created_at - 31000");

  test("keep all tokens valid if two administrators rotate them at the same time", async () => {
    const before = await signIn();
    await Promise.all([rotate(), rotate()]);
    expect(await verify(before)).toBe(EMAIL);
    expect(await verify(await signIn())).toBe(EMAIL);
    await announced();
    expect(await verify(before)).toBe(EMAIL);
  });

  test("keep the tokens of the previous key only, once the next one signs", async () => {
    const oldest = await signIn();
    await rotate();
    await announced();
    const previous = await signIn();
    await rotate();
    await expect(verify(oldest)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(await verify(previous)).toBe(EMAIL);
  });
});
