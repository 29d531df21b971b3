import { describe, expect, test } from "vitest";
import {
  formatZoneLine,
  hasZoneLine,
  NOTES_LENGTH_MAX,
  withLine,
  withZoneLines,
} from "../../src/domain/incident-notes.ts";
import type { IncidentZone, NoteTimestamp } from "../../src/domain/incident.ts";

/* The lines of zones in the notes of an intervention: docs/sensors.md. */

const SITE = { locale: "en", timezone: "Europe/Bucharest" } as const;

/** A local time of 20 November 2026, or of a later day. */
function at(time: string, { day = 20, isDated = true } = {}): NoteTimestamp {
  return { wallMs: Date.parse(`2026-11-${day}T${time}:00+02:00`), bootId: "b", monotonicMs: 0, isDated };
}

const DOOR: IncidentZone = {
  zoneId: "door",
  name: "Front door",
  remark: "",
  first: at("03:27"),
  last: at("03:27"),
  openings: 1,
  closed: null,
  line: null,
  device: "zone door",
  confirmWith: null,
};
const HALL: IncidentZone = { ...DOOR, zoneId: "hall", name: "Hall", first: at("03:30"), last: at("03:30") };

describe("the line of a zone", () => {
  test.each<[what: string, zone: Partial<IncidentZone>, line: string, short: string]>([
    ["that tripped once", {}, "03:27 Front door", "03:27 Front door"],
    [
      "that tripped often and was restored",
      { openings: 14, last: at("03:41"), closed: at("03:44") },
      "03:27 Front door ×14 → 03:41, restored 03:44",
      "03:27 Front door ×14",
    ],
    ["that tripped twice in one minute", { openings: 2 }, "03:27 Front door ×2", "03:27 Front door ×2"],
    ["with a remark", { remark: "after 02:00" }, "03:27 Front door (after 02:00)", "03:27 Front door"],
    [
      "that was restored on the next day",
      { closed: at("00:10", { day: 21 }) },
      "03:27 Front door, restored 2026-11-21 00:10",
      "03:27 Front door",
    ],
    [
      "whose times are not known yet",
      { first: at("03:27", { isDated: false }), openings: 2, last: at("03:41", { isDated: false }) },
      "??:?? Front door ×2",
      "??:?? Front door ×2",
    ],
    ["whose name has two lines", { name: "Front\ndoor" }, "03:27 Front door", "03:27 Front\ndoor"],
  ])("%s", (_what, changes, line, short) => {
    const zone = { ...DOOR, ...changes };
    expect(formatZoneLine(zone, [zone], SITE)).toBe(line);
    expect(formatZoneLine(zone, [zone], SITE, true)).toBe(short);
  });

  test("has its date if the incident began on another day, not if that is unknown", () => {
    const later = { ...HALL, first: at("00:10", { day: 21 }) };
    expect(formatZoneLine(later, [DOOR, later], SITE)).toBe("2026-11-21 00:10 Hall");
    expect(formatZoneLine(later, [{ ...DOOR, first: at("03:27", { isDated: false }) }, later], SITE)).toBe(
      "00:10 Hall",
    );
    expect(formatZoneLine(later, [], SITE)).toBe("00:10 Hall");
  });

  test("has its times in Romanian with the day before the month", () => {
    const site = { ...SITE, locale: "ro" } as const;
    const zone = { ...DOOR, openings: 2, last: at("03:41", { day: 21 }), closed: at("03:44", { day: 21 }) };
    expect(formatZoneLine(zone, [zone], site)).toBe(
      "03:27 Front door ×2 → 21.11 03:41, restabilită 21.11 03:44",
    );
  });

  test("has its id if another zone has the same name", () => {
    const other = { ...HALL, name: DOOR.name };
    expect(formatZoneLine(DOOR, [DOOR, other], SITE)).toBe("03:27 Front door (door)");
    expect(formatZoneLine(DOOR, [DOOR, HALL], SITE)).toBe("03:27 Front door");
  });
});

