import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stepZone, type StepSignal, type ZoneEvent, type ZoneState } from "../../src/domain/zone-step.ts";
import { resumeZone } from "../../src/inputs/zone-state-persistence.ts";
import type { Contact, ZoneRules } from "../../src/domain/zone.ts";

const PLAIN: ZoneRules = { debounceMs: 0, minOpenMs: 0, confirmMs: 0, tripsAtFirstSight: false };
const ON_WIRE: ZoneRules = { ...PLAIN, debounceMs: 50, minOpenMs: 250 };

describe("a reading", () => {
  type Expected = "nothing" | "first sight" | "trip" | "restore";
  const table: Record<Contact, Record<Contact, Expected>> = {
    unknown: { unknown: "nothing", normal: "first sight", open: "first sight" },
    normal: { unknown: "nothing", normal: "nothing", open: "trip" },
    open: { unknown: "nothing", normal: "restore", open: "nothing" },
  };
  const rows = Object.entries(table).flatMap(([before, row]) =>
    Object.entries(row).map(([read, expected]) => [before as Contact, read as Contact, expected] as const),
  );
  test.each(rows)("of a zone that is %s with value %s: %s", (before, read, expected) => {
    const { events } = run(PLAIN, before, [reading(10, read)]);
    expect(events.map(({ type }) => type.replace("-", " "))).toEqual(
      expected === "nothing" ? [] : [expected],
    );
  });
});

describe("a GPIO contact", () => {
  test("open for 100 ms does not trip, open for 400 ms trips", () => {
    expect(kindsOf(ON_WIRE, "normal", [reading(0, "open"), reading(100, "normal"), wake(5000)])).toEqual([]);
    expect(kindsOf(ON_WIRE, "normal", [reading(0, "open"), reading(400, "normal"), wake(5000)])).toEqual([
      "trip edge at 0",
      "restore reading at 400",
    ]);
  });

  test("the time of the trip is the opening, not the end of the minimum open time", () => {
    expect(kindsOf(ON_WIRE, "normal", [reading(1000, "open"), wake(1250)])).toEqual(["trip edge at 1000"]);
    expect(kindsOf(ON_WIRE, "normal", [reading(1000, "open"), wake(1249)])).toEqual([]);
  });

  test("reading an open contact again does not delay its trip", () => {
    const readings = [0, 100, 200, 300].map((atMs) => reading(atMs, "open"));
    expect(kindsOf(ON_WIRE, "normal", readings)).toEqual(["trip edge at 0"]);
  });

  test("an opening that was due before the contact closed trips, however late the wake-up", () => {
    expect(kindsOf(ON_WIRE, "normal", [reading(0, "open"), reading(260, "normal")])).toEqual([
      "trip edge at 0",
    ]);
  });

  test("an unreadable value neither trips, nor restores, nor resets", () => {
    expect(
      kindsOf(ON_WIRE, "normal", [reading(0, "open"), reading(100, "unknown"), reading(300, "open")]),
    ).toEqual(["trip edge at 0"]);
  });

  test("a closing waits for the debounce alone", () => {
    const closing = [reading(0, "open"), wake(250), reading(1000, "normal")];
    expect(kindsOf(ON_WIRE, "normal", [...closing, wake(1049)])).toEqual(["trip edge at 0"]);
    expect(kindsOf(ON_WIRE, "normal", [...closing, wake(1050)])).toEqual([
      "trip edge at 0",
      "restore reading at 1000",
    ]);
  });

  test("the time of a contact counts from its own change, not from that of another one", () => {
    const signals = [reading(0, "normal"), reading(30, "open"), wake(1000)];
    expect(kindsOf(ON_WIRE, "unknown", signals)).toEqual(["first-sight open at 30"]);
  });

  test("the confirmation time filters a false opening of two seconds", () => {
    const rules = { ...PLAIN, confirmMs: 2500 };
    expect(kindsOf(rules, "normal", [reading(0, "open"), reading(2000, "normal"), wake(9000)])).toEqual([]);
    expect(kindsOf(rules, "normal", [reading(0, "open"), wake(2500)])).toEqual(["trip edge at 0"]);
  });
});

