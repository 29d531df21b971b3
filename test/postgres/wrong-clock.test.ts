import { afterAll, beforeAll, expect, test } from "vitest";
import { CentreKeys } from "../../src/centre-keys.ts";
import { DELAY_MS_MAX } from "../../src/domain/sign-in-throttle.ts";
import { oneTimePassword } from "../../src/ops/secrets.ts";
import { PostgresEnrolments } from "../../src/postgres/postgres-enrolments.ts";
import { PostgresSignIns } from "../../src/postgres/postgres-sign-ins.ts";
import { PostgresSigningKeys } from "../../src/postgres/signing-keys.ts";
import type { Enrolments } from "../../src/service/enrolments.ts";
import { limitedEnrolments } from "../../src/service/limited-enrolments.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { PASSWORD, TESTER } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Two machines of a centre whose clocks differ. */

const DAY_MS = 86_400_000;

describeOnPostgres("a machine of a centre whose clock is ahead", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(() => centre.close());

  const throttleAt = (wallMs: number) =>
    new PostgresSignIns(centre.connections, new ManualClock(wallMs)).throttle;
  const attempt = {
    email: "a@b.c",
    address: "192.0.2.7",
    isKnownAddress: false,
    isRandomPassword: false,
  };

  test("blocks an account at the others no longer than its own would", async () => {
    const nowMs = Date.now();
    const [ahead, right] = [throttleAt(nowMs + DAY_MS), throttleAt(nowMs)];
    for (let failure = 0; failure < 20; failure += 1) await ahead.failed(attempt);
    for (const throttle of [ahead, right]) {
      const blocked: unknown = await throttle.assertOpen(attempt).catch((error: unknown) => error);
      expect(blocked).toMatchObject({ code: "too-many-requests" });
      expect((blocked as { retryAfterS: number }).retryAfterS).toBeLessThanOrEqual(DELAY_MS_MAX / 1000);
    }
  });

  test("removes no one-time codes of the others, and accepts them", async () => {
    const enrolmentsAt = (wallMs: number): Enrolments => {
      const { connections, notes: events } = centre;
      const clock = new ManualClock(wallMs);
      const own = { newCode: oneTimePassword, bcryptCost: 4 };
      const codes = new PostgresEnrolments({ connections, clock, ...own });
      return limitedEnrolments(codes, { codes, events, clock });
    };
    const [ahead, right] = [enrolmentsAt(Date.now() + 40 * DAY_MS), enrolmentsAt(Date.now())];
    const by = { who: "admin@santinela.local", from: "cli" };
    const objectives: [string] = ["obiective/cladiri/1"];
    const codes = new Map<string, string>();
    for (const [at, site] of [
      [right, "hala-nord"],
      [right, "hala-vest"],
      [ahead, "hala-sud"],
    ] as const)
      codes.set(site, (await at.invite({ site, objectives }, by)).code);
    const { sites } = await ahead.page({ start: 0, end: 10 });
    expect(sites.map(({ site }) => site)).toEqual([...codes.keys()].toSorted());
    for (const [at, site] of [
      [right, "hala-nord"],
      [ahead, "hala-vest"],
      [right, "hala-sud"],
    ] as const) {
      const claim = { code: codes.get(site) ?? "", site, password: "x7kq-2mvnp-r9dtb-h4wcs" };
      expect(await at.claim(claim, "192.0.2.7")).toMatchObject({ site });
      // The response may be lost.
      expect(await ahead.claim(claim, "192.0.2.7")).toMatchObject({ site });
    }
  });

  test("accepts the tokens of the others, as they accept its own, and none for longer", async () => {
    const { connections, notes: events, log } = centre;
    await centre.accounts.add({ email: "ana@test.example", role: "operator", password: PASSWORD }, TESTER);
    const processAt = async (wallMs: number) => {
      const clock = new ManualClock(wallMs);
      const keys = new CentreKeys({ store: new PostgresSigningKeys(connections), clock, log });
      const { current } = await keys.read();
      const signIns = new PostgresSignIns(connections, clock);
      const tokens = new TokenService({
        signIns,
        events,
        clock,
        keys: { current },
        nowMs: () => keys.nowMs(),
      });
      return { clock, tokens };
    };
    const processes = [await processAt(Date.now() + DAY_MS), await processAt(Date.now() - DAY_MS)];
    for (const one of processes) {
      const { token } = await one.tokens.signIn("ana@test.example", PASSWORD);
      for (const { tokens, clock } of processes) {
        expect(await tokens.verify(token, "")).toMatchObject({ email: "ana@test.example" });
        clock.stepWall(-5 * DAY_MS);
        expect(await tokens.verify(token, "")).toMatchObject({ email: "ana@test.example" });
      }
      const later = await processAt(Date.now());
      later.clock.advance(3_700_000);
      await expect(later.tokens.verify(token, "")).rejects.toMatchObject({ code: "unauthenticated" });
    }
  });

  test("leaves no account blocked by what it counted before it was upgraded", async () => {
    await centre.connections.query(
      "UPDATE wrong_passwords SET last_at = last_at + $1::bigint, blocked_until = blocked_until + $1::bigint",
      [DAY_MS],
    );
    const right = throttleAt(Date.now());
    await right.assertOpen(attempt);
    expect(await right.failed(attempt)).toBe(DELAY_MS_MAX / 1000);
    await expect(right.assertOpen(attempt)).rejects.toMatchObject({ code: "too-many-requests" });
  });
});