describe("notes name a zone", () => {
  test.each<[what: string, notes: string]>([
    ["by its line", "03:27 Front door"],
    ["after an unknown time, and among others", "Crew 4 sent\n??:?? Front door ×2 → 03:41\n03:30 Hall"],
    ["on another day, with an end", "2026-11-21 03:27 Front door, restored 03:29"],
    ["with a remark or an id", "03:27 Front door (door)"],
    ["beside an equal line", "03:27 Front door [door]"],
  ])("%s", (_what, notes) => {
    expect(hasZoneLine(notes, DOOR.name)).toBe(true);
  });

  test.each<[what: string, notes: string | null]>([
    ["if there are none", null],
    ["if the line is that of a longer name", "03:27 Front door of the hall"],
    ["if a person mentions it", "Front door was locked"],
  ])("not %s", (_what, notes) => {
    expect(hasZoneLine(notes, DOOR.name)).toBe(false);
  });

  test("in every form of its line", () => {
    const zone = { ...DOOR, openings: 3, last: at("03:41"), closed: at("03:44"), remark: "after 02:00" };
    const earlier = { ...DOOR, zoneId: "hall", first: at("23:00", { day: 19 }) };
    for (const locale of ["en", "ro"] as const)
      for (const all of [[zone], [earlier, zone]])
        for (const isShort of [false, true]) {
          const line = formatZoneLine(zone, all, { ...SITE, locale }, isShort);
          expect(hasZoneLine(line, zone.name), line).toBe(true);
        }
  });
});

describe("a line", () => {
  test.each([
    ["is the whole text of empty notes", "", null, "new"],
    ["is appended", "seen", null, "seen\nnew"],
    ["replaces the former one where it stands", "a\nold\nb", "old", "a\nnew\nb"],
    ["replaces the first line", "old\nb", "old", "new\nb"],
    ["is appended if a person has changed the former one", "a\nold, seen", "old", "a\nold, seen\nnew"],
    ["is not written twice", "new\nb", "old", "new\nb"],
  ])("%s", (_what, text, older, result) => {
    expect(withLine(text, older, "new")).toBe(result);
  });
});

