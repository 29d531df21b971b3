import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatcher has filled the notes of a record, so that what the site has added since has no place in them. */

const FIRST = { name: "Alarm", priority: "high", police: true, notes: "03:27 Door" } as const;
let centre: InMemoryCentre;
let site: SyncingSite;
let id: number;
/** What the dispatcher has written. */
let written: string;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
  ({ id } = site.create({ ...FIRST, dateStart: "2026-11-20T03:27:00" }));
  await site.push.cycle();
  written = `03:27 Door\n${"t".repeat(3_880)}`;
});

/** The dispatcher writes, then the records are synchronised until nothing is left. */
async function edited(changes: object = {}): Promise<void> {
  const [marker] = String(centre.rows.get(1)?.["notes"]).split("\n").slice(-1);
  centre.edit(1, { notes: `${written}\n${marker}`, ...changes });
  for (let look = 0; look < 3; look += 1) {
    site.app.clock.advance(600_000);
    await site.push.cycleWithChecks();
  }
}

function notesThere(): unknown[] {
  return [...centre.rows.values()].map(({ notes }) => String(notes).replace(/\n?\[ref:.*\]$/, ""));
}

describe("the line of a trip that has joined", () => {
  beforeEach(() => {
    const body = { notes: `${FIRST.notes}\n03:41 Window` };
    site.app.interventions.change(id, { body, hasTripJoined: true }, DEVICE_USER);
  });

  test("is in a record that continues the first, here and at the dispatch centre", async () => {
    await edited();
    expect(notesThere()).toEqual([written, "03:41 Window"]);
    const continuation = {
      name: "Alarm",
      description: `Continues intervention ${id} "Alarm" of 2026-11-20 03:27.`,
      status: "planned",
      priority: "high",
      police: true,
      dateStart: "2026-11-20T03:27:00",
    };
    expect(centre.rows.get(2)).toMatchObject(continuation);
    expect(site.app.records()).toMatchObject([
      { id, notes: written },
      { ...continuation, notes: "03:41 Window" },
    ]);
  });

  test("is in an unfinished one if the first was set done without it", async () => {
    await edited({ status: "done" });
    expect(notesThere()).toEqual([written, "03:41 Window"]);
    expect([...centre.rows.values()].map(({ status }) => status)).toEqual(["done", "planned"]);
    expect(site.app.records().map(({ status }) => status)).toEqual(["done", "planned"]);
  });

  test("is in the first one if it fits", async () => {
    written = "03:27 Door\nCrew 4 sent";
    await edited();
    expect(notesThere()).toEqual([`${written}\n03:41 Window`]);
  });
});

test("a text of a person on site is kept in a record that asks for no services", async () => {
  site.app.interventions.update(id, { notes: `${FIRST.notes}\nthe key is at the gate` }, OPERATOR_USER);
  await edited({ status: "done" });
  expect(notesThere()).toEqual([written, "the key is at the gate"]);
  expect(centre.rows.get(2)).toMatchObject({ status: "done", police: false, crews: 1 });
});
