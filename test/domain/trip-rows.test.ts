import { describe, expect, test } from "vitest";
import { resolveProfiles, resolveZone } from "../../src/domain/zone-rules.ts";
import {
  newFault,
  newOpenContactRows,
  newRestore,
  newSignalTest,
  newTrip,
} from "../../src/domain/trip-rows.ts";
import type { DetectedTrip } from "../../src/domain/trip.ts";
import { renderTemplate, unknownPlaceholders, wording } from "../../src/domain/trip-text.ts";

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
      name: "Alarmă de efracție: Ușa principală",
      description: "Zona Ușa principală (door, efracție) declanșată la 20.11.2026 23:30:00.",
    });
  });

  test("come from the profile where it has some, with every placeholder filled in", () => {
    const name = "{zone.name}/{zone.id}/{zone.kind} @ {objective.name} {event.time} {event.cause}";
    const { body } = newTrip(zone({ name, description: "{objective.name}: sunați la poartă" }), SEEN, RO);
    expect(body.name).toBe("Ușa principală/door/efracție @ Hala Nord 20.11.2026 23:30:00 declanșată la");
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
    description: "Test de comunicație solicitat de ana@example.ro la 20.11.2026 23:30:00. Nu este o alarmă.",
    objectiveType: "obiective/cladiri",
    objectiveId: 12,
    dateStart: "2026-11-20T23:30:00",
    status: "done",
    type: "maintenance",
    priority: "low",
  });
});

const { key, moment, isDated } = SEEN;
const EN = { ...RO, locale: "en" } as const;
const OBJECTIVE = { objectiveType: "obiective/cladiri", objectiveId: 12 };

describe("the row of a trip", () => {
  test("has what its incident, its body and its line in the notes need", () => {
    expect(newTrip(zone({ crews: 2, confirmed: { police: true } }), SEEN, EN)).toEqual({
      key,
      moment,
      isDated,
      state: "waiting",
      reason: null,
      zoneId: "door",
      source: "simulated",
      type: "trip",
      cause: "edge",
      subject: "burglary/obiective/cladiri/12",
      earliestWallMs: null,
      line: "",
      signal: { name: "Ușa principală", remark: "", device: "zone door", confirmWith: null },
      confirmed: { police: true },
      body: {
        name: "Alarm, intrusion: Ușa principală",
        description: "Zone Ușa principală (door, intrusion) tripped at 2026-11-20 23:30:00.",
        ...OBJECTIVE,
        dateStart: "2026-11-20T23:30:00",
        status: "planned",
        type: "other",
        priority: "medium",
        crews: 2,
        police: false,
        ambulance: false,
        firetruck: false,
      },
    });
  });

  test("has the reason for which it is not dispatched", () => {
    const disposition = { state: "test", reason: "walk test" } as const;
    expect(newTrip(zone({}), { ...SEEN, disposition }, EN)).toMatchObject(disposition);
  });

  test("has no start while the clock is not trusted, and its texts state that", () => {
    const row = newTrip(zone({}), { ...SEEN, isDated: false, earliestWallMs: 0, sinceWallMs: 0 }, EN);
    expect(row.body).toMatchObject({
      dateStart: null,
      description: "Zone Ușa principală (door, intrusion) tripped at a time not known yet.",
    });
  });

  test("of a trip during an interruption has its earliest time, in the line without seconds", () => {
    const earliestWallMs = moment.wallMs - 3_600_000;
    const row = newTrip(zone({}), { ...SEEN, cause: "after-restart", earliestWallMs }, EN);
    expect(row).toMatchObject({ earliestWallMs, signal: { remark: "not before 2026-11-20 22:30" } });
    expect(row.body.description).toBe(
      "Zone Ușa principală (door, intrusion) tripped during an interruption, detected at 2026-11-20 23:30:00, not before 2026-11-20 22:30:00.",
    );
    const unknown = newTrip(zone({}), { ...SEEN, cause: "after-restart" }, EN);
    expect(unknown.signal.remark).toBe("after an interruption");
    const inRomanian = newTrip(zone({}), { ...SEEN, cause: "after-restart", earliestWallMs }, RO);
    expect(inRomanian.signal.remark).toBe("după 20.11.2026 22:30");
    expect(inRomanian.body.description).toBe(
      "Zona Ușa principală (door, efracție) declanșată în timpul unei întreruperi, detectată la 20.11.2026 23:30:00, declanșare produsă după 20.11.2026 22:30:00.",
    );
  });

  test("of a contact that was open already has the time of its opening", () => {
    const sinceWallMs = moment.wallMs - 60_000;
    const row = newTrip(zone({}), { ...SEEN, cause: "standing", sinceWallMs }, EN);
    expect(row.signal.remark).toBe("open since 2026-11-20 23:29");
    expect(row.body.description).toMatch(/still open at .* 23:30:00, open since 2026-11-20 23:29:00\.$/);
  });

  test("that was reported late has the time at which it occurred", () => {
    const sinceWallMs = moment.wallMs - 60_000;
    const row = newTrip(zone({}), { ...SEEN, cause: "edge", sinceWallMs }, RO);
    expect(row.signal.remark).toBe("raportată cu întârziere, produsă la 20.11.2026 23:29");
    expect(row.body.description).toMatch(/, raportată cu întârziere, produsă la 20\.11\.2026 23:29:00\.$/);
  });

  test("of an unstable contact has it in its line", () => {
    expect(newTrip(zone({}), { ...SEEN, cause: "chatter" }, EN).signal.remark).toBe("unstable contact");
  });

  test("names the zone in the notes only if the texts of the profile do not", () => {
    expect(newTrip(zone({ name: "Alarm", description: "Call the gate" }), SEEN, EN).body.notes).toBe(
      "23:30 Ușa principală",
    );
    expect(newTrip(zone({ name: "Alarm", description: "{zone.name}" }), SEEN, EN).body).not.toHaveProperty(
      "notes",
    );
  });

  test("names an objective without a name by its number", () => {
    const { objectiveName: _name, ...unnamed } = zone({ name: "{objective.name}" });
    expect(newTrip(unnamed, SEEN, EN).body.name).toBe("Objective 12");
  });
});

