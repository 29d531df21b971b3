import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER, TestApp } from "../support/app.ts";
import { InMemoryCentre, type CentreRow } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* A dispatch centre whose column of notes is short, and which answers 200 with what is left of longer ones. */

const LENGTH_MAX = 40;
const FIRST = { name: "Alarm", priority: "high", police: true, notes: "03:27 Door, east" } as const;
const SECOND = `${FIRST.notes}\n03:41 Window of the hall`;
const THIRD = `${SECOND}\n03:50 Cellar`;

let centre: InMemoryCentre;
let site: SyncingSite;
/** What the centre makes of notes. */
let stored: (notes: string) => string;

beforeEach(async () => {
  stored = (notes) => notes.slice(0, LENGTH_MAX);
  centre = new InMemoryCentre();
  const keeps = (row: CentreRow): CentreRow =>
    typeof row["notes"] === "string" ? { ...row, notes: stored(row["notes"]) } : row;
  centre.keeps = keeps;
  centre.instead = ({ method, path, body }) => {
    if (method !== "PUT") return undefined;
    const id = Number(path.split("/").at(-1));
    centre.edit(id, keeps(JSON.parse(body) as CentreRow));
    return json(200, centre.rows.get(id));
  };
  site = new SyncingSite(await TestApp.make(), await centre.start(), undefined, { marker: "description" });
  onTestFinished(async () => {
    await site.close();
    await centre.stop();
  });
});

async function looks(times = 3): Promise<void> {
  for (let look = 0; look < times; look += 1) {
    site.app.clock.advance(400_000);
    await site.push.cycleWithChecks();
  }
}

async function created(notes: string = FIRST.notes): Promise<number> {
  const { id } = site.create({ ...FIRST, notes });
  await looks();
  return id;
}

function join(id: number, notes: string): void {
  site.app.interventions.change(id, { body: { notes }, hasTripJoined: true }, DEVICE_USER);
}

function notesThere(): unknown[] {
  return [...centre.rows.values()].map(({ notes }) => notes);
}

test("a line of a trip that it has cut is in a record of its own, which asks for the same services", async () => {
  const id = await created();
  expect(site.conditions()).toEqual([]);
  join(id, SECOND);
  await looks();
  expect(notesThere()).toEqual([SECOND.slice(0, LENGTH_MAX), "03:41 Window of the hall"]);
  expect(centre.rows.get(2)).toMatchObject({ status: "planned", police: true, priority: "high" });
  expect(site.conditions()).toEqual(["upstream-notes-cut"]);
  join(id, THIRD);
  await looks(6);
  expect(notesThere().slice(1)).toEqual(["03:41 Window of the hall", "03:50 Cellar"]);
  expect(site.app.interventions.get(id).record.notes).toBe(THIRD);
});

test("its cut text does not replace that of the site when a dispatcher writes in it", async () => {
  const id = await created();
  join(id, THIRD);
  await looks();
  centre.edit(1, { notes: `03:27 Door, east: checked\n03:41 Window o` });
  await looks();
  const merged = THIRD.replace("03:27 Door, east", "03:27 Door, east: checked");
  expect(site.app.interventions.get(id).record.notes).toBe(merged);
});

test("a record of which it has cut the first text raises the condition, until a longer text is stored whole", async () => {
  const id = await created(THIRD);
  expect(site.health.list()).toMatchObject([
    {
      code: "upstream-notes-cut",
      values: { interventionId: id, sent: THIRD.length, kept: LENGTH_MAX },
    },
  ]);
  expect(centre.rows.size).toBe(1);
  stored = (notes) => notes;
  site.app.interventions.update(id, { notes: `${THIRD}\nthe owner comes` }, OPERATOR_USER);
  await looks();
  expect(site.conditions()).toEqual([]);
});

test("lines that it cuts off a continued text are continued as well, until only first lines are cut", async () => {
  const id = await created();
  const lines = [
    "03:41 Window of the hall",
    "03:42 Window of the office",
    "03:43 Cellar",
    "03:44 Attic, north",
  ];
  join(id, [FIRST.notes, ...lines].join("\n"));
  await looks(8);
  const there = notesThere().join("\n");
  for (const line of lines) expect(there).toContain(line);
  expect(centre.rows.size).toBeLessThanOrEqual(1 + lines.length);
  for (const row of [...centre.rows.values()].slice(1))
    expect(row).toMatchObject({ status: "planned", police: true, priority: "high" });
  await looks(8);
  expect(notesThere().join("\n")).toBe(there);
});