describe("first reading and restarts", () => {
  const FIRE = { ...PLAIN, tripsAtFirstSight: true };

  test("a door that is open at the first reading does not trip; a smoke detector does", () => {
    expect(kindsOf(PLAIN, "unknown", [reading(5, "open")])).toEqual(["first-sight open at 5"]);
    expect(kindsOf(FIRE, "unknown", [reading(5, "open")])).toEqual(["trip first-sight at 5"]);
    expect(kindsOf(FIRE, "unknown", [reading(5, "normal")])).toEqual(["first-sight normal at 5"]);
  });

  test("a retained value of a smoke detector does not trip at the first reading", () => {
    expect(kindsOf(FIRE, "unknown", [reading(5, "open", false)])).toEqual(["first-sight open at 5"]);
  });

  test("a live value during the confirmation of a retained one makes it live", () => {
    const rules = { ...FIRE, confirmMs: 1000 };
    const signals = [reading(0, "open", false), reading(500, "open"), wake(1000)];
    expect(kindsOf(rules, "unknown", signals)).toEqual(["trip first-sight at 0"]);
  });

  test("a retained value during the confirmation of a live one leaves it live", () => {
    const rules = { ...FIRE, confirmMs: 1000 };
    const signals = [reading(0, "open"), reading(500, "open", false), wake(1000)];
    expect(kindsOf(rules, "unknown", signals)).toEqual(["trip first-sight at 0"]);
  });

  test("a smoke detector that is open by a retained value trips with its first live one, and once", () => {
    const signals = [
      reading(5, "open", false),
      reading(6, "open", false),
      reading(7, "open"),
      reading(8, "open"),
    ];
    expect(kindsOf(FIRE, "unknown", signals)).toEqual(["first-sight open at 5", "trip first-sight at 7"]);
    expect(kindsOf(PLAIN, "unknown", signals)).toEqual(["first-sight open at 5"]);
    expect(kindsOf(FIRE, "unknown", [reading(5, "normal", false), reading(6, "normal"), wake(9)])).toEqual([
      "first-sight normal at 5",
    ]);
  });

  test("a smoke detector that was open by a retained value and has closed trips like any other", () => {
    const signals = [reading(5, "open", false), reading(6, "normal"), reading(7, "open"), reading(8, "open")];
    expect(kindsOf(FIRE, "unknown", signals)).toEqual([
      "first-sight open at 5",
      "restore reading at 6",
      "trip edge at 7",
    ]);
  });

  test("a smoke detector that a retained message shows to have opened has tripped: its next message does not", () => {
    const signals = [reading(5, "normal"), reading(6, "open", false), reading(7, "open")];
    expect(kindsOf(FIRE, "unknown", signals)).toEqual(["first-sight normal at 5", "trip edge at 6"]);
  });

  test("a normal reading that was pending when automatic restore was configured is no restore", () => {
    const rules = { ...PLAIN, debounceMs: 50, autoRestoreMs: 30_000 };
    const pending = { contact: "normal", sinceMs: 0, live: true } as const;
    const state = resumeZone(rules, { contact: "unknown", autoRestored: false, pending }, 100);
    expect(stepZone(rules, state, wake(100))).toMatchObject({ state: { contact: "normal" }, events: [] });
  });

  test("a door that was opened while the daemon was down is reported as such, once", () => {
    const signals = [reading(5, "open"), reading(6, "normal"), reading(7, "open")];
    expect(kindsOf(PLAIN, "normal", signals, { restarted: true })).toEqual([
      "trip after-restart at 5",
      "restore reading at 6",
      "trip edge at 7",
    ]);
  });

  test("a test trip after a restart is an edge: a user has caused it now", () => {
    const signal = { ...reading(5, "open"), isTest: true };
    expect(kindsOf(PLAIN, "normal", [signal], { restarted: true })).toEqual(["trip edge at 5"]);
    const slow = { ...PLAIN, minOpenMs: 250 };
    expect(kindsOf(slow, "normal", [signal, wake(1000)], { restarted: true })).toEqual(["trip edge at 5"]);
  });

  test("a door that stays open across a restart does not trip", () => {
    expect(kindsOf(PLAIN, "open", [reading(5, "open")], { restarted: true })).toEqual([]);
  });

  test("an opening after a normal reading is an ordinary edge", () => {
    const signals = [reading(5, "normal"), reading(6, "open")];
    for (const rules of [PLAIN, ON_WIRE])
      expect(kindsOf(rules, "normal", [...signals, wake(1000)], { restarted: true })).toEqual([
        "trip edge at 6",
      ]);
  });
});

