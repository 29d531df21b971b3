import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A memory card flips a bit in a text of an outbox entry, which is not JSON then. */

let centre: InMemoryCentre;
let site: SyncingSite;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

function damage(...columns: readonly string[]): void {
  for (const column of columns)
    site.app.database.prepare(`UPDATE outbox SET ${column} = 'z' || substr(${column}, 2)`).run();
  site.restart();
}

/** Advances a quarter of an hour and runs every due check, and the comparison. */
async function look(): Promise<void> {
  site.app.clock.advance(1_000_000);
  await site.push.cycleWithChecks();
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
}

test("a linked record goes on, with the changes of both sides", async () => {
  const { id } = site.create({ notes: "by the gate" }, randomUUID());
  await site.push.cycle();
  damage("base", "agreed");
  centre.edit(1, { crews: 3 });
  await look();
  expect(site.app.interventions.get(id).record.crews).toBe(3);
  centre.edit(1, { status: "done" });
  await look();
  expect(site.app.interventions.get(id).record).toMatchObject({ status: "done", notes: "by the gate" });
  expect(centre.rows.size).toBe(1);
});

describe.each([
  ["has arrived", true],
  ["has not arrived", false],
])("an unconfirmed record whose request %s", (_what, hasArrived) => {
  test("is at the centre once, with its content", async () => {
    const fault = { status: 504, body: "<html>" };
    centre.instead = ({ method }) => (method === "POST" && !hasArrived ? fault : undefined);
    centre.afterwards = ({ method }) => (method === "POST" ? fault : undefined);
    const { id } = site.create({ notes: "by the gate" }, randomUUID());
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("unsure");
    damage("attempt_body");
    centre.instead = () => undefined;
    centre.afterwards = () => undefined;
    for (let hour = 0; hour < 4; hour += 1) await site.cycleAfterWait();
    await look();
    expect(site.entry(id).phase).toBe("linked");
    expect([...centre.rows.values()].map(({ name, notes }) => [name, String(notes).split("\n")[0]])).toEqual([
      [site.app.interventions.get(id).record.name, "by the gate"],
    ]);
  });
});