describe("a line that is not the last one", () => {
  const LINES = ["03:27 Door, east", "03:41 Hall"] as const;
  const FULL = LINES.join("\n");
  const EARLIER = "03:26 Gate";

  async function full(): Promise<number> {
    const id = await created(LINES[0]);
    join(id, FULL);
    await looks();
    stored = (notes) => notes.slice(0, FULL.length + 2);
    expect(notesThere()).toEqual([FULL]);
    return id;
  }

  test("pushes the line of an earlier trip into a record of its own, once, when a trip joins", async () => {
    const id = await full();
    join(id, `${EARLIER}\n${FULL}`);
    await looks(6);
    expect(notesThere()).toEqual([`${EARLIER}\n${FULL}`.slice(0, FULL.length + 2), "03:41 Hall"]);
    expect(centre.rows.get(2)).toMatchObject({ status: "planned", police: true, priority: "high" });
    join(id, `${EARLIER}, restored 03:45\n${FULL}`);
    await looks(6);
    expect(notesThere().slice(1)).toEqual(["03:41 Hall", LINES[0]]);
  });

  test("pushes it into a mere note when a zone is restored", async () => {
    const id = await full();
    const notes = `${EARLIER}, restored 03:45\n${LINES[0]}\n${LINES[1]}, restored 03:46`;
    site.app.interventions.change(id, { body: { notes } }, DEVICE_USER);
    await looks(6);
    expect(notesThere().slice(1)).toEqual([`${LINES[0]}\n${LINES[1]}, `]);
    expect(centre.rows.get(2)).toMatchObject({ police: false, crews: 1, priority: "high" });
  });

  test("pushes it into a mere note that is done too, if the dispatcher has finished the record", async () => {
    const id = await full();
    centre.edit(1, { status: "done", dateEnd: "2026-11-20T04:00:00" });
    await looks();
    const notes = `${EARLIER}, restored 03:45\n${FULL}`;
    site.app.interventions.change(id, { body: { notes } }, DEVICE_USER);
    await looks(6);
    expect(centre.rows.get(1)).toMatchObject({ status: "done" });
    expect(centre.rows.get(2)).toMatchObject({ notes: FULL, status: "done", police: false });
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, rejected: 0, gone: 0 });
  });

  test("creates no record if the last one is cut only where its zone is restored", async () => {
    const id = await full();
    site.app.interventions.change(id, { body: { notes: `${FULL}, restored 03:46` } }, DEVICE_USER);
    await looks(6);
    expect(centre.rows.size).toBe(1);
    expect(site.conditions()).toEqual(["upstream-notes-cut"]);
  });
});

test("a continued text that it cuts as well is not continued again", async () => {
  const id = await created();
  join(id, `${FIRST.notes}\n03:41 ${"Window of the hall, ".repeat(4)}`);
  await looks(6);
  expect(centre.rows.size).toBe(2);
  expect(site.conditions()).toEqual(["upstream-notes-cut"]);
});

test.each<[what: string, stores: (notes: string) => string]>([
  ["none", () => ""],
  ["five characters", (notes) => notes.slice(0, 5)],
])(
  "a centre that stores %s of the notes gets one record for all further trips of an update",
  async (_what, stores) => {
    const id = await created();
    stored = stores;
    const lines = Array.from({ length: 10 }, (_, at) => `03:${41 + at} Window ${at}`);
    join(id, [FIRST.notes, ...lines].join("\n"));
    await looks(20);
    expect(centre.rows.size).toBe(2);
    expect(centre.rows.get(2)).toMatchObject({ status: "planned", police: true });
    expect(site.conditions()).toEqual(["upstream-notes-cut"]);
  },
);

test.each<[what: string, written: (notes: string) => string]>([
  ["without accents and with escapes", (notes) => notes.replaceAll("ș", "s").replaceAll("&", "&amp;")],
  ["in capitals, trimmed and with CRLF", (notes) => notes.toUpperCase().trim().replaceAll("\n", "\r\n")],
  ["with question marks for what its encoding lacks", (notes) => notes.replaceAll("ș", "?")],
  ["in one line", (notes) => notes.replaceAll("\n", " ")],
])("a centre that writes notes %s has cut nothing", async (_what, written) => {
  stored = written;
  const id = await created("03:27 Ușa & hol");
  join(id, "03:27 Ușa & hol\n03:41 Geamul și peretele\n");
  await looks(4);
  expect(centre.rows.size).toBe(1);
  expect(site.conditions()).toEqual([]);
});
