import { afterAll, beforeAll, expect, test } from "vitest";
import type { Headline } from "../../src/domain/headline.ts";
import { SITE_DEFAULTS } from "../../src/generated/defaults.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresKnownSites } from "../../src/postgres/known-sites.ts";
import { PostgresUnfinished } from "../../src/postgres/unfinished-records.ts";
import { centreApi, type UnfinishedReader } from "../../src/site/centre-api.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* What Home of a dispatch centre on PostgreSQL has for a dispatcher. */

describeOnPostgres("Home of a dispatch centre on PostgreSQL", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(() => centre.close());

  const knownSites = () => new PostgresKnownSites(centre.connections, centre.clock);
  const status = (
    unfinished: UnfinishedReader = new PostgresUnfinished(centre.connections),
    sites: Pick<PostgresKnownSites, "read"> = knownSites(),
  ) =>
    centreApi({
      config: { site: { ...SITE_DEFAULTS, name: "Centre", ref: "centre" }, role: "centre" },
      clock: centre.clock,
      health: new ConditionRegistry(
        centre.clock,
        new JsonLog({ level: "error", clock: centre.clock, write: () => {} }),
      ),
      unfinished,
      sites,
      events: centre.events,
    }).status();

  test("has each unfinished intervention with its objective, alarms first, and none that is done or deleted", async () => {
    expect((await status()).journeys).toEqual([]);
    const create = async (change: object): Promise<number> =>
      (await centre.records.create({ ...PATROL, ...change }, OPERATOR_USER)).record.id;
    await centre.objectives.import(
      {
        "obiective/cladiri": [
          { id: 7, name: "Bakery", address: "Str. Morii 3", city: "Cluj", status: "active" },
        ],
      },
      "import",
    );
    const patrol = await create({ name: "Patrol", status: "in_progress" });
    const fire = await create({
      name: "Smoke",
      type: "other",
      priority: "high",
      firetruck: true,
      police: true,
      objectiveId: 7,
    });
    const newer = await create({
      name: "Door",
      type: "other",
      priority: "high",
      police: true,
      dateStart: "2026-01-05T03:27:06Z",
    });
    await create({ name: "Done", status: "done" });
    const gone = await create({ name: "Gone", type: "other" });
    await centre.records.remove(gone, undefined, OPERATOR_USER);

    expect((await status()).journeys).toMatchObject([
      {
        interventionId: fire,
        name: "Smoke",
        isAlarm: true,
        objective: {
          type: "obiective/cladiri",
          id: 7,
          name: "Bakery",
          address: "Str. Morii 3",
          city: "Cluj",
        },
        zone: null,
        contactAt: null,
        priority: "high",
        services: ["police", "firetruck"],
        recordedAt: new Date(centre.clock.wallMs()).toISOString(),
        centre: null,
      },
      // It waited at its site.
      { interventionId: newer, name: "Door", isAlarm: true, contactAt: "2026-01-05T03:27:06.000Z" },
      { interventionId: patrol, isAlarm: false, objective: { id: 1 }, status: "in_progress", services: [] },
    ]);
  });

  test.each(["counts", "worst"] as const)(
    "keeps its headline when the server is lost after the reading of %s",
    async (last) => {
      const whole = await status();
      const real = new PostgresUnfinished(centre.connections);
      let isLost = false;
      // They are read at the same time as the counts.
      const sites = knownSites();
      await sites.read();
      /** The server is killed when the response of the last reading is here, and before the next one. */
      const readAndLose = async <Value>(name: string, reading: Promise<Value>): Promise<Value> => {
        const value = await reading;
        if (name === last && !isLost) {
          isLost = true;
          await server.kill();
        }
        return value;
      };
      const unfinished: UnfinishedReader = {
        counts: (startedMs) => readAndLose("counts", real.counts(startedMs)),
        worst: (...asked) => readAndLose("worst", real.worst(...asked)),
        newestAlarms: (startedMs) => real.newestAlarms(startedMs),
        details: (ids) => real.details(ids),
      };
      const { headline, journeys } = await status(unfinished, sites);
      await server.startAgain();
      expect(isLost).toBe(true);
      // The counts stay, also if no record can be shown with them.
      const reasonsOf = ({ reasons }: Headline) => reasons.map(({ code, count }) => [code, count]);
      expect(reasonsOf(headline)).toEqual(reasonsOf(whole.headline));
      expect(headline.level).toBe(whole.headline.level);
      expect(journeys).toEqual([]);
      expect((await status()).journeys).toHaveLength(3);
    },
  );

  test("has the alarm of a site at once, although the clock of the site is ahead", async () => {
    const dateStart = new Date(centre.clock.wallMs() + 5 * 3_600_000).toISOString();
    const alarm = { ...PATROL, name: "Ahead", type: "other" as const, police: true, dateStart };
    const { id } = (await centre.records.create(alarm, { ...OPERATOR_USER, accountId: 77 })).record;
    const journeyIds = async () => (await status()).journeys.map(({ interventionId }) => interventionId);
    expect(await journeyIds()).not.toContain(id);
    await centre.connections.query(
      "INSERT INTO accounts(id, email, password_hash, role, site, created_at) OVERRIDING SYSTEM VALUE VALUES(77, 'hala@test.example', 'x', 'operator', 'hala', 0)",
    );
    expect(await journeyIds()).toContain(id);
    await centre.records.remove(id, undefined, OPERATOR_USER);
  });

  test("has life safety first, then alarms of sites, then by priority, then the newest, and names the newest", async () => {
    const create = async (change: object, accountId = OPERATOR_USER.accountId): Promise<number> =>
      (
        await centre.records.create(
          { ...PATROL, type: "other" as const, ...change },
          { ...OPERATOR_USER, accountId },
        )
      ).record.id;
    await centre.connections.query(
      "INSERT INTO accounts(id, email, password_hash, role, site, created_at) OVERRIDING SYSTEM VALUE VALUES(78, 'sediu@test.example', 'x', 'operator', 'sediu', 0)",
    );
    const ofSite = await create({ priority: "medium" }, 78);
    const fire = await create({ type: "repair", priority: "low", firetruck: true });
    const high = await create({ priority: "high" });
    const low = await create({ priority: "low" });
    const newerHigh = await create({ priority: "high" });
    const made = [ofSite, fire, high, low, newerHigh];
    const { journeys, newestAlarms } = await status();
    const ids = journeys.map(({ interventionId }) => interventionId ?? 0);
    expect(ids.filter((id) => made.includes(id))).toEqual([fire, ofSite, newerHigh, high, low]);
    expect(newestAlarms?.slice(0, 5).map(({ id }) => id)).toEqual([newerHigh, low, high, fire, ofSite]);
    for (const id of made) await centre.records.remove(id, undefined, OPERATOR_USER);
  });

  test("has the condition alone while the server is away", async () => {
    await server.kill();
    expect(await status()).toMatchObject({ journeys: [], newestAlarms: null });
    await server.startAgain();
    expect((await status()).journeys).toHaveLength(3);
  });
});