describe("a zone with automatic restore", () => {
  const PULSE = { ...PLAIN, autoRestoreMs: 30_000 };

  test("is restored 30 s after the last opening", () => {
    const signals = [reading(0, "open"), reading(10_000, "open"), wake(30_000), wake(40_000)];
    expect(kindsOf(PULSE, "normal", signals)).toEqual(["trip edge at 0", "restore auto at 40000"]);
  });

  test("trips again on the next pulse even if the wake-up for its restore never came", () => {
    expect(kindsOf(PULSE, "normal", [reading(0, "open"), reading(31_000, "open")])).toEqual([
      "trip edge at 0",
      "restore auto at 30000",
      "trip edge at 31000",
    ]);
  });

  test("is restored after a restart as well", () => {
    const resumed = stepZone(
      PULSE,
      resumeZone(PULSE, { contact: "open", autoRestored: false }, 1000),
      wake(1000),
    );
    expect(resumed.wakeAtMs).toBe(31_000);
    expect(stepZone(PULSE, resumed.state, wake(31_000)).events).toEqual([
      { type: "restore", cause: "auto", atMs: 31_000 },
    ]);
  });

  test("is restored once, also during the debounce of a closing", () => {
    const rules = { ...PULSE, debounceMs: 200 };
    const signals = [reading(0, "open"), wake(200), reading(29_900, "normal"), wake(60_000)];
    expect(kindsOf(rules, "normal", signals)).toEqual(["trip edge at 0", "restore auto at 30000"]);
  });
});

describe("a sensor that never reports normal", () => {
  const PULSE = { ...PLAIN, autoRestoreMs: 30_000 };

  test("is normal until its first message: a live one trips, a retained one does not", () => {
    expect(kindsOf(PULSE, "unknown", [reading(5, "open")])).toEqual(["trip edge at 5"]);
    expect(kindsOf(PULSE, "unknown", [reading(5, "open", false), wake(60_000)])).toEqual([]);
  });

  test("does not trip again when the broker repeats its last message after the restore", () => {
    const signals = [reading(0, "open"), wake(30_000), reading(40_000, "open", false), wake(90_000)];
    expect(kindsOf(PULSE, "normal", signals)).toEqual(["trip edge at 0", "restore auto at 30000"]);
    expect(kindsOf(PULSE, "normal", [...signals, reading(95_000, "open")])).toEqual([
      "trip edge at 0",
      "restore auto at 30000",
      "trip edge at 95000",
    ]);
  });

  test("trips by a retained message that follows a normal one: the contact has opened since", () => {
    const since = [reading(40_000, "open", false)];
    const normal = reading(39_000, "normal", false);
    expect(kindsOf(PULSE, "unknown", [normal, ...since])).toEqual(["trip edge at 40000"]);
    const opened = [reading(0, "open"), wake(30_000)];
    expect(kindsOf(PULSE, "normal", [...opened, normal, ...since]).slice(2)).toEqual(["trip edge at 40000"]);
    const closed = [...opened, reading(31_000, "open"), reading(32_000, "normal")];
    expect(kindsOf(PULSE, "normal", [...closed, ...since]).slice(2)).toEqual([
      "trip edge at 31000",
      "restore reading at 32000",
      "trip edge at 40000",
    ]);
  });
});

