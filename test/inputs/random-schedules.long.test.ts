import fc from "fast-check";
import { expect, test } from "vitest";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/*
 * Random days of an installation: contacts that open and close, repeated messages, restarts, power cuts, full
 * disks and clock steps. An independent model counts the edges; each must be exactly one trip. Filters are not
 * covered: the zones have none.
 */

const ZONES = [
  zoneOf({ id: "door", input: { simulated: true } }),
  zoneOf({ id: "gate", kind: "perimeter", input: { mqtt: "gate", open: ["open"] } }),
  zoneOf({ id: "pir", kind: "motion", input: { mqtt: "pir", open: ["on"] }, autoRestoreS: 30 }),
  zoneOf({ id: "smoke", kind: "fire", input: { mqtt: "smoke", open: ["on"] } }),
];
const PULSE_MS = 30_000;

type Contact = "normal" | "open" | "unknown";
type Step =
  | { readonly do: "read"; readonly zone: number; readonly contact: Contact; readonly live: boolean }
  | { readonly do: "repeat"; readonly zone: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "set-clock"; readonly ms: number }
  | { readonly do: "restart" | "reboot" | "power-cut" | "disk-full" | "disk-repaired" };

const zone = fc.nat({ max: ZONES.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("read" as const),
      zone,
      contact: fc.constantFrom<Contact>("normal", "open", "open", "unknown"),
      live: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("repeat" as const), zone }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("set-clock" as const),
      ms: fc.constantFrom(-3_600_000, -20_000, 30 * 86_400_000, 365 * 86_400_000, -1_790_000_000_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("restart" as const, "reboot" as const, "power-cut" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("disk-full" as const, "disk-repaired" as const) }),
  },
);

/** Expected results of the model. */
class Notebook {
  readonly edges = ZONES.map(() => 0);
  readonly #contact: Contact[] = ZONES.map(({ id }) => (id === "pir" ? "normal" : "unknown"));
  readonly #restedByItself = ZONES.map(({ id }) => id === "pir");
  readonly #lastOpenMs = ZONES.map(() => 0);
  /** Open by a retained value at the first reading: for a life safety zone the first live message is an edge, also after a restart. */
  readonly #isOldOpening = ZONES.map(() => false);

