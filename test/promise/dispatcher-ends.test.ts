import { expect, test } from "vitest";
import { plainWeekOf, type Happening, type PlayedZone, type Week } from "./building.ts";
import { RULES } from "./oracle.ts";
import { play } from "./play.ts";
import type { Story } from "./story.ts";

const SECOND = 1_000;
const zone = (id: string, name: string): PlayedZone => ({
  id,
  name,
  kind: "intrusion",
  objective: 1,
  source: "mqtt",
  isPulse: false,
  gate: "always",
  isSwinger: false,
  topic: `zigbee2mqtt/${id}`,
  field: "contact",
  line: 5,
  style: "contact",
  entryDelayS: 0,
  confirmWith: undefined,
});
const door = zone("door", "Ușa principală");
const window = zone("window", "Geam vitrină");

/** Events in a building with a door and a window, in seconds after the start. */
async function runScenario(happenings: readonly (readonly [atS: number, Happening])[]): Promise<Story> {
  const week: Week = {
    building: { ...plainWeekOf(1).building, zones: [door, window], startsIn1970: false, exitDelaysS: {} },
    happenings: happenings.map(([atS, happening]) => ({ atMs: atS * SECOND, happening })),
    isPutOff: false,
  };
  return play(week);
}

function atTheCentre(story: Story): { status: string; notes: string | null }[] {
  return (story.observations.at(-1)?.centre ?? []).map(({ status, notes }) => ({
    status,
    notes: (notes ?? "").split("\n").find((line) => line.includes("Geam")) ?? null,
  }));
}

function violationsOf(story: Story): string[] {
  return Object.values(RULES).flatMap((violations) => violations(story));
}

const window2 = expect.stringContaining("Geam vitrină") as string;

test("a trip that joins a record just deleted by the dispatcher reaches the dispatch centre", async () => {
  const story = await runScenario([
    [600, { what: "open", zone: "door" }],
    [620, { what: "delete", side: "centre", nth: 0 }],
    [640, { what: "open", zone: "window" }],
    [1200, { what: "noise" }],
  ]);
  expect(atTheCentre(story)).toEqual([{ status: "planned", notes: window2 }]);
  expect(violationsOf(story)).toEqual([]);
});

test("a trip that joins a record after the site knows of its deletion reaches the dispatch centre", async () => {
  const story = await runScenario([
    [600, { what: "open", zone: "door" }],
    [620, { what: "delete", side: "centre", nth: 0 }],
    [1500, { what: "open", zone: "window" }],
    [2400, { what: "noise" }],
  ]);
  expect(atTheCentre(story)).toEqual([{ status: "planned", notes: window2 }]);
  expect(violationsOf(story)).toEqual([]);
});

test("a record deleted by the dispatcher stays deleted when its contact closes", async () => {
  const story = await runScenario([
    [600, { what: "open", zone: "door" }],
    [620, { what: "delete", side: "centre", nth: 0 }],
    [640, { what: "close", zone: "door" }],
    [1200, { what: "noise" }],
  ]);
  expect(story.observations.some(({ centre }) => centre.length === 1)).toBe(true);
  expect(atTheCentre(story)).toEqual([]);
});

test("a trip that joins a record just set to done by the dispatcher reopens it", async () => {
  const story = await runScenario([
    [600, { what: "open", zone: "door" }],
    [620, { what: "done", side: "centre", nth: 0 }],
    [625, { what: "open", zone: "window" }],
    [1200, { what: "noise" }],
  ]);
  expect(atTheCentre(story)).toEqual([{ status: "planned", notes: window2 }]);
  expect(story.observations.at(-1)?.records.map(({ status }) => status)).toEqual(["planned"]);
  expect(story.journal.map(({ event }) => event)).toContain("sync-conflict");
  expect(violationsOf(story)).toEqual([]);
});

test("a trip that joins a record whose notes the dispatcher has just filled is in one that continues it", async () => {
  const story = await runScenario([
    [600, { what: "open", zone: "door" }],
    [620, { what: "edit", side: "centre", nth: 0, how: "fill" }],
    [623, { what: "open", zone: "window" }],
    [1200, { what: "noise" }],
  ]);
  expect(atTheCentre(story)).toEqual([
    { status: "planned", notes: null },
    { status: "planned", notes: window2 },
  ]);
  expect(violationsOf(story)).toEqual([]);
});
