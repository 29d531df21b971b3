import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { DEVICE_USER, TestApp } from "../support/app.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre whose column of notes is short, and whose answers to writes do not show what is left of a longer text. */

const LENGTH_MAX = 40;
const FIRST = {
  name: "Alarm",
  priority: "high",
  police: true,
  notes: "03:27 Door, east",
  dateStart: "2026-11-20T03:27:00",
} as const;
const SECOND = `${FIRST.notes}\n03:41 Window of the hall`;
const THIRD = `${SECOND}\n03:50 Cellar`;
const CUT = THIRD.slice(0, LENGTH_MAX);

let centre: InMemoryCentre;
let site: SyncingSite;
let lengthMax: number;

beforeEach(async () => {
  lengthMax = LENGTH_MAX;
  centre = new InMemoryCentre();
  const keeps = (row: CentreRow): CentreRow =>
    typeof row["notes"] === "string" ? { ...row, notes: row["notes"].slice(0, lengthMax) } : row;
  centre.keeps = keeps;
  centre.afterwards = ({ method, path }) => {
    const id = Number(path.split("/").at(-1));
    const row = centre.rows.get(id);
    if (method === "PUT" && row) centre.rows.set(id, keeps(row));
    return undefined;
  };
});

async function connect(marker: "notes" | "description" = "description"): Promise<void> {
  site = new SyncingSite(await TestApp.make(), await centre.start(), undefined, { marker });
  onTestFinished(async () => {
    await site.close();
    await centre.stop();
  });
}

async function looks(times = 4): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    site.app.clock.advance(400_000);
    await site.push.cycleWithChecks();
  }
}

function join(id: number, notes: string): void {
  site.app.interventions.change(id, { body: { notes }, hasTripJoined: true }, DEVICE_USER);
}

function notesThere(): unknown[] {
  return [...centre.rows.values()].map(({ notes }) => notes);
}

/** Answers writes of one method, after they were applied. */
function answerTo(method: string, answer: (request: ReceivedRequest, id: number) => ScriptedResponse): void {
  const { afterwards } = centre;
  centre.afterwards = (request) => {
    afterwards(request);
    if (request.method !== method) return undefined;
    return answer(request, method === "POST" ? centre.rows.size : Number(request.path.split("/").at(-1)));
  };
}

const ANSWERS: readonly [what: string, answer: (request: ReceivedRequest, id: number) => ScriptedResponse][] =
  [
    ["with the id alone", ({ method }, id) => json(method === "POST" ? 201 : 200, { id })],
    [
      "with the request",
      ({ method, body }, id) => json(method === "POST" ? 201 : 200, { id, ...(JSON.parse(body) as object) }),
    ],
    ["with 204", () => ({ status: 204 })],
    ["with 504", () => ({ status: 504 })],
  ];

describe.each(ANSWERS)("a POST that is answered %s", (_what, answer) => {
  test.each(["notes", "description"] as const)(
    "does not cut the text of the site too, with the reference in the %s",
    async (marker) => {
      await connect(marker);
      answerTo("POST", answer);
      const { id } = site.create({ ...FIRST, notes: THIRD });
      await looks();
      expect(notesThere()).toEqual([CUT]);
      expect(site.app.interventions.get(id).record.notes).toBe(THIRD);
      expect(site.conditions()).toContain("upstream-notes-cut");
    },
  );

  test("gives the lines of trips that had joined before it a record of their own", async () => {
    await connect();
    answerTo("POST", answer);
    const { id } = site.create(FIRST);
    join(id, SECOND);
    join(id, THIRD);
    await looks(8);
    expect(notesThere()).toEqual([CUT, "03:41 Window of the hall\n03:50 Cellar"]);
    expect(site.app.interventions.get(id).record.notes).toBe(THIRD);
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, rejected: 0, gone: 0 });
  });
});

test.each(ANSWERS)(
  "a centre that keeps no line gets one record for all further trips, answered %s",
  async (_what, answer) => {
    lengthMax = 9;
    await connect();
    answerTo("POST", answer);
    const { id } = site.create(FIRST);
    join(id, SECOND);
    join(id, [THIRD, "03:51 Attic", "03:52 Garage", "03:53 Office"].join("\n"));
    await looks(12);
    expect(notesThere()).toEqual(["03:27 Doo", "03:41 Win"]);
    expect(site.conditions()).toEqual(["upstream-notes-cut"]);
  },
);

test("lines of trips that had joined before a POST that shows the cut are in a record of their own", async () => {
  await connect();
  const { id } = site.create(FIRST);
  join(id, SECOND);
  join(id, THIRD);
  await looks();
  expect(notesThere()).toEqual([CUT, "03:41 Window of the hall\n03:50 Cellar"]);
  expect(centre.rows.get(2)).toMatchObject({ status: "planned", police: true, priority: "high" });
  expect(site.conditions()).toEqual(["upstream-notes-cut"]);
});

describe.each(ANSWERS)("an update that is answered %s", (_what, answer) => {
  test("does not lose the line of a trip", async () => {
    await connect();
    const { id } = site.create(FIRST);
    await looks(1);
    answerTo("PUT", answer);
    join(id, SECOND);
    await looks(8);
    expect(notesThere()).toEqual([CUT, "03:41 Window of the hall"]);
    expect(site.conditions()).toEqual(["upstream-notes-cut"]);
    join(id, THIRD);
    await looks(8);
    expect(notesThere()).toEqual([CUT, "03:41 Window of the hall", "03:50 Cellar"]);
    expect(site.app.interventions.get(id).record.notes).toBe(THIRD);
    const count = centre.writes.length;
    await looks(8);
    expect(centre.writes).toHaveLength(count);
  });

  test.each([
    ["a trip that joins", true],
    ["a restore", false],
  ])("does not lose a line that %s pushes out", async (_cause, hasTripJoined) => {
    const full = `${FIRST.notes}\n03:41 Hall`;
    lengthMax = full.length + 2;
    await connect();
    const { id } = site.create(FIRST);
    await looks(1);
    join(id, full);
    await looks();
    answerTo("PUT", answer);
    const notes = `03:26 Gate, restored 03:45\n${full}`;
    site.app.interventions.change(id, { body: { notes }, hasTripJoined }, DEVICE_USER);
    await looks(8);
    expect(notesThere()).toEqual([notes.slice(0, lengthMax), full.slice(0, lengthMax)]);
    expect(centre.rows.get(2)).toMatchObject({ police: hasTripJoined, priority: "high" });
    const count = centre.writes.length;
    await looks(8);
    expect(centre.writes).toHaveLength(count);
  });
});

test("whole lines that a dispatcher removes before the first read are the dispatcher's change", async () => {
  await connect();
  answerTo("POST", ({ body }, id) => json(201, { id, ...(JSON.parse(body) as object) }));
  const { id } = site.create({ ...FIRST, notes: "03:27 Door\n03:30 Hall" });
  await site.push.cycle();
  centre.edit(1, { notes: "03:27 Door" });
  await looks();
  expect(site.app.interventions.get(id).record.notes).toBe("03:27 Door");
  expect(centre.rows.size).toBe(1);
  expect(site.conditions()).toEqual([]);
});