describe("a contact that chatters", () => {
  const flaps = (count: number, everyMs: number): StepSignal[] =>
    Array.from({ length: count }, (_, index) =>
      reading(1000 + index * everyMs, index % 2 === 0 ? "open" : "normal"),
    );

  test("faster than its filter is one trip and one fault, and is normal after ten quiet seconds", () => {
    expect(kindsOf(ON_WIRE, "normal", [...flaps(40, 30), wake(60_000)])).toEqual([
      "trip chatter at 1000",
      "chatter at 1210",
      "calm at 12170",
      "restore reading at 12170",
    ]);
  });

  test("and stays open has tripped once, and trips again only after it was closed", () => {
    const signals = [
      ...flaps(41, 30),
      wake(60_000),
      reading(61_000, "normal"),
      reading(70_000, "open"),
      wake(80_000),
    ];
    expect(kindsOf(ON_WIRE, "normal", signals)).toEqual([
      "trip chatter at 1000",
      "chatter at 1210",
      "calm at 12200",
      "restore reading at 61000",
      "trip edge at 70000",
    ]);
  });

  test("while it is open already does not trip again", () => {
    const closing = flaps(9, 30).slice(1);
    expect(kindsOf(ON_WIRE, "normal", [reading(0, "open"), wake(250), ...closing])).toEqual([
      "trip edge at 0",
      "chatter at 1240",
    ]);
  });

  test("is open while it does, and afterwards a zone like any other, also after a restart", () => {
    let state = resumed(ON_WIRE, "normal");
    for (const flap of flaps(8, 30)) ({ state } = stepZone(ON_WIRE, state, flap));
    expect(state).toMatchObject({ contact: "open", isResumed: false });
    const opened = stepZone(ON_WIRE, state, reading(1240, "open")).state;
    expect(stepZone(ON_WIRE, state, wake(20_000)).state.contact).toBe("normal");
    expect(stepZone(ON_WIRE, opened, wake(20_000)).state.contact).toBe("open");
    const later = [...flaps(8, 30), wake(20_000), reading(30_000, "open", false), wake(40_000)];
    expect(kindsOf(ON_WIRE, "normal", later, { restarted: true }).slice(2)).toEqual([
      "calm at 11210",
      "restore reading at 11210",
      "trip edge at 30000",
    ]);
  });

  test("seven changes within a second, a bouncing reed and a burst of messages without a filter are not chatter", () => {
    expect(kindsOf(ON_WIRE, "normal", [...flaps(6, 30), wake(60_000)])).toEqual([]);
    expect(kindsOf(ON_WIRE, "normal", [...flaps(8, 200), wake(60_000)])).toEqual([]);
    expect(kindsOf(ON_WIRE, "normal", [...flaps(20, 1), wake(60_000)])).toEqual([]);
    for (const everyMs of [0, 30])
      expect(
        kindsOf(PLAIN, "normal", flaps(8, everyMs)).filter((kind) => !/trip edge|restore reading/.test(kind)),
      ).toEqual([]);
  });

  test("is none that reports one level again and again", () => {
    const readings = Array.from({ length: 20 }, (_, index) => reading(index * 30, "open"));
    expect(kindsOf(ON_WIRE, "normal", readings)).toEqual(["trip edge at 0"]);
  });

  test("is one with eight changes within exactly a second, not with the last one later", () => {
    const changes = (lastMs: number): StepSignal[] =>
      [0, 140, 280, 420, 560, 700, 840, lastMs].map((atMs, index) =>
        reading(1000 + atMs, index % 2 === 0 ? "open" : "normal"),
      );
    expect(kindsOf(ON_WIRE, "normal", changes(1000))).toEqual(["trip chatter at 1000", "chatter at 2000"]);
    expect(kindsOf(ON_WIRE, "normal", [...changes(1001), wake(60_000)])).toEqual([]);
  });

  test("counts changes from ten milliseconds apart, whichever filter would hide them", () => {
    for (const filter of [{ debounceMs: 50 }, { minOpenMs: 250 }, { confirmMs: 2000 }]) {
      const rules = { ...PLAIN, ...filter };
      expect(kindsOf(rules, "normal", flaps(8, 10))).toEqual(["trip chatter at 1000", "chatter at 1070"]);
      expect(kindsOf(rules, "normal", flaps(8, 9))).toEqual([]);
    }
  });
});

describe("after a power-up", () => {
  test("levels that are not stable yet are not chatter, those after the power-up delay are", () => {
    const before = resumeZone(ON_WIRE, { contact: "normal", autoRestored: false }, 0, 60_000);
    const eventsFrom = (fromMs: number): ZoneEvent[] => {
      let state = before;
      return Array.from({ length: 8 }, (_, index) => {
        const step = stepZone(
          ON_WIRE,
          state,
          reading(fromMs + index * 30, index % 2 === 0 ? "open" : "normal"),
        );
        ({ state } = step);
        return step.events;
      }).flat();
    };
    expect(eventsFrom(59_999 - 7 * 30)).toEqual([]);
    expect(eventsFrom(60_000).map(({ type }) => type)).toEqual(["trip", "chatter"]);
  });

  test("an opening counts after the power-up delay, if it persists", () => {
    const state = resumeZone(ON_WIRE, { contact: "normal", autoRestored: false }, 0, 60_000);
    const opened = stepZone(ON_WIRE, state, reading(1000, "open"));
    expect(opened).toMatchObject({ events: [], wakeAtMs: 60_000 });
    expect(stepZone(ON_WIRE, opened.state, wake(60_000)).events).toEqual([
      { type: "trip", cause: "after-restart", atMs: 1000 },
    ]);
    const closed = stepZone(ON_WIRE, opened.state, reading(30_000, "normal"));
    expect(stepZone(ON_WIRE, closed.state, wake(90_000)).events).toEqual([]);
  });
});

