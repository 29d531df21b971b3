import { beforeEach, expect, test } from "vitest";
import { DEVICE_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre that refuses records whose notes are longer than its column, instead of cutting them. */

const LENGTH_MAX = 100;
const FIRST = {
  name: "Alarm",
  priority: "high",
  police: true,
  notes: "03:27 Door, east",
  dateStart: "2026-11-20T03:27:00",
} as const;
const LINES = [1, 2, 3].map((zone) => `03:4${zone} Window ${zone} of the hall`);

let centre: InMemoryCentre;
let site: SyncingSite;
let refusal: number;

beforeEach(async () => {
  refusal = 422;
  centre = new InMemoryCentre();
  centre.instead = ({ method, body }) => {
    if (method !== "POST" && method !== "PUT") return undefined;
    const { notes } = JSON.parse(body) as { notes?: string };
    const error = { error: "Unprocessable Entity", message: "notes is too long", statusCode: refusal };
    return (notes ?? "").length > LENGTH_MAX ? json(refusal, error) : undefined;
  };
  site = await SyncingSite.at(centre);
});

function join(id: number, notes: string): void {
  site.app.interventions.change(id, { body: { notes }, hasTripJoined: true }, DEVICE_USER);
}

function notesThere(): string[] {
  return [...centre.rows.values()].map(({ notes }) => String(notes).replace(/\n\[ref.*/, ""));
}

test.each([400, 413, 422])(
  "an alarm that an outage has made too long (%i) arrives with its first line, and the others in further records",
  async (code) => {
    refusal = code;
    const { id } = site.create(FIRST);
    let notes: string = FIRST.notes;
    for (const line of LINES) join(id, (notes += `\n${line}`));
    await site.minutes(12);
    expect(notesThere()[0]).toBe(FIRST.notes);
    expect(centre.rows.get(1)).toMatchObject({ priority: "high", police: true });
    await site.minutes(60);
    expect(notesThere().join("\n")).toBe(notes);
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, rejected: 0 });
    expect(site.conditions()).toEqual([]);
    const count = centre.writes.length;
    await site.minutes(60);
    expect(centre.writes).toHaveLength(count);
  },
);

test("further trips every three minutes do not put it off", async () => {
  const { id } = site.create(FIRST);
  let notes = [FIRST.notes, ...LINES].join("\n");
  for (const line of LINES.map((line) => line.replace("hall", "cellar"))) {
    join(id, (notes += `\n${line}`));
    await site.minutes(4);
  }
  expect(notesThere()[0]).toBe(FIRST.notes);
  await site.minutes(60);
  expect(notesThere().join("\n")).toBe(notes);
});

test("an alarm that it refuses for another reason stays one record, which is rejected", async () => {
  centre.instead = ({ method }) =>
    method === "POST" ? json(422, { error: "E", message: "no", statusCode: 422 }) : undefined;
  const { id } = site.create(FIRST);
  join(id, `${FIRST.notes}\n${LINES[0]}`);
  await site.minutes(30);
  expect(site.entry(id).phase).toBe("rejected");
  expect(site.app.records()).toHaveLength(1);
  expect(site.app.interventions.get(id).record.notes).toContain(LINES[0]);
  expect(centre.writes.length).toBeLessThan(7);
  expect(site.conditions()).toContain("upstream-rejects-alarm");
});
