import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre that refuses the update with a trip that has joined a record. */

const FIRST = {
  name: "Alarm",
  priority: "high",
  notes: "03:27 Door",
  dateStart: "2026-11-20T03:27:00",
} as const;
const BOTH = "03:27 Door\n03:41 Window";
const MINUTE_MS = 60_000;

let centre: InMemoryCentre;
let site: SyncingSite;
let id: number;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
  ({ id } = site.create(FIRST));
  await site.push.cycle();
});

function join(notes = BOTH, more: object = {}): void {
  site.app.interventions.change(id, { body: { notes, ...more }, hasTripJoined: true }, DEVICE_USER);
}

function refuseUpdates(code: number, when: (request: ReceivedRequest) => boolean = () => true): void {
  const body = { error: "Conflict", message: "the intervention is closed", statusCode: code };
  centre.instead = (request) => (request.method === "PUT" && when(request) ? json(code, body) : undefined);
}

async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    site.app.clock.advance(MINUTE_MS);
    await site.push.cycleWithChecks();
  }
}

function notesThere(): string[] {
  return [...centre.rows.values()].map(({ notes }) => String(notes).replace(/\n\[ref.*/, ""));
}

describe.each([400, 403, 409, 422, 423])("an answer %i for every finished record", (code) => {
  test("gives the trip a record of its own within minutes, and the first one stays done", async () => {
    centre.edit(1, { status: "done" });
    refuseUpdates(code);
    join(BOTH, { police: true });
    await minutes(3);
    expect(notesThere()).toEqual([FIRST.notes, "03:41 Window"]);
    expect(centre.rows.get(2)).toMatchObject({ status: "planned", priority: "high", police: true });
    expect(site.app.records()).toMatchObject([
      { id, status: "done", notes: FIRST.notes, police: false },
      { status: "planned", notes: "03:41 Window", police: true },
    ]);
    const puts = centre.writes.length;
    await minutes(30);
    expect(centre.rows.size).toBe(2);
    expect(centre.writes).toHaveLength(puts);
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, rejected: 0, gone: 0 });
    expect(site.conditions()).toEqual([]);
    const conflicts = site.app.events.newest(50).filter(({ event }) => event === "sync-conflict");
    expect(conflicts.map(({ detail }) => detail["conflict"])).toContain("change-rejected");
  });
});

test("an open record that cannot take the line gets another after ten minutes", async () => {
  refuseUpdates(422);
  join();
  await minutes(9);
  expect(centre.rows.size).toBe(1);
  await minutes(3);
  expect(notesThere()).toEqual([FIRST.notes, "03:41 Window"]);
  expect(site.app.interventions.get(id).record).toMatchObject({ status: "planned", notes: FIRST.notes });
  expect(site.outbox.summary()).toMatchObject({ waiting: 0, rejected: 0 });
});

test.each([400, 409])("further trips every four minutes do not put it off after answers %i", async (code) => {
  refuseUpdates(code);
  let notes = BOTH;
  for (let trip = 0; trip < 4; trip += 1) {
    join(notes);
    await minutes(4);
    notes += `\n03:${45 + trip * 4} Cellar ${trip}`;
  }
  expect(notesThere().join("\n")).toContain("03:41 Window");
});

test("a user's change in the same update still waits, and is sent when the centre takes it", async () => {
  centre.edit(1, { status: "done" });
  refuseUpdates(409);
  site.app.interventions.update(id, { description: "the key is at the gate" }, OPERATOR_USER);
  join();
  await minutes(3);
  expect(notesThere()).toEqual([FIRST.notes, "03:41 Window"]);
  expect(site.app.interventions.get(id).record.description).toBe("the key is at the gate");
  centre.instead = () => undefined;
  await minutes(15);
  expect(centre.rows.get(1)).toMatchObject({ status: "done", description: "the key is at the gate" });
  expect(notesThere()).toEqual([FIRST.notes, "03:41 Window"]);
});

test.each(["planned", "done"])("a single refusal of a record that is %s is repeated", async (status) => {
  centre.edit(1, { status });
  let isRefused = false;
  refuseUpdates(400, () => {
    const isFirst = !isRefused;
    isRefused = true;
    return isFirst;
  });
  join();
  await minutes(12);
  expect(notesThere()).toEqual([BOTH]);
});

test("a user's change that is refused stays rejected, as before", async () => {
  refuseUpdates(400);
  site.app.interventions.update(id, { notes: `${FIRST.notes}\nthe key is at the gate` }, OPERATOR_USER);
  await minutes(15);
  expect(centre.rows.size).toBe(1);
  expect(site.entry(id).phase).toBe("rejected");
});
