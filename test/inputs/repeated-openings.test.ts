import { describe, expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/* Reviews of a camera: a person in the yard is `new`, then `update` every few seconds, then `end`. */

const TOPIC = "frigate/reviews";
const YARD: Partial<ZoneOptions> & Pick<ZoneOptions, "input"> = {
  id: "yard",
  name: "Yard camera",
  kind: "motion",
  objective: { type: "obiective/cladiri", id: 1 },
  input: {
    mqtt: TOPIC,
    where: [{ path: "/after/camera", in: ["yard"] }],
    path: "/type",
    open: ["new", "update"],
    normal: ["end"],
    dedupe: { path: "/after/id" },
  },
  autoRestoreS: 30,
};

let site: DispatchingSite;
let mqtt: MqttZones;

async function watch(options = YARD): Promise<void> {
  site = await DispatchingSite.make([zoneOf(options)]);
  mqtt = new MqttZones(site.zones.common);
  await publish("end", "before");
}

async function publish(type: string, id: string | number | null): Promise<void> {
  const payload = Buffer.from(JSON.stringify({ type, before: {}, after: { id, camera: "yard" } }));
  await mqtt.deliver({ topic: TOPIC, payload, isRetained: false });
}
async function restart(powerCutMs?: number): Promise<void> {
  if (powerCutMs === undefined) await site.restart();
  else await site.powerCut(powerCutMs);
  mqtt = new MqttZones(site.zones.common);
}
const passes = (seconds: number): void => site.zones.clock.advance(seconds * 1000);
const trips = (): number => site.zones.trips.length;
const repeated = () =>
  site.zones.events.filter(({ event }) => event === "opening-repeated").map(({ detail }) => detail);

describe("openings with the same value", () => {
  test("are one trip, and the repetition is logged with its reason", async () => {
    await watch();
    await publish("new", "1718987129.308396-fqk5ka");
    passes(60);
    await publish("update", "1718987129.308396-fqk5ka");
    passes(60);
    await publish("update", "1718987129.308396-fqk5ka");
    await publish("end", "1718987129.308396-fqk5ka");
    expect(trips()).toBe(1);
    expect(repeated()).toMatchObject([
      { value: "1718987129.308396-fqk5ka", times: 1, openedAt: "2026-11-20T21:30:00.000Z" },
      { times: 2 },
    ]);
    expect(repeated()[0]?.["reason"]).toMatch(/dispatched/);
  });

  test("are one also across a restart of the daemon and a power cut", async () => {
    await watch();
    await publish("new", "a");
    passes(60);
    await restart();
    await publish("update", "a");
    await restart(60_000);
    await publish("update", "a");
    expect(trips()).toBe(1);
    await publish("new", "b");
    expect(trips()).toBe(2);
  });

  test("are one within the incident window, and two beyond it", async () => {
    await watch();
    await publish("new", "a");
    passes(1799);
    await publish("update", "a");
    expect(trips()).toBe(1);
    passes(2);
    await publish("update", "a");
    expect(trips()).toBe(2);
  });

  test("are two if the first was suppressed by a bypass: the dispatch centre has neither", async () => {
    await watch();
    const ana = { who: "ana", from: "test" };
    site.zones.zoneService.zoneOverrides.bypass("yard", { reason: "cleaning", minutes: 10 }, ana);
    await publish("new", "a");
    passes(60);
    site.zones.zoneService.zoneOverrides.restore("yard", ana);
    await publish("update", "a");
    await site.settled();
    expect(site.dispositions).toEqual(["bypassed", "posted"]);
    passes(60);
    await publish("update", "a");
    expect(trips()).toBe(2);
  });

  test("are two if the first was too short to be confirmed, although another one tripped between", async () => {
    await watch({ ...YARD, confirmMs: 2000 });
    await publish("new", "a");
    passes(1);
    await publish("end", "a");
    await publish("new", "b");
    passes(3);
    await site.settled();
    expect(trips()).toBe(1);
    await publish("end", "b");
    await publish("new", "a");
    passes(3);
    await site.settled();
    expect(trips()).toBe(2);
    await publish("update", "b");
    await publish("update", "a");
    passes(3);
    expect(trips()).toBe(2);
  });

  test("are one if the first was still being confirmed", async () => {
    await watch({ ...YARD, confirmMs: 2000 });
    await publish("new", "a");
    passes(1);
    await publish("update", "a");
    passes(60);
    expect(trips()).toBe(1);
    await publish("update", "a");
    passes(60);
    expect(trips()).toBe(1);
  });

  test("are two if the message has no value to compare", async () => {
    await watch();
    await publish("new", null);
    passes(60);
    await publish("new", null);
    expect(trips()).toBe(2);
  });

  test("that the journal could not record are not known yet", async () => {
    await watch();
    site.zones.breakJournal();
    await expect(publish("new", "a")).rejects.toThrow(/readonly/);
    site.zones.repairJournal();
    await publish("new", "a");
    expect(trips()).toBe(1);
  });

  test("show that the camera is online", async () => {
    await watch({ ...YARD, supervisionTimeoutS: 900 });
    await publish("new", "a");
    for (let minute = 0; minute < 20; minute += 1) {
      passes(60);
      await publish("update", "a");
    }
    expect(site.zones.journal.faults.list()).toEqual([]);
  });

  test("of a life-safety zone all count: one record while it is open, another once it is done", async () => {
    await watch({ ...YARD, kind: "panic" });
    await publish("new", "button-1");
    passes(60);
    await publish("new", "button-1");
    await site.settled();
    expect(trips()).toBe(2);
    expect(site.records).toHaveLength(1);
    site.change(1, { status: "done" });
    passes(60);
    await publish("new", "button-1");
    await site.settled();
    expect(site.records).toHaveLength(2);
  });

  test("are compared with the newest 64 events of a zone", async () => {
    await watch({ ...YARD, swinger: false });
    for (let event = 0; event < 70; event += 1) {
      await publish("new", event);
      passes(31);
    }
    const kept = site.zones.database.prepare("SELECT count(*) FROM openings").pluck().get();
    expect(kept).toBe(64);
  });
});
