import { describe, expect, test } from "vitest";
import { resolveProfiles, resolveZone } from "../../src/domain/zone-rules.ts";
import { newSignalTest, newTrip } from "../../src/domain/trip-rows.ts";
import type { DetectedTrip } from "../../src/domain/trip.ts";
import { renderTemplate, unknownPlaceholders } from "../../src/domain/trip-text.ts";
import { wording } from "../../src/domain/trip-text.ts";

const SEEN: DetectedTrip = {
  key: "k",
  cause: "edge",
  moment: { wallMs: Date.UTC(2026, 10, 20, 21, 30), bootId: "boot-1", monotonicMs: 0 },
  isDated: true,
  earliestWallMs: null,
  disposition: { state: "waiting", reason: null },
};
const RO = { locale: "ro", timezone: "Europe/Bucharest" } as const;

function zone(profile: object, name = "Ușa principală") {
  const made = resolveZone(
    {
      id: "door",
      name,
      kind: "intrusion",
      profile: "own",
      objective: { type: "obiective/cladiri", id: 12 },
      input: { simulated: true },
    },
    resolveProfiles({ own: profile }),
    "Hala Nord",
  );
  if (!made) throw new Error("no such profile");
  return made;
}

describe("the texts of an intervention", () => {
  test("are in the language of the site", () => {
    const { body } = newTrip(zone({}), SEEN, RO);
    expect(body).toMatchObject({
      name: "Alarmă efracție: Ușa principală",
      description: "Zona Ușa principală (door, efracție) declanșată la 2026-11-20 23:30:00.",
    });
  });

  test("come from the profile where it has some, with every placeholder filled in", () => {
    const name = "{zone.name}/{zone.id}/{zone.kind} @ {objective.name} {event.time} {event.cause}";
    const { body } = newTrip(zone({ name, description: "{objective.name}: sunați la poartă" }), SEEN, RO);
    expect(body.name).toBe("Ușa principală/door/efracție @ Hala Nord 2026-11-20 23:30:00 declanșată la");
    expect(body.description).toBe("Hala Nord: sunați la poartă");
  });

  test("do not read placeholders in names", () => {
    const { body } = newTrip(zone({ name: "{zone.name}" }, "{event.time}"), SEEN, RO);
    expect(body.name).toBe("{event.time}");
  });

  test("are cut to the limit of the contract at whole characters", () => {
    const { body } = newTrip(zone({ name: "{zone.name}".repeat(3) }, "🚪".repeat(90)), SEEN, RO);
    expect([...body.name]).toHaveLength(200);
    expect(body.name.endsWith("🚪…")).toBe(true);
  });

  test.each(["ro", "en"] as const)("are complete in %s", (locale) => {
    const words = wording(locale);
    const text = { zone: "Z", zoneId: "z", kind: "k", time: "T", earliest: "E", since: "S" };
    for (const cause of ["edge", "first-sight", "after-restart", "chatter", "standing"] as const)
      expect(words.description(text, cause)).toMatch(/T.*E.*S/);
    for (const fault of ["tamper", "battery", "supervision", "faulty"] as const) {
      expect(words.faultName(text, fault)).toMatch(/: Z$/);
      expect(words.faultLine(text, fault, true)).not.toBe(words.faultLine(text, fault, false));
    }
    expect(words.signalDescription(text, "ana@example.ro")).toMatch(/ana@example\.ro/);
  });
});

test("an unknown placeholder is reported and left as it is", () => {
  expect(unknownPlaceholders("{zone.name} {constructor} {} {zone.name")).toEqual(["constructor", ""]);
  const values = {
    "zone.name": "Z",
    "zone.id": "z",
    "zone.kind": "k",
    "objective.name": "o",
    "event.time": "t",
    "event.cause": "c",
  };
  expect(renderTemplate("{zone.name} {constructor}", values)).toBe("Z {constructor}");
});

test("a signal test requests no crew or service", () => {
  const { key, moment, isDated } = SEEN;
  const row = newSignalTest(zone({ police: true }), { key, moment, isDated, who: "ana@example.ro" }, RO);
  expect(row.body).toEqual({
    name: "Test de comunicație: Ușa principală",
    description: "Test de comunicație solicitat de ana@example.ro la 2026-11-20 23:30:00. Nu este o alarmă.",
    objectiveType: "obiective/cladiri",
    objectiveId: 12,
    dateStart: "2026-11-20T23:30:00",
    status: "done",
    type: "maintenance",
    priority: "low",
  });
});
