import { beforeEach, describe, expect, test } from "vitest";
import { RecordJourneys, type RecordJourneysParts } from "../../src/site/record-journeys.ts";
import type { CentreJourneyView } from "../../src/site/journey-view.ts";
import { SiteSync } from "../../src/site/sync.ts";
import { ObjectiveStore } from "../../src/store/objectives.ts";
import { UnfinishedInterventions } from "../../src/store/unfinished-records.ts";
import { DEVICE_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* What is shown of an alarm that the dispatch centre has, but not the trip that has joined it since. */

const UNDELIVERED_S = 30;
const MINUTE_MS = 60_000;

let centre: InMemoryCentre;
let site: SyncingSite;
let id: number;
let journeys: RecordJourneys;
let notes: string;

beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
  notes = "03:27 Door";
  ({ id } = site.create({ priority: "high", type: "other", police: true, notes }));
  await site.push.cycle();
  journeys = new RecordJourneys({
    config: { zones: [], upstream: { undeliveredS: UNDELIVERED_S }, upstreams: [], role: "site" },
    clock: site.app.clock,
    outbox: site.outbox,
    unfinished: new UnfinishedInterventions(site.app.database),
    objectives: new ObjectiveStore(site.app.database),
    transmissions: { ofRecord: () => [] },
    trips: {
      find: () => undefined,
      ofIntervention: () => [
        { type: "restore", state: "posted", zoneId: "gate" },
        { type: "trip", state: "merged", zoneId: "ramp", signal: { name: "Ramp" }, isDated: false },
        { type: "trip", state: "posted", zoneId: "door", signal: { name: "Door" }, isDated: false },
      ],
    },
  } as unknown as RecordJourneysParts);
});

function shown(): CentreJourneyView | null | undefined {
  return journeys.find(id)?.centre;
}

function join(line: string): void {
  notes += `\n${line}`;
  site.app.interventions.change(id, { body: { notes }, hasTripJoined: true }, DEVICE_USER);
}

async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    site.app.clock.advance(MINUTE_MS);
    await site.push.cycleWithChecks();
  }
}

test("an alarm that a user has stopped sending is shown as unknown to the centre until it is done", async () => {
  centre.instead = () => json(503, {});
  const alarm = site.create({ priority: "high", type: "other", police: true });
  const stopped = (): unknown => journeys.find(alarm.id)?.centre?.isStopped;
  expect(stopped()).toBe(false);
  site.push.operator.drop(alarm.id);
  expect(stopped()).toBe(true);
  expect(journeys.find(alarm.id)?.centre).toMatchObject({ phase: "closed", isUndelivered: false });
  site.app.interventions.change(alarm.id, { body: { status: "done" } }, DEVICE_USER);
  expect(stopped()).toBe(false);
});

describe("while the link is down", () => {
  beforeEach(() => {
    centre.instead = () => json(503, {});
  });

  test("its later trip is not shown as arrived, and is undelivered after the configured time", async () => {
    expect(shown()).toMatchObject({ tripWaitingSince: null, isUndelivered: false });
    await minutes(14);
    expect(shown()).toMatchObject({ isUndelivered: false });
    const joinedAt = new Date(site.app.clock.wallMs()).toISOString();
    join("03:41 Window");
    expect(shown()).toMatchObject({
      tripWaitingSince: joinedAt,
      latestTrip: { zone: "Ramp", at: null },
      isUndelivered: false,
    });
    site.app.clock.advance(20_000);
    join("03:41 Cellar");
    site.app.clock.advance(20_000);
    expect(shown()).toMatchObject({ tripWaitingSince: joinedAt, isUndelivered: true });
    expect(new UnfinishedInterventions(site.app.database).isArrivedOrClosed(id)).toBe(false);
    centre.instead = () => undefined;
    await minutes(20);
    expect(shown()).toMatchObject({ tripWaitingSince: null, isUndelivered: false });
    expect(new UnfinishedInterventions(site.app.database).isArrivedOrClosed(id)).toBe(true);
  });

  test("the queue is as old as its first trip, however many follow", async () => {
    const joinedMs = site.app.clock.wallMs();
    for (let trip = 0; trip < 5; trip += 1) {
      join(`03:4${trip} Zone ${trip}`);
      await minutes(4);
    }
    expect(site.outbox.summary()).toMatchObject({ waiting: 1, oldestWaitingMs: joinedMs });
  });

  test("its state in words is that a change waits", async () => {
    const sync = new SiteSync({
      config: { upstream: {}, zones: [] },
      clock: site.app.clock,
      outbox: site.outbox,
      sync: { link: () => Promise.resolve({ nextAttemptAt: null, alarmNextAttemptAt: null }) },
    } as unknown as ConstructorParameters<typeof SiteSync>[0]);
    expect((await sync.recordOf(id))?.text).toBe("synced; changes are sent automatically");
    join("03:41 Window");
    expect((await sync.recordOf(id))?.text).toBe(
      "the dispatch centre has it, but not the latest change, which waits",
    );
  });
});

test("trips every four minutes do not put off the report that the centre does not accept them", async () => {
  centre.instead = ({ method }) => (method === "PUT" ? json(500, {}) : undefined);
  for (let trip = 0; trip < 3; trip += 1) {
    join(`03:4${trip} Zone ${trip}`);
    await minutes(4);
  }
  expect(site.conditions()).toEqual(["upstream-rejects-alarm"]);
  centre.instead = () => undefined;
  await minutes(15);
  expect(site.conditions()).toEqual([]);
});

test("a step of the clock does not change how long a trip has waited", async () => {
  centre.instead = () => json(503, {});
  join("03:41 Window");
  site.app.clock.advance(10_000);
  site.app.clock.stepWall(3_600_000);
  await site.push.cycleWithChecks();
  expect(shown()).toMatchObject({ isUndelivered: false });
});
