import { describe, expect, test } from "vitest";
import {
  HEADLINE_LEVELS,
  HEADLINE_REASONS,
  headlineOf,
  SITES_UNKNOWN,
  type HeadlineCode,
  type HeadlineFacts,
  type HeadlineItem,
  type HeadlineZone,
  type KnownSites,
} from "../../src/domain/headline.ts";

const DOOR: HeadlineZone = {
  id: "door",
  name: "Ușa principală",
  kind: "intrusion",
  isLifeSafety: false,
  contact: "normal",
  disposition: "waiting",
  faults: [],
};
const QUIET: HeadlineFacts = {
  isRead: true,
  alarms: { count: 0, worst: [] },
  work: { count: 0, worst: [] },
  planned: 0,
  unrecorded: [],
  sites: null,
  zones: [DOOR],
  delayed: new Set(),
  conditions: [],
  isWalkTest: false,
  stuck: 0,
  backlog: { waiting: 0, oldestMs: 0 },
};
/** All sites of a dispatch centre have reported. */
const SITES: KnownSites = {
  hasAny: true,
  faulty: { count: 0, sites: [] },
  unreported: { count: 0, refs: [] },
};
const RECORD = { count: 1, worst: [{ id: 3, name: "Alarmă" }] };

function zone(more: Partial<HeadlineZone>): Partial<HeadlineFacts> {
  return { zones: [DOOR, { ...DOOR, id: "other", name: "Alta", ...more }] };
}

function condition(severity: "error" | "warning"): Partial<HeadlineFacts> {
  return {
    conditions: [{ code: "disk-full", subject: "", severity, title: "Disk full" }],
  };
}

/** A case for each reason alone: a reason without a case does not compile. */
const CASES: Readonly<Record<HeadlineCode, Partial<HeadlineFacts>>> = {
  "alarm-unfinished": { alarms: RECORD },
  "alarm-unrecorded": { unrecorded: ["door"] },
  "zone-open": zone({ contact: "open" }),
  "zone-fault": zone({ faults: [{ fault: "tamper" }] }),
  "zone-shut-down": zone({ disposition: "swinger" }),
  "condition-error": condition("error"),
  "entry-delay": { delayed: new Set(["door"]) },
  starting: { isRead: false },
  "no-zones": { zones: [] },
  "no-sites": { sites: { ...SITES, hasAny: false } },
  "site-fault": {
    sites: {
      ...SITES,
      faulty: { count: 1, sites: [{ ref: "hala-nord", name: "Hala Nord" }] },
    },
  },
  "sites-unreported": {
    sites: { ...SITES, unreported: { count: 1, refs: ["hala-nord"] } },
  },
  "condition-warning": condition("warning"),
  "walk-test": { isWalkTest: true },
  "zone-bypassed": zone({ disposition: "bypassed" }),
  "work-unfinished": { work: RECORD },
  "zone-not-ready": zone({ contact: "open", disposition: "gated" }),
  "zone-unknown": zone({ contact: "unknown" }),
  "battery-low": zone({ faults: [{ fault: "battery" }] }),
  "records-stuck": { stuck: 1 },
  backlog: { backlog: { waiting: 1, oldestMs: 900_001 } },
};

/** What the reason of a case names; the others have only a number. */
const NAMED: Readonly<Partial<Record<HeadlineCode, HeadlineItem>>> = {
  "alarm-unfinished": { about: "intervention", id: 3, name: "Alarmă" },
  "alarm-unrecorded": { about: "zone", id: "door", name: "Ușa principală" },
  "zone-open": { about: "zone", id: "other", name: "Alta" },
  "zone-fault": { about: "zone", id: "other", name: "Alta" },
  "zone-shut-down": { about: "zone", id: "other", name: "Alta" },
  "condition-error": { about: "condition", id: "disk-full", name: "Disk full" },
  "entry-delay": { about: "zone", id: "door", name: "Ușa principală" },
  "site-fault": { about: "site", id: "hala-nord", name: "Hala Nord" },
  "sites-unreported": { about: "site", id: "hala-nord", name: "hala-nord" },
  "condition-warning": {
    about: "condition",
    id: "disk-full",
    name: "Disk full",
  },
  "zone-bypassed": { about: "zone", id: "other", name: "Alta" },
  "work-unfinished": { about: "intervention", id: 3, name: "Alarmă" },
  "zone-not-ready": { about: "zone", id: "other", name: "Alta" },
  "zone-unknown": { about: "zone", id: "other", name: "Alta" },
  "battery-low": { about: "zone", id: "other", name: "Alta" },
};

const OF_ONE_ROLE: ReadonlySet<string> = new Set(["no-zones", "no-sites", "site-fault", "sites-unreported"]);