describe("the row of a fault", () => {
  test("is work for a technician, and its end a line", () => {
    const fault = { key, moment, isDated, of: "door", fault: "battery" } as const;
    expect(newFault(zone({ police: true }), { ...fault, isOver: false }, EN)).toMatchObject({
      type: "fault",
      cause: "battery",
      subject: "fault/door/battery",
      state: "waiting",
      confirmed: null,
      line: "Low battery, zone Ușa principală (door): again at 2026-11-20 23:30:00.",
      body: {
        name: "Low battery: Ușa principală",
        description: "Low battery: zone Ușa principală (door, intrusion), detected at 2026-11-20 23:30:00.",
        ...OBJECTIVE,
        type: "maintenance",
        priority: "low",
        status: "planned",
        dateStart: "2026-11-20T23:30:00",
      },
    });
    const over = newFault(zone({}), { ...fault, isOver: true }, RO);
    expect(over).toMatchObject({ type: "fault-over", subject: "fault/door/battery" });
    expect(over.line).toBe(
      "Baterie descărcată, zona Ușa principală (door): deranjament remediat la 20.11.2026 23:30:00.",
    );
  });

  test.each([
    ["tamper", "inspection", "high"],
    ["battery", "maintenance", "low"],
    ["supervision", "repair", "medium"],
    ["faulty", "repair", "medium"],
  ] as const)("%s is %s of %s priority", (fault, type, priority) => {
    const { body } = newFault(zone({}), { key, moment, isDated, of: "door", fault, isOver: false }, EN);
    expect(body).toMatchObject({ type, priority });
    expect(body).not.toHaveProperty("police");
  });

  test("of a bridge names it and the zones behind it", () => {
    const behind = [zone({}), { ...zone({}, "Hol"), id: "hall" }];
    const fault = { key, moment, isDated, of: "z2m", fault: "supervision", behind } as const;
    const row = newFault(zone({}), { ...fault, isOver: false }, EN);
    expect(row.body.name).toBe("Bridge unavailable: z2m (zones: 2)");
    expect(row.body.description).toMatch(
      /^Bridge z2m is .* 23:30:00\. .*: Ușa principală \(door\), Hol \(hall\)\.$/,
    );
    expect(row.line).toBe("Bridge z2m (zones: 2): unavailable again at 2026-11-20 23:30:00.");
    const over = newFault(zone({}), { ...fault, isOver: true }, RO);
    expect(over.line).toBe("Gatewayul z2m (zone: 2): comunicație restabilită la 20.11.2026 23:30:00.");
  });

  test("of a bridge with hundreds of zones lists what fits, and the number of the others", () => {
    const behind = Array.from({ length: 300 }, (_, index) => ({
      ...zone({}, "Z".repeat(90)),
      id: `z${index}`,
    }));
    const fault = { key, moment, isDated, of: "z2m", fault: "supervision", isOver: false, behind } as const;
    const description = String(newFault(zone({}), fault, EN).body.description);
    const listed = description.match(/Z{90} \(z\d+\)/g) ?? [];
    expect(description.endsWith(`, and a further ${300 - listed.length}.`)).toBe(true);
    expect([...description].length).toBeLessThanOrEqual(4000);
    expect([...description].length).toBeGreaterThan(3300);
  });
});