  reads(index: number, contact: Contact, simulate: boolean, nowMs: number): void {
    this.passes(nowMs);
    const before = this.#contact[index];
    if (contact === "unknown") return;
    if (contact === "open" && !simulate && this.#restedByItself[index]) return;
    const isFirstLive = simulate && (before === "unknown" || this.#isOldOpening[index] === true);
    const isTrip = before === "normal" || (isFirstLive && ZONES[index]?.id === "smoke");
    this.#isOldOpening[index] =
      contact === "open" && !isTrip && (before === "unknown" || this.#isOldOpening[index] === true);
    if (contact === "open" && isTrip) this.edges[index] = (this.edges[index] ?? 0) + 1;
    if (contact === "open") this.#lastOpenMs[index] = nowMs;
    this.#restedByItself[index] = false;
    this.#contact[index] = contact;
  }

  /** The pulse sensor is restored automatically. */
  passes(nowMs: number): void {
    for (const [index, { id }] of ZONES.entries()) {
      if (id !== "pir" || this.#contact[index] !== "open") continue;
      if (nowMs - (this.#lastOpenMs[index] ?? 0) < PULSE_MS) continue;
      this.#contact[index] = "normal";
      this.#restedByItself[index] = true;
    }
  }

  /** After a start the full restore time of the pulse sensor applies again. */
  starts(nowMs: number): void {
    this.#lastOpenMs.fill(nowMs);
  }
}

test("in 1,000 random days every edge is one trip, and every trip has an edge", () => {
  const day = fc.array(step, { minLength: 5, maxLength: 40 });
  fc.assert(
    fc.property(day, (steps) => {
      const site = new MonitoredZones(ZONES);
      try {
        const notebook = new Notebook();
        simulate(site, notebook, steps);
        for (const [index, { id }] of ZONES.entries()) {
          const stored = site.trips.filter(({ zoneId, type }) => zoneId === id && type === "trip").length;
          const counted = site.journal.swingers.find(id)?.counted ?? 0;
          expect(stored + counted, id).toBe(notebook.edges[index]);
        }
      } finally {
        site.close();
      }
    }),
    { numRuns: 1000 },
  );
}, 300_000);

/** Simulates a day. Readings rejected by a full disk are delivered again, as by a broker, until the disk works. */
function simulate(site: MonitoredZones, notebook: Notebook, steps: readonly Step[]): void {
  const last: ({ contact: Contact; live: boolean } | undefined)[] = ZONES.map(() => undefined);
  const owed: { zone: number; contact: Contact; live: boolean }[] = [];
  const read = (index: number, contact: Contact, isLive: boolean): void => {
    if (owed.length > 0) {
      owed.push({ zone: index, contact, live: isLive });
      return;
    }
    try {
      site.monitor.read(ZONES[index]?.id ?? "", contact, { live: isLive });
      notebook.reads(index, contact, isLive, site.clock.monotonicMs());
    } catch {
      owed.push({ zone: index, contact, live: isLive });
    }
  };
  const repair = (): void => {
    site.repairJournal();
    // Readings that were due while the disk was full are recorded within a second.
    site.clock.advance(1000);
    for (const { zone: index, contact, live: isLive } of owed.splice(0)) read(index, contact, isLive);
  };
  for (const one of steps) {
    if (one.do === "read") {
      last[one.zone] = one;
      read(one.zone, one.contact, one.live);
    } else if (one.do === "repeat") {
      const said = last[one.zone];
      if (said) read(one.zone, said.contact, said.live);
    } else if (one.do === "wait") site.clock.advance(one.ms);
    else if (one.do === "set-clock") site.clock.stepWall(one.ms);
    else if (one.do === "disk-full") site.breakJournal();
    else {
      repair();
      if (one.do === "disk-repaired") continue;
      notebook.passes(site.clock.monotonicMs());
      if (one.do === "restart") site.restart();
      if (one.do === "reboot") site.reboot();
      if (one.do === "power-cut") site.losePower(5000);
      notebook.starts(site.clock.monotonicMs());
    }
  }
  repair();
}

test("for any trips and restarts of the daemon, each trip is in one intervention of its objective", async () => {
  const zones = [1, 1, 2, 2, 3].map((id, index) =>
    zoneOf({
      id: `zone-${index}`,
      kind: index === 3 ? "fire" : "intrusion",
      objective: { type: "obiective/cladiri", id },
      input: { simulated: true },
    }),
  );
  const site = await DispatchingSite.make(zones);
  const act = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("trip" as const), zone: fc.nat({ max: 4 }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant("wait" as const), s: fc.constantFrom(60, 900, 1801) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("done" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 15 }), async (acts) => {
      for (const one of acts) {
        if (one.do === "trip") await site.trip(`zone-${one.zone}`);
        else if (one.do === "wait") site.zones.clock.advance(one.s * 1000);
        else if (one.do === "restart") await site.restart();
        else
          for (const { id, status } of site.records)
            if (status !== "done") site.change(id, { status: "done" });
      }
      await site.settled();
      const records = new Map(site.records.map((record) => [record.id, record]));
      for (const { state, subject, interventionId, type, key } of site.zones.trips) {
        if (state === "swinger" || type !== "trip") continue;
        expect(["posted", "merged"]).toContain(state);
        const record = records.get(interventionId ?? 0);
        const kind = record?.firetruck ? "fire" : "burglary";
        expect(`${kind}/${record?.objectiveType}/${record?.objectiveId}`).toBe(subject);
        // Its own record exists if and only if it was posted.
        const own = site.zones.journal.incidents.find(key);
        expect(own !== undefined).toBe(state === "posted");
      }
      const opened = site.zones.trips.filter(({ state }) => state === "posted").length;
      expect(records.size).toBe(opened);
    }),
    { numRuns: 25 },
  );
});
