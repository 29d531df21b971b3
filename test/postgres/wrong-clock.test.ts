import { afterAll, beforeAll, expect, test } from "vitest";
import { DELAY_MS_MAX } from "../../src/domain/sign-in-throttle.ts";
import { PostgresSignIns } from "../../src/postgres/postgres-sign-ins.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

/* Two machines of a centre whose clocks differ by a day. */

const DAY_MS = 86_400_000;

describeWithPostgres("a machine of a centre whose clock is a day ahead", () => {
  let server: PostgresServer;
  let centre: PostgresCentre;
  beforeAll(async () => {
    server = await PostgresServer.start();
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(async () => {
    await centre.close();
    await server.stop();
  });

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