test("a restore belongs to the incidents of its zone, and is no work of its own", () => {
  expect(newRestore(zone({}), { key, moment, isDated, cause: "auto" })).toMatchObject({
    type: "restore",
    cause: "auto",
    subject: newTrip(zone({}), SEEN, EN).subject,
    body: { name: "Ușa principală", ...OBJECTIVE },
  });
});

test.each([
  [EN, "Signal test requested from the command line at 2026-11-20 23:30:00. This is not an alarm."],
  [RO, "Test de comunicație solicitat din linia de comandă la 20.11.2026 23:30:00. Nu este o alarmă."],
])("a signal test of no account says that it came from the command line, in $locale", (site, text) => {
  const row = newSignalTest(zone({}), { key, moment, isDated, who: null }, site);
  expect([row.body.description, row.line]).toEqual([text, text]);
});

test("a signal test is a subject of its own", () => {
  const row = newSignalTest(zone({}), { key, moment, isDated, who: "ana@example.ro" }, EN);
  expect(row).toMatchObject({ type: "signal", cause: "signal-test", subject: "signal/k", state: "waiting" });
  expect(row.line).toBe(
    "Signal test requested by ana@example.ro at 2026-11-20 23:30:00. This is not an alarm.",
  );
});

describe("the contacts that are open at an arming", () => {
  const rows = (count: number, site: typeof RO | typeof EN = EN, cause: "armed" | "after-alarm" = "armed") =>
    newOpenContactRows(
      {
        cause,
        moment,
        isDated,
        zones: Array.from({ length: count }, (_, index) => ({
          zone: { ...zone({}, `Zone ${index}`), id: `z${index}` },
          key: `k${index}`,
          sinceWallMs: index === 0 ? moment.wallMs - 90_000 : null,
        })),
      },
      site,
    );

  test("are one record that lists them all, for an inspection", () => {
    const [first, second] = rows(2);
    const heading =
      "At 2026-11-20 23:30:00, when the zones were armed or returned to service, these were open:";
    const lines = ["Zone 0 (z0, intrusion), open since 2026-11-20 23:28:30", "Zone 1 (z1, intrusion)"];
    expect(first).toMatchObject({
      key: "k0",
      type: "standing",
      cause: "standing",
      subject: "standing/k0",
      line: lines[0],
      signal: { name: "Zone 0", remark: "open since 2026-11-20 23:28" },
      body: {
        name: "Armed with 2 zones open",
        description: [heading, ...lines].join("\n"),
        type: "inspection",
        priority: "medium",
        status: "planned",
        ...OBJECTIVE,
      },
    });
    expect(second).toMatchObject({
      key: "k1",
      subject: "standing/k0",
      line: lines[1],
      signal: { remark: "was open" },
      body: { name: "Armed with 2 zones open", description: [heading, lines[1]].join("\n") },
    });
    expect(rows(0)).toEqual([]);
  });

  test.each([
    [1, "Armed with 1 zone open", "Armare cu o zonă deschisă"],
    [2, "Armed with 2 zones open", "Armare cu 2 zone deschise"],
    [19, "Armed with 19 zones open", "Armare cu 19 zone deschise"],
    [20, "Armed with 20 zones open", "Armare cu 20 de zone deschise"],
    [101, "Armed with 101 zones open", "Armare cu 101 zone deschise"],
    [120, "Armed with 120 zones open", "Armare cu 120 de zone deschise"],
  ])("are counted in both languages: %d", (count, en, ro) => {
    expect([rows(count)[0]?.body.name, rows(count, RO)[0]?.body.name]).toEqual([en, ro]);
  });

  test.each([
    [1, "Still open after the alarm: 1 zone", "Încă deschisă după alarmă: o zonă"],
    [2, "Still open after the alarm: 2 zones", "Încă deschise după alarmă: 2 zone"],
    [20, "Still open after the alarm: 20 zones", "Încă deschise după alarmă: 20 de zone"],
  ])("or after their alarm are named otherwise: %d", (count, en, ro) => {
    const name = (site: typeof RO | typeof EN) => rows(count, site, "after-alarm")[0]?.body.name;
    expect([name(EN), name(RO)]).toEqual([en, ro]);
    expect(rows(count, EN, "after-alarm")[0]).toMatchObject({
      type: "standing",
      cause: "standing",
      signal: { isAfterAlarm: true },
    });
    expect(rows(count)[0]?.signal).not.toHaveProperty("isAfterAlarm");
  });
});
