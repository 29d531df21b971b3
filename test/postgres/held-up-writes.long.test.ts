import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";
import { setStandby } from "../support/missing-standby.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const WRITERS = 64;
const HELD_UP_MS = 30_000;
/** Of one process, for everything but lists, and those of writes that were given up. */
const SESSIONS_MAX = 10 + 6;
/** Far longer than a read takes, and far shorter than a write waits. */
const READ_MS_MAX = 2_500;

/* A commit waits for its synchronous standby, here one that never comes. */
describeOnPostgres("while all commits wait for a standby, a centre under load", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
  });
  afterAll(async () => {
    await setStandby(server, "");
    await centre.close();
  });

  const sessions = async (): Promise<number> =>
    (await server.query("postgres", `SELECT 1 FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`))
      .length;

  test("keeps few sessions in the server, answers reads, and writes again automatically", async () => {
    const created = await Promise.all(
      Array.from({ length: WRITERS }, () => centre.records.create(PATROL, OPERATOR_USER)),
    );
    const [first = 0, ...ids] = created.map(({ record }) => record.id);
    await setStandby(server, "missing");
    const load = { isOver: false };
    const failures: unknown[] = [];
    const acknowledged: string[] = [];
    /** Each writes something new again and again, as clients do that take no notice of Retry-After. */
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let number = 0; !load.isOver; number += 1) {
        const key = `${writer} ${number}`;
        // Each time another record, of which nothing else waits.
        const id = ids[(writer + number * 7) % ids.length] ?? 0;
        const works = [
          () => centre.records.create(PATROL, OPERATOR_USER, { key, fingerprint: "f" }),
          () => centre.records.change(id, { body: { notes: key } }, OPERATOR_USER),
          () => centre.records.remove(id, undefined, OPERATOR_USER),
          () => centre.fleet.report({ ...REPORT, ref: `site-${writer}` }, OPERATOR_USER),
        ];
        await works[writer % works.length]?.().then(
          () => acknowledged.push(key),
          (error: unknown) => failures.push(error),
        );
        await wait(50);
      }
    });
    const readMs: number[] = [];
    const counts: number[] = [];
    const end = performance.now() + HELD_UP_MS;
    while (performance.now() < end) {
      const startMs = performance.now();
      await centre.records.get(first);
      await centre.signIns.byId(OPERATOR_USER.accountId);
      await centre.accounts.initialAdministrator();
      readMs.push(performance.now() - startMs);
      counts.push(await sessions());
      await wait(250);
    }
    expect(acknowledged).toEqual([]);
    expect(failures.every((error) => error instanceof AppError && error.code === "unavailable")).toBe(true);
    expect(Math.max(...counts)).toBeLessThanOrEqual(SESSIONS_MAX);
    expect(Math.max(...readMs)).toBeLessThan(READ_MS_MAX);
    // Once the first writes are given up, the others are refused at once.
    expect(failures.length).toBeGreaterThan(WRITERS * 5);
    await setStandby(server, "");
    await eventually("writes are acknowledged again", () => acknowledged.length > 0);
    load.isOver = true;
    await Promise.all(writers);
  });

  test("reports it until the server confirms commits again", async () => {
    const states: (string | null)[] = [];
    const log = new JsonLog({ level: "error", clock: centre.clock, write: () => {} });
    const connections = new PostgresConnections({ url }, log, (reason) => void states.push(reason));
    const read = () => connections.query("SELECT id FROM sites");
    const write = () => connections.writes.query("SELECT pg_logical_emit_message(true, 'test', '')");
    await setStandby(server, "missing");
    await expect(write()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
    states.length = 0;
    for (let count = 0; count < 5; count += 1) await read();
    await expect(write()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
    expect(states).not.toContain(null);
    expect(states).toContainEqual(expect.stringContaining("standby"));
    await setStandby(server, "");
    // A read alone finds out.
    await eventually("the condition ends", async () => (await read()) && states.at(-1) === null);
    await write();
    await connections.close();
  });
});

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}
