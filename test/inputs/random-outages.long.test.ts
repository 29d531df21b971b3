import type { IncomingMessage, ServerResponse } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/*
 * Random outages of the local API while zones trip, with restarts and power cuts. The trips of one class at one objective within
 * the window are one intervention, which names each zone and is confirmed by a second one.
 */

const at = (id: number) =>
  ({ objective: { type: "obiective/cladiri", id }, input: { simulated: true }, swinger: false }) as const;
const ZONES = [
  zoneOf({ id: "door", name: "Door", ...at(1) }),
  zoneOf({ id: "hall", name: "Hall", kind: "motion", ...at(1) }),
  zoneOf({ id: "glass", name: "Glass", kind: "glass", ...at(1) }),
  zoneOf({ id: "smoke", name: "Smoke", kind: "fire", ...at(1) }),
  zoneOf({ id: "heat", name: "Heat", kind: "fire", ...at(1) }),
  zoneOf({ id: "gate", name: "Gate", ...at(2) }),
  zoneOf({ id: "fence", name: "Fence", kind: "perimeter", ...at(2) }),
];

/** `deaf`: the request is lost. `mute`: its response is lost. `hangs`: it is lost, and that is seen later. */
type Answer = "answers" | "deaf" | "mute" | "busy" | "hangs";
type Act =
  | { readonly do: "trip"; readonly zone: number }
  | { readonly do: "api"; readonly is: Answer; readonly only: "POST" | "PUT" | "all" }
  | { readonly do: "edit"; readonly how: "fill" | "move" }
  | { readonly do: "attempt" | "restart" | "power-cut" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("trip" as const), zone: fc.nat({ max: ZONES.length - 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("api" as const),
      is: fc.constantFrom<Answer>("answers", "deaf", "mute", "busy", "hangs"),
      only: fc.constantFrom("POST" as const, "PUT" as const, "all" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("attempt" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      how: fc.constantFrom("fill" as const, "move" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "power-cut" as const) }) },
);

/** The requests that hang. */
const hanging: IncomingMessage[] = [];

test("for any outages of the local API, the trips of one incident are one confirmed intervention", async () => {
  const site = await DispatchingSite.make(ZONES);
  let api: Extract<Act, { do: "api" }> = { do: "api", is: "answers", only: "all" };
  site.intercept = (request, response) => {
    if (api.is === "answers" || (api.only !== "all" && request.method !== api.only)) return false;
    return withoutAnswer(api.is, request, response);
  };
  let [seq, id] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 20 }), async (acts) => {
      for (const one of acts) {
        if (one.do === "trip") trip(site, ZONES[one.zone]?.id ?? "");
        else if (one.do === "api") api = one;
        else if (one.do === "attempt") await attempt(site);
        else if (one.do === "edit") edit(site, id, one.how);
        else {
          const restarted = one.do === "restart" ? site.restart() : site.powerCut(1_000);
          endHanging();
          await restarted;
        }
      }
      api = { do: "api", is: "answers", only: "all" };
      endHanging();
      await site.settled();
      const trips = site.zones.trips.filter((row) => row.seq > seq && row.type === "trip");
      const records = site.records.filter((record) => record.id > id);
      for (const subject of new Set(trips.map((row) => row.subject))) {
        const own = trips.filter((row) => row.subject === subject);
        const ids = new Set(own.map(({ interventionId }) => interventionId));
        const ofSubject = records.filter((record) => ids.has(record.id));
        const names = [...new Set(own.map(({ signal }) => signal.name))];
        const text = ofSubject.map(({ name, notes }) => `${name} ${notes}`).join(" ");
        for (const name of names) expect(text).toContain(name);
        const isConfirmed = subject.startsWith("burglary") && names.length > 1;
        expect(
          ofSubject.some(({ police }) => police),
          subject,
        ).toBe(isConfirmed);
        const further = ofSubject.filter(({ description }) => !description?.startsWith("Continues "));
        expect(further, subject).toHaveLength(1);
      }
      if (acts.every((one) => one.do !== "edit"))
        expect(records).toHaveLength(new Set(trips.map((row) => row.subject)).size);
      // Before they are done, or the zones that are still open would be listed in a new record.
      for (const zone of ZONES) site.zones.monitor.read(zone.id, "normal", { live: true });
      await site.settled();
      for (const record of records) site.change(record.id, { status: "done" });
      seq = site.zones.journal.trips.lastSeq();
      id = Math.max(id, ...records.map((record) => record.id));
      site.zones.clock.advance(7_200_000);
    }),
    { numRuns: 100, endOnFailure: true },
  );
}, 600_000);

function trip(site: DispatchingSite, zoneId: string): void {
  site.zones.monitor.read(zoneId, "normal", { live: true });
  site.zones.monitor.read(zoneId, "open", { live: true });
  site.requestDispatch();
}

/** As a user does: the notes of the newest record are full, or it is moved. The next trip opens one that continues it. */
function edit(site: DispatchingSite, after: number, how: "fill" | "move"): void {
  const newest = site.records.at(-1);
  if (newest === undefined || newest.id <= after) return;
  site.change(
    newest.id,
    how === "move" ? { objectiveId: 3 } : { notes: `${newest.notes ?? ""}\n`.padEnd(3_995, "x") },
  );
}

/** Waits until the waiting trips were tried once, or all of them are dispatched. */
async function attempt(site: DispatchingSite): Promise<void> {
  const { journal, clock } = site.zones;
  const before = site.zones.logged("trip-post-failed").length;
  clock.advance(1_000);
  site.requestDispatch();
  await eventually("an attempt", () => {
    endHanging();
    return (
      journal.trips.nextWaiting(0) === undefined || site.zones.logged("trip-post-failed").length > before
    );
  });
}

function endHanging(): void {
  for (const request of hanging.splice(0)) request.socket.destroy();
}

function withoutAnswer(
  is: Exclude<Answer, "answers">,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (is === "busy") response.writeHead(503).end("{}");
  if (is === "deaf") request.socket.destroy();
  if (is === "hangs") hanging.push(request);
  if (is !== "mute") return true;
  response.end = () => {
    request.socket.destroy();
    return response;
  };
  return false;
}
