import { beforeEach, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* What a dispatch centre has answered earlier does not decide about what it answers now. */

const START = "2026-11-20T19:46:44";

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

test("an end that a user has cleared and entered again before the next read is not a dispatcher's change", async () => {
  const { id } = site.create({ dateStart: START, dateEnd: "2026-11-20T21:00:00" });
  await site.push.cycle();
  site.app.interventions.update(id, { dateEnd: null }, OPERATOR_USER);
  await site.push.cycle();
  expect(centre.rows.get(1)).toMatchObject({ dateEnd: null });
  site.app.interventions.update(id, { dateEnd: "2026-11-20T22:00:00" }, OPERATOR_USER);
  await site.minutes(10);
  expect(site.app.interventions.get(id).record.dateEnd).toBe("2026-11-20T22:00:00");
  expect(centre.rows.get(1)).toMatchObject({ dateEnd: "2026-11-20T22:00:00" });
});

test("the answer to an update is not taken for one to the request that creates the record again", async () => {
  const { id } = site.create({ dateStart: START, priority: "high" });
  await site.push.cycle();
  site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
  await site.push.cycle();
  centre.rows.set(1, { id: 1, name: "Another", objectiveType: "shop", objectiveId: 77, notes: "typed" });
  await site.minutes(5);
  expect(site.entry(id).phase).toBe("unsure");
  site.app.clock.advance(20_000);
  await site.push.cycle();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
});

test("a missing record that is the newest one again proves no restore", async () => {
  const { id } = site.create({ dateStart: START });
  await site.push.cycle();
  const [row] = [...centre.rows.values()] as [CentreRow];
  centre.rows.clear();
  await site.minutes(20);
  expect(site.entry(id)).toMatchObject({ phase: "gone", lastCode: "NEWEST-MISSING" });
  centre.rows.set(row.id, row);
  site.create({ name: "Other" });
  await site.minutes(2);
  const conflicts = site.app.events.newest(50).filter(({ event }) => event === "sync-conflict");
  expect(conflicts.map(({ detail }) => detail["conflict"])).not.toContain("restored");
  expect(site.entry(id).phase).toBe("gone");
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: row.id });
});