describe("for any readings", () => {
  const rules = fc.record({
    debounceMs: fc.integer({ min: 0, max: 200 }),
    minOpenMs: fc.integer({ min: 0, max: 400 }),
    confirmMs: fc.constantFrom(0, 0, 1000),
    tripsAtFirstSight: fc.boolean(),
  });
  const maybeRestoring = fc
    .tuple(rules, fc.constantFrom(undefined, 1000, 30_000))
    .map(([plain, autoRestoreMs]): ZoneRules => (autoRestoreMs ? { ...plain, autoRestoreMs } : plain));
  const contact = fc.constantFrom<Contact>("normal", "open", "unknown");
  const readings = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 2000 }), contact, fc.boolean()), { maxLength: 40 })
    .map((steps) => {
      let atMs = 0;
      return steps.map(([gapMs, read, live]) => reading((atMs += gapMs), read, live));
    });

  test("trips and restores alternate", () => {
    fc.assert(
      fc.property(maybeRestoring, contact, readings, (zoneRules, before, signals) => {
        const { events } = run(zoneRules, before, signals);
        let open = before === "open";
        let isOldValue = false;
        for (const event of events) {
          // A life safety zone with a retained open value trips with the first live one.
          const isFirstLive = isOldValue && event.type === "trip" && event.cause === "first-sight";
          isOldValue = event.type === "first-sight" && event.contact === "open";
          if (isFirstLive) continue;
          if (event.type === "first-sight") open = event.contact === "open";
          else if (event.type === "trip" || event.type === "restore") {
            expect(open).toBe(event.type === "restore");
            open = event.type === "trip";
          }
        }
      }),
    );
  });

  test("early, late and extra wake-ups give the same events", () => {
    fc.assert(
      fc.property(maybeRestoring, contact, readings, fc.nat(500), (zoneRules, before, signals, everyMs) => {
        const endMs = (signals.at(-1)?.atMs ?? 0) + 100_000;
        const late = run(zoneRules, before, [...signals, wake(endMs)]);
        const prompt = run(zoneRules, before, [...withPromptWakes(zoneRules, before, signals, endMs)]);
        const needless = signals.flatMap((signal) => [
          wake(signal.atMs),
          signal,
          wake(signal.atMs + everyMs),
        ]);
        const sorted = needless.toSorted((a, b) => a.atMs - b.atMs);
        expect(prompt.events).toEqual(late.events);
        expect(run(zoneRules, before, [...sorted, wake(endMs)]).events).toEqual(late.events);
      }),
    );
  });

  test("a repeated message changes nothing", () => {
    fc.assert(
      fc.property(maybeRestoring, contact, readings, (zoneRules, before, signals) => {
        const twice = signals.flatMap((signal) => [signal, signal]);
        expect(run(zoneRules, before, twice).events).toEqual(run(zoneRules, before, signals).events);
      }),
    );
  });

  test("no due action is left, and a wake-up is always in the future", () => {
    fc.assert(
      fc.property(maybeRestoring, contact, readings, (zoneRules, before, signals) => {
        let state = resumed(zoneRules, before);
        for (const signal of signals) {
          const step = stepZone(zoneRules, state, signal);
          expect(step.wakeAtMs ?? Infinity).toBeGreaterThan(signal.atMs);
          state = step.state;
        }
      }),
    );
  });
});

function* withPromptWakes(
  rules: ZoneRules,
  before: Contact,
  signals: readonly StepSignal[],
  endMs: number,
): Generator<StepSignal> {
  let step = stepZone(rules, started(rules, before), wake(0));
  for (const signal of [...signals, wake(endMs)]) {
    while (step.wakeAtMs !== undefined && step.wakeAtMs < signal.atMs) {
      const due = wake(step.wakeAtMs);
      yield due;
      step = stepZone(rules, step.state, due);
    }
    yield signal;
    step = stepZone(rules, step.state, signal);
  }
}

function reading(atMs: number, contact: Contact, live = true): StepSignal {
  return { type: "reading", contact, atMs, live };
}

function wake(atMs: number): StepSignal {
  return { type: "wake", atMs };
}

/** A zone with a reading since the start. */
function started(rules: ZoneRules, contact: Contact): ZoneState {
  return { ...resumed(rules, contact), isResumed: false };
}

/** A zone at the start of the daemon. */
function resumed(rules: ZoneRules, contact: Contact): ZoneState {
  return resumeZone(rules, contact === "unknown" ? undefined : { contact, autoRestored: false }, 0);
}

function run(
  rules: ZoneRules,
  before: Contact,
  signals: readonly StepSignal[],
  { restarted = false } = {},
): { events: ZoneEvent[] } {
  let state = restarted ? resumed(rules, before) : started(rules, before);
  const events = signals.flatMap((signal) => {
    const step = stepZone(rules, state, signal);
    state = step.state;
    return step.events;
  });
  return { events };
}

function kindsOf(...parameters: Parameters<typeof run>): string[] {
  return run(...parameters).events.map((event) => {
    const detail = "cause" in event ? ` ${event.cause}` : "contact" in event ? ` ${event.contact}` : "";
    return `${event.type}${detail} at ${event.atMs}`;
  });
}