describe("the headline of a site", () => {
  test("is well without a problem, and lists planned interventions", () => {
    expect(headlineOf(QUIET)).toEqual({
      level: "well",
      text: "all is well",
      reasons: [],
      planned: 0,
    });
    expect(headlineOf({ ...QUIET, planned: 2 })).toMatchObject({
      level: "well",
      text: "all is well; 2 interventions planned",
    });
  });

  test("is not well while nothing is watched; a dispatch centre has no zones and may be", () => {
    const empty = { ...QUIET, zones: [] };
    expect(headlineOf(empty)).toMatchObject({
      level: "attention",
      text: "attention: no zones yet",
    });
    expect(headlineOf({ ...empty, sites: SITES }).text).toBe("all is well");
    expect(headlineOf({ ...empty, sites: SITES_UNKNOWN }).text).toBe("all is well");
  });

  test("of a dispatch centre says where to begin without sites, and names those that it knows nothing of", () => {
    const centre = { ...QUIET, zones: [] };
    expect(headlineOf({ ...centre, sites: { ...SITES, hasAny: false } }).text).toBe(
      "attention: no site is enrolled yet: begin with santinela sites invite",
    );
    const unreported = {
      count: 25,
      refs: ["atelier", "depozit", "hala-nord", "sediu"],
    };
    expect(headlineOf({ ...centre, sites: { ...SITES, unreported } }).text).toBe(
      "attention: 25 enrolled sites without a report (atelier, depozit and 23 more)",
    );
  });

  test("needs attention while a zone is open in its entry delay", () => {
    const { level, reasons } = headlineOf({
      ...QUIET,
      zones: [{ ...DOOR, contact: "open" }],
      delayed: new Set(["door"]),
    });
    expect([level, ...reasons.map(({ code }) => code)]).toEqual(["attention", "entry-delay"]);
  });

  test("still names a zone as open after its swinger shutdown, but not in a bypass", () => {
    const codes = (disposition: HeadlineZone["disposition"]): unknown =>
      headlineOf({ ...QUIET, zones: [{ ...DOOR, contact: "open", disposition }] }).reasons.map(
        ({ code }) => code,
      );
    expect(codes("swinger")).toEqual(["zone-open", "zone-shut-down"]);
    expect(codes("bypassed")).toEqual(["zone-bypassed"]);
  });

  test("names an open zone once, although a condition names it too", () => {
    const about = (subject: string): HeadlineFacts["conditions"] => [
      {
        code: "zone-open",
        subject,
        severity: "warning",
        title: "Zone open while armed",
      },
    ];
    const open = { ...QUIET, zones: [{ ...DOOR, contact: "open" }] } as const;
    expect(headlineOf({ ...open, conditions: about("door") }).text).toBe(headlineOf(open).text);
    expect(headlineOf({ ...open, conditions: about("other") }).reasons).toHaveLength(2);
    const closed: HeadlineZone = { ...DOOR, id: "window" };
    const two = { ...open, zones: [...open.zones, closed] };
    expect(headlineOf({ ...two, conditions: about("door") }).reasons).toHaveLength(1);
    const other = about("door").map((condition) => ({
      ...condition,
      code: "trip-refused" as const,
    }));
    expect(headlineOf({ ...two, conditions: other }).reasons).toHaveLength(2);
  });

  test("names life safety first, and a zone that the configuration has lost by its id", () => {
    const smoke: HeadlineZone = {
      ...DOOR,
      id: "smoke",
      name: "Fum",
      kind: "fire",
      isLifeSafety: true,
    };
    const { reasons } = headlineOf({
      ...QUIET,
      zones: [DOOR, smoke],
      unrecorded: ["gone", "door", "smoke", "door"],
    });
    expect(reasons).toMatchObject([
      {
        code: "alarm-unrecorded",
        count: 4,
        items: [{ id: "smoke" }, { id: "gone", name: "gone" }, { id: "door" }],
      },
    ]);
  });

  test.each(Object.entries(CASES))("%s alone is a reason with its own level", (code, facts) => {
    const { level, reasons } = headlineOf({ ...QUIET, ...facts });
    const named = NAMED[code as HeadlineCode];
    const items = named ? [named] : [];
    expect(reasons).toEqual([
      {
        code,
        count: 1,
        level: HEADLINE_REASONS[code as HeadlineCode],
        items,
      },
    ]);
    expect(level).toBe(HEADLINE_REASONS[code as HeadlineCode]);
  });

  test("has the most serious reason first, for any two reasons", () => {
    for (const [one, its] of Object.entries(CASES))
      for (const [other, more] of Object.entries(CASES)) {
        const zones = [...(its.zones ?? []), ...(more.zones ?? [])];
        // A site without zones has no reason that is about one.
        if ([one, other].includes("no-zones") && zones.length > 0) continue;
        // The zones are of a site, and the sites of a dispatch centre, which has none or some.
        if (one !== other && OF_ONE_ROLE.has(one) && OF_ONE_ROLE.has(other)) continue;
        const conditions = [...(its.conditions ?? []), ...(more.conditions ?? [])];
        const { level, reasons } = headlineOf({
          ...QUIET,
          ...its,
          ...more,
          ...(zones.length > 0 ? { zones } : {}),
          conditions,
        });
        expect(reasons.map(({ code }) => code)).toEqual(expect.arrayContaining([one, other]));
        const ranks = reasons.map((reason) => HEADLINE_LEVELS.indexOf(reason.level));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(level).toBe(reasons[0]?.level);
      }
  });

  test.each([
    ["an open bypassed zone is not an alarm", { contact: "open", disposition: "bypassed" }, "attention"],
    ["an open zone in a walk test is not an alarm", { contact: "open", disposition: "test" }, "well"],
    ["a closed door that is disarmed keeps no site from being armed", { disposition: "gated" }, "well"],
    ["a movement while disarmed keeps no site from being armed", MOTION(), "well"],
    ["a record that has waited for a quarter of an hour is on its way", { contact: "normal" }, "well"],
  ] as const)("%s", (_name, more, level) => {
    const backlog = { waiting: 1, oldestMs: 900_000 };
    expect(headlineOf({ ...QUIET, ...zone(more), backlog }).level).toBe(level);
  });

  test("lists the subjects of each reason, and how many more there are", () => {
    const worst = Array.from({ length: 30 }, (_, index) => ({
      id: 30 - index,
      name: "Foc",
    }));
    const { reasons, text } = headlineOf({
      ...QUIET,
      alarms: { count: 30, worst },
    });
    expect(reasons[0]).toMatchObject({ count: 30, items: { length: 20 } });
    expect(text).toBe("ALARM: 30 unfinished alarms (#30 Foc, #29 Foc and 28 more)");
  });
});

function MOTION() {
  return { kind: "motion", contact: "open", disposition: "gated" } as const;
}