describe("the notes of an incident", () => {
  test("get a line for each changed zone, beside the text of people", () => {
    const { notes, zones } = withZoneLines("Called the owner", [DOOR], [HALL], SITE) ?? {};
    expect(notes).toBe("Called the owner\n03:30 Hall");
    expect(zones).toEqual([DOOR, { ...HALL, line: "03:30 Hall" }]);
    expect(withZoneLines(null, [], [DOOR], SITE)).toEqual({
      notes: "03:27 Front door",
      zones: [{ ...DOOR, line: "03:27 Front door" }],
    });
  });

  test("are in the order of the trips, although the first zone gets its line only at its restore", () => {
    const moment = (monotonicMs: number): NoteTimestamp => ({ ...at("10:35"), monotonicMs });
    const gate = { ...DOOR, zoneId: "gate", name: "Gate", first: moment(1_000), last: moment(1_000) };
    const door = { ...DOOR, first: moment(2_000), last: moment(2_000) };
    const hall = { ...HALL, first: moment(3_000), last: moment(3_000) };
    const joined = withZoneLines("Called the owner", [gate], [door], SITE);
    const both = withZoneLines(joined?.notes ?? "", joined?.zones ?? [], [hall], SITE);
    expect(both?.notes).toBe("Called the owner\n10:35 Front door\n10:35 Hall");
    const restored = { ...gate, closed: at("10:40") };
    const update = withZoneLines(both?.notes ?? "", both?.zones ?? [], [restored], SITE);
    expect(update?.notes).toBe("Called the owner\n10:35 Gate, restored 10:40\n10:35 Front door\n10:35 Hall");
    // A repetition after a crash changes nothing.
    expect(withZoneLines(update?.notes ?? "", both?.zones ?? [], [restored], SITE)?.notes).toBe(
      update?.notes,
    );
    // A dispatcher has changed the line of the second zone, which stays where it is.
    const edited = "10:35 Front door, seen\n10:35 Hall";
    expect(withZoneLines(edited, both?.zones ?? [], [restored], SITE)?.notes).toBe(
      "10:35 Front door, seen\n10:35 Gate, restored 10:40\n10:35 Hall",
    );
  });

  test("get a line at their end if the time of one boot is unknown", () => {
    const gate = { ...DOOR, first: at("00:00", { isDated: false }), closed: at("10:40") };
    const hall = { ...HALL, first: { ...HALL.first, bootId: "c" }, line: "03:30 Hall" };
    expect(withZoneLines("03:30 Hall", [gate, hall], [gate], SITE)?.notes).toBe(
      "03:30 Hall\n??:?? Front door, restored 10:40",
    );
  });

  test("replace the line of a zone that trips again", () => {
    const written = { ...DOOR, line: "03:27 Front door" };
    const again = { ...written, openings: 2, last: at("03:41") };
    const update = withZoneLines("03:27 Front door\n03:30 Hall", [written, HALL], [again], SITE);
    expect(update?.notes).toBe("03:27 Front door ×2 → 03:41\n03:30 Hall");
    expect(update?.zones[0]).toEqual({ ...again, line: "03:27 Front door ×2 → 03:41" });
    expect(update?.zones[1]).toBe(HALL);
  });

  test("replace a line in which an earlier release wrote the date in another form", () => {
    const line = "03:27 Front door ×2 → 2026-11-21 03:41";
    const written = { ...DOOR, openings: 2, last: at("03:41", { day: 21 }), line };
    const again = { ...written, openings: 3, last: at("03:44", { day: 21 }) };
    const update = withZoneLines(`Sunat\n${line}`, [written], [again], { ...SITE, locale: "ro" });
    expect(update?.notes).toBe("Sunat\n03:27 Front door ×3 → 21.11 03:44");
  });

  test("distinguish two zones whose lines would be equal", () => {
    const first = { ...DOOR, line: "03:27 Front door" };
    // Its name was changed, so that only the line of the other zone is equal.
    const renamed = { ...first, name: "Side door" };
    const other = { ...HALL, name: "Front door", first: at("03:27"), last: at("03:27") };
    expect(withZoneLines("03:27 Front door", [renamed], [other], SITE)?.notes).toBe(
      "03:27 Front door\n03:27 Front door [hall]",
    );
  });

  test("shrink all lines when space is short, and are full when that is not enough", () => {
    const long = { ...DOOR, remark: "x".repeat(100), line: `03:27 Front door (${"x".repeat(100)})` };
    const room = NOTES_LENGTH_MAX - [..."\n03:27 Front door\n03:30 Hall"].length;
    const notes = (length: number): string => `${"n".repeat(length)}\n${long.line}`;
    const shrunk = withZoneLines(notes(room), [long], [HALL], SITE);
    expect(shrunk?.notes).toBe(`${"n".repeat(room)}\n03:27 Front door\n03:30 Hall`);
    expect(shrunk?.zones.map(({ line }) => line)).toEqual(["03:27 Front door", "03:30 Hall"]);
    expect(withZoneLines(notes(room + 1), [long], [HALL], SITE)).toBeUndefined();
    // A zone that only the description names gets no line.
    const unlisted = withZoneLines("n".repeat(room + 16), [DOOR], [HALL], SITE);
    expect(unlisted?.zones[0]).toBe(DOOR);
  });

  test("count code points, and keep long lines while there is space", () => {
    const changed = { ...DOOR, remark: "after 02:00" };
    const line = "\n03:27 Front door (after 02:00)";
    const text = "🚪".repeat(NOTES_LENGTH_MAX - line.length);
    expect(withZoneLines(text, [], [changed], SITE)?.notes).toBe(`${text}${line}`);
  });
});
