import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatcher of another vendor's centre gives a record values that are not valid here. */

const FIRST = {
  name: "Alarm",
  priority: "high",
  notes: "03:27 Door",
  dateStart: "2026-11-20T03:27:00",
} as const;
const BOTH = `${FIRST.notes}\n03:41 Window`;

let centre: InMemoryCentre;
let site: SyncingSite;
let id: number;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
  ({ id } = site.create(FIRST));
  await site.push.cycle();
});

async function looks(times = 3): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    site.app.clock.advance(400_000);
    await site.push.cycleWithChecks();
  }
}

function join(notes = BOTH): void {
  site.app.interventions.change(id, { body: { notes }, hasTripJoined: true }, DEVICE_USER);
}

function markerLine(): string {
  return String(centre.rows.get(1)?.["notes"]).split("\n").at(-1) ?? "";
}

function notesThere(key = 1): string {
  return String(centre.rows.get(key)?.["notes"]).replace(/\n?\[ref:[^\]]*\]/, "");
}

function conflicts(): unknown[] {
  return site.app.events
    .newest(100)
    .filter(({ event }) => event === "sync-conflict")
    .map(({ detail }) => detail["conflict"]);
}

const TEXTS: readonly [what: string, text: string][] = [
  ["4,500 characters", "t".repeat(4_500)],
  ["a line break of Word", "called the owner\u000Bno answer"],
  ["U+0085", "called the owner\u0085no answer"],
  ["a dash that was read in another encoding", "Str. Lungă 5 \u0096 et. 2"],
];

describe.each(TEXTS)("notes with %s", (_what, text) => {
  const theirs = `${FIRST.notes}\n${text}`;

  test("stay at the centre when a trip joins, which adds its line", async () => {
    centre.edit(1, { notes: `${theirs}\n${markerLine()}` });
    await looks();
    expect(notesThere()).toBe(theirs);
    join();
    await looks();
    expect(notesThere()).toBe(`${theirs}\n03:41 Window`);
    expect(site.app.interventions.get(id).record.notes).toBe(BOTH);
    expect(site.entry(id)).toMatchObject({ phase: "linked", wantRev: 2, syncedRev: 2, joinedRev: 0 });
    join(`${FIRST.notes}\n03:41 Window ×2 → 03:44\n03:50 Cellar`);
    await looks();
    expect(notesThere()).toBe(`${theirs}\n03:41 Window ×2 → 03:44\n03:50 Cellar`);
    expect(centre.rows.size).toBe(1);
  });

  test("stay there if the line was added while the centre was not read", async () => {
    centre.edit(1, { notes: `${theirs}\n${markerLine()}` });
    join();
    await looks();
    expect(notesThere()).toBe(`${theirs}\n03:41 Window`);
  });

  test("stay there although their editor has removed the reference, which is added again", async () => {
    const marker = markerLine();
    centre.edit(1, { notes: theirs });
    join();
    await looks();
    expect(centre.rows.get(1)?.["notes"]).toBe(`${theirs}\n03:41 Window\n${marker}`);
  });

  test("are one conflict, whatever the number of reads, and their valid successor is taken over", async () => {
    centre.edit(1, { notes: `${theirs}\n${markerLine()}` });
    await looks(6);
    expect(conflicts()).toEqual(["not-valid-here"]);
    centre.edit(1, { notes: `${FIRST.notes}\nthe owner comes\n${markerLine()}` });
    await looks();
    expect(site.app.interventions.get(id).record.notes).toBe(`${FIRST.notes}\nthe owner comes`);
    expect(conflicts()).toHaveLength(1);
  });

  test("stay there when the update with the line is answered late", async () => {
    centre.edit(1, { notes: `${theirs}\n${markerLine()}` });
    await looks();
    let isLost = false;
    centre.afterwards = ({ method }) => {
      if (method !== "PUT" || isLost) return undefined;
      isLost = true;
      return { status: 504 };
    };
    join();
    await looks();
    expect(isLost).toBe(true);
    expect(notesThere()).toBe(`${theirs}\n03:41 Window`);
  });
});

test("an operator who sends the local record again replaces them", async () => {
  centre.edit(1, { notes: `${"t".repeat(4_500)}\n${markerLine()}`, status: "cancelled" });
  await looks();
  await site.push.operator.reassert(id);
  await looks();
  expect(notesThere()).toBe(FIRST.notes);
  expect(centre.rows.get(1)).toMatchObject({ status: "planned" });
  expect(site.entry(id)).toMatchObject({ unpulled: [], phase: "linked" });
});

test("notes of which only a part is kept here are continued in another record", async () => {
  const theirs = `${FIRST.notes}\n${"t".repeat(40_000)}`;
  centre.edit(1, { notes: `${markerLine()}\n${theirs}` });
  await looks();
  join();
  await looks();
  expect(notesThere()).toBe(`\n${theirs}`);
  expect(notesThere(2)).toBe("03:41 Window");
  expect(centre.rows.size).toBe(2);
});

test("other values stay at the centre, and what was typed on site meanwhile is in the event log", async () => {
  const theirs = { name: "n".repeat(250), status: "cancelled", crews: 0, priority: "urgent" };
  centre.edit(1, theirs);
  await looks();
  site.app.interventions.update(id, { name: "Alarm in the hall", status: "in_progress" }, OPERATOR_USER);
  join();
  await looks();
  expect(centre.rows.get(1)).toMatchObject(theirs);
  expect(notesThere()).toBe(BOTH);
  expect(site.app.interventions.get(id).record).toMatchObject({ name: "Alarm in the hall", crews: 1 });
  const details = site.app.events.newest(100).filter(({ event }) => event === "sync-conflict");
  expect(details.map(({ detail }) => detail["conflict"])).toEqual(["not-valid-here", "not-valid-here"]);
  expect(JSON.stringify(details)).toContain("Alarm in the hall");
});

test("an end before the start is taken over once it fits", async () => {
  centre.edit(1, { dateStart: "2026-11-20T23:30:00Z", dateEnd: "2026-11-20T22:00:00Z" });
  await looks();
  expect(site.app.interventions.get(id).record.dateEnd).toBeNull();
  centre.edit(1, { dateStart: "2026-11-20T21:00:00Z" });
  await looks();
  expect(site.app.interventions.get(id).record).toMatchObject({
    dateStart: "2026-11-20T21:00:00Z",
    dateEnd: "2026-11-20T22:00:00Z",
  });
});

test("a record that was moved to a building that is not listed here is moved here too", async () => {
  centre.edit(1, { objectiveId: 4711 });
  await looks();
  expect(site.app.interventions.get(id).record.objectiveId).toBe(4711);
  expect(conflicts()).toEqual([]);
});

test("a record that is read back on a new card keeps the texts of its dispatcher, and its name of any length", async () => {
  site.app.database.exec("DELETE FROM outbox; DELETE FROM interventions");
  const theirs = `${FIRST.notes}\n${"t".repeat(4_500)}`;
  centre.edit(1, { notes: `${theirs}\n${markerLine()}`, name: "n".repeat(250) });
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
  const [record] = site.app.records();
  expect(record).toMatchObject({ name: "#1", notes: null, priority: "high" });
  expect(conflicts()).toEqual(["not-valid-here"]);
  id = record?.id ?? 0;
  join("03:41 Window");
  await looks();
  expect(notesThere()).toBe(`${theirs}\n03:41 Window`);
  expect(centre.rows.get(1)).toMatchObject({ name: "n".repeat(250) });
  expect(conflicts()).toHaveLength(1);
});
