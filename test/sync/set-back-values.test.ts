import { beforeEach, describe, expect, test } from "vitest";
import type { Intervention, InterventionUpdate } from "../../src/domain/intervention.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatcher sets back what the site has just changed, or the dispatch centre reads from a replica that shows it late. */

let site: SyncingSite;

const edit = (id: number, change: InterventionUpdate): void =>
  void site.app.interventions.update(id, change, OPERATOR_USER);
const here = (id: number): Intervention => site.app.interventions.get(id).record;

/** A record at the centre that the site has set to in progress some seconds ago. */
async function begun(): Promise<number> {
  const { id } = site.create({ crews: 1 });
  await site.push.cycle();
  edit(id, { status: "in_progress", crews: 2 });
  await site.push.cycle();
  site.app.clock.advance(20_000);
  return id;
}

/** The next regular check of the record. */
async function check(): Promise<void> {
  site.app.clock.advance(301_000);
  await site.push.cycleWithChecks();
}

describe("at a Santinela centre", () => {
  let centre: TestApp;
  beforeEach(async () => {
    centre = await TestApp.make();
    site = await SyncingSite.at(centre);
  });

  test("a status that a dispatcher sets back within a minute stays, whatever the site sends meanwhile, and is taken over", async () => {
    const id = await begun();
    centre.interventions.update(1, { status: "planned" }, OPERATOR_USER);
    for (const description of ["two dogs", "three dogs"]) {
      site.app.clock.advance(15_000);
      edit(id, { description });
      await site.push.cycle();
      expect(centre.records()).toMatchObject([{ status: "planned", description }]);
    }
    await check();
    expect(here(id)).toMatchObject({ status: "planned", crews: 2, description: "three dogs" });
    expect(centre.records()).toMatchObject([{ status: "planned", crews: 2, description: "three dogs" }]);
  });

  test("a further change of the site counts more than the value that was set back meanwhile", async () => {
    const id = await begun();
    centre.interventions.update(1, { status: "planned" }, OPERATOR_USER);
    edit(id, { status: "done" });
    await site.push.cycle();
    expect(centre.records()).toMatchObject([{ status: "done" }]);
    await check();
    expect(here(id).status).toBe("done");
  });
});

describe("at the dispatch centre of another vendor", () => {
  let centre: InMemoryCentre;
  /** The rows that a lagging replica shows; undefined to show the newest. */
  let late: ReadonlyMap<number, CentreRow> | undefined;
  beforeEach(async () => {
    [centre, late] = [new InMemoryCentre(), undefined];
    centre.instead = ({ method, path }) => {
      const row = method === "GET" ? late?.get(Number(path.split("/").at(-1))) : undefined;
      return row && json(200, row);
    };
    site = await SyncingSite.at(centre);
  });

  test("a number of crews that a dispatcher sets back within a minute is taken over", async () => {
    const id = await begun();
    centre.edit(1, { crews: 1 });
    edit(id, { description: "two dogs" });
    await site.push.cycle();
    expect(centre.rows.get(1)).toMatchObject({ status: "in_progress", crews: 1, description: "two dogs" });
    await check();
    expect(here(id)).toMatchObject({ status: "in_progress", crews: 1, description: "two dogs" });
  });

  test("a replica that shows the former values for a minute changes nothing on either side", async () => {
    const { id } = site.create({ crews: 1 });
    await site.push.cycle();
    const before = new Map(centre.rows);
    edit(id, { status: "in_progress", crews: 2 });
    await site.push.cycle();
    late = before;
    edit(id, { description: "two dogs" });
    await site.push.cycle();
    expect(here(id)).toMatchObject({ status: "in_progress", crews: 2 });
    expect(centre.writes.map(({ method, body }) => [method, JSON.parse(body)])).toEqual([
      ["POST", expect.anything()],
      ["PUT", { status: "in_progress", crews: 2 }],
      ["PUT", { description: "two dogs" }],
    ]);
    late = undefined;
    await check();
    const agreed = { status: "in_progress", crews: 2, description: "two dogs" };
    expect(here(id)).toMatchObject(agreed);
    expect(centre.rows.get(1)).toMatchObject(agreed);
    expect(site.conditions()).toEqual([]);
  });
});
