import request from "supertest";
import { beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { COUNT, UnfinishedInterventions } from "../../src/store/unfinished-records.ts";
import { PATROL, OPERATOR_USER, TestApp } from "../support/app.ts";
import { enrolled } from "../support/enrolled-site.ts";

let app: TestApp;
let database: Database;
let unfinished: UnfinishedInterventions;
beforeEach(async () => {
  app = await TestApp.forTest();
  database = app.database;
  unfinished = new UnfinishedInterventions(database);
});

const NOW = Date.parse("2026-11-20T12:00:00Z");

describe("unfinished interventions", () => {
  test("are alarms by type or requested services, and work otherwise", () => {
    const one = (fields: object): number =>
      app.interventions.create({ ...PATROL, ...fields }, OPERATOR_USER).record.id;
    const other = one({ type: "other" });
    const police = one({ type: "repair", police: true });
    const repair = one({ type: "repair" });
    const done = one({ type: "other", status: "done" });
    const deleted = one({ type: "other" });
    app.interventions.delete(deleted, OPERATOR_USER);
    expect(unfinished.counts(NOW)).toEqual({
      alarms: 2,
      alarmsAhead: 0,
      work: 1,
      workAhead: 0,
    });
    expect(unfinished.worst("alarms", NOW, 20).map(({ id }) => id)).toEqual([police, other]);
    expect(unfinished.worst("work", NOW, 20).map(({ id }) => id)).toEqual([repair]);
    app.interventions.update(done, { status: "planned" }, OPERATOR_USER);
    expect(unfinished.counts(NOW).alarms).toBe(3);
  });

  test("are upcoming while planned for later, and not once a crew is on its way", () => {
    const dateStart = "2026-11-27T09:00:00Z";
    const { id } = app.interventions.create(
      { ...PATROL, type: "maintenance", dateStart },
      OPERATOR_USER,
    ).record;
    expect(unfinished.counts(NOW)).toMatchObject({ work: 0, workAhead: 1 });
    expect(unfinished.worst("workAhead", NOW, 20)).toMatchObject([{ id }]);
    app.interventions.update(id, { status: "in_progress" }, OPERATOR_USER);
    expect(unfinished.counts(NOW)).toMatchObject({ work: 1, workAhead: 0 });
  });

  test("are alarms at once if a site has sent them, although its clock is ahead", async () => {
    const token = await enrolled(app, "hala-nord", ["obiective/cladiri/1"]);
    const sent = async (fields: object): Promise<number> => {
      const { body } = await request(app.app)
        .post("/interventii")
        .set("Authorization", `Bearer ${token}`)
        .send({ ...PATROL, dateStart: "2026-11-20T17:00:00Z", ...fields })
        .expect(201);
      return (body as { id: number }).id;
    };
    const alarm = await sent({ type: "other", police: true });
    const visit = await sent({ type: "maintenance" });
    const ofUser = app.interventions.create(
      { ...PATROL, type: "other", dateStart: "2026-11-20T17:00:00Z" },
      OPERATOR_USER,
    ).record.id;
    expect(unfinished.counts(NOW)).toEqual({ alarms: 1, alarmsAhead: 1, work: 0, workAhead: 1 });
    const ids = (group: "alarms" | "alarmsAhead" | "workAhead") =>
      unfinished.worst(group, NOW, 20).map(({ id }) => id);
    expect([ids("alarms"), ids("alarmsAhead"), ids("workAhead")]).toEqual([[alarm], [ofUser], [visit]]);
  });

  test("come life safety first, then those of sites, then by priority, then the newest; the newest alarms by number", async () => {
    const token = await enrolled(app, "hala-nord", ["obiective/cladiri/1"]);
    const own = (fields: object): number =>
      app.interventions.create({ ...PATROL, type: "other", ...fields }, OPERATOR_USER).record.id;
    const { body } = await request(app.app)
      .post("/interventii")
      .set("Authorization", `Bearer ${token}`)
      .send({ ...PATROL, type: "other", priority: "medium" })
      .expect(201);
    const ofSite = (body as { id: number }).id;
    const fire = own({ type: "repair", priority: "low", firetruck: true });
    const high = own({ priority: "high" });
    const low = own({ priority: "low" });
    const newerHigh = own({ priority: "high" });
    const ids = unfinished.worst("alarms", NOW, 20).map(({ id }) => id);
    expect(ids).toEqual([fire, ofSite, newerHigh, high, low]);
    expect(unfinished.newestAlarms(NOW).map(({ id }) => id)).toEqual([newerHigh, low, high, fire, ofSite]);
  });

  test("are counted by an index only", () => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${COUNT}`).all({ isAlarm: 1, startedMs: NOW }) as {
      detail: string;
    }[];
    expect(plan.map(({ detail }) => detail).join()).toContain("COVERING INDEX interventions_unfinished");
  });
});
