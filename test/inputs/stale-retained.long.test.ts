import { afterEach, beforeEach, expect, test } from "vitest";
import { StaleRetained } from "../../src/inputs/stale-retained.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { MqttSite } from "../support/mqtt-site.ts";

/* A retained message that newer ones do not replace is sent after each interruption as if it were the present state. */

const DOOR = zoneOf({
  id: "door",
  input: { mqtt: "door", open: ["open"], normal: ["closed"] },
  gate: { mqtt: "keypad", open: ["armed"], normal: ["disarmed"] },
  swinger: false,
});
const YARD = zoneOf({ id: "yard", input: { mqtt: "yard/+", open: ["open"], normal: ["closed"] } });

describeWithMosquitto("a message that was retained once at an external broker", () => {
  let site: MqttSite;
  beforeEach(async () => {
    site = await MqttSite.make([DOOR, YARD]);
  });
  afterEach(() => site.end());

  const retain = (topic: string, payload: string): Promise<unknown> =>
    site.sensor.publishAsync(topic, payload, { qos: 1, retain: true });
  const isStale = (): boolean => site.conditions.includes("mqtt-retained-stale");
  const text = (): string | undefined =>
    site.health.list().find(({ code }) => code === "mqtt-retained-stale")?.text;
  /** All that was sent before is read. */
  async function allRead(): Promise<void> {
    const contact = site.contactOf("yard") === "open" ? "normal" : "open";
    await site.publish("yard/last", contact === "open" ? "open" : "closed");
    await eventually("the last message", () => site.contactOf("yard") === contact);
  }
  const trips = (): string[] => site.trips.flatMap(({ zoneId, state }) => (zoneId === "door" ? [state] : []));

  test("is a condition once newer ones do not replace it, without a trip, until it is removed", async () => {
    await retain("door", "open");
    await site.listen();
    await eventually("the retained message", () => site.contactOf("door") === "open");
    await site.publish("door", "closed");
    await eventually("the closing", () => site.contactOf("door") === "normal");
    site.clock.advance(5_000);
    await eventually("the condition", isStale);
    expect(text()).toContain("mosquitto_pub -r -n -t door");
    expect(site.contactOf("door")).toBe("normal");
    expect(trips()).toEqual([]);
    await retain("door", "");
    await eventually("the end of the condition", () => !isStale());
  });

  test("is no longer a condition once its sender retains its messages", async () => {
    await retain("keypad", "disarmed");
    await site.listen();
    await eventually("the disarming", () => site.zoneService.zoneOverrides.gates.isClosed(DOOR));
    await site.publish("keypad", "armed");
    await allRead();
    site.clock.advance(5_000);
    await eventually("the condition", isStale);
    await retain("keypad", "armed");
    await allRead();
    site.clock.advance(600_000);
    await eventually("the end of the condition", () => !isStale());
    await retain("keypad", "disarmed");
    await allRead();
    await reconnect();
    await eventually("the disarming", () => site.zoneService.zoneOverrides.gates.isClosed(DOOR));
  });

  test("does not disarm after an interruption, but one that is published meanwhile does", async () => {
    await retain("keypad", "disarmed");
    await site.listen();
    await eventually("the disarming", () => site.zoneService.zoneOverrides.gates.isClosed(DOOR));
    await site.publish("keypad", "armed");
    await allRead();
    site.clock.advance(5_000);
    await eventually("the condition", isStale);
    await reconnect();
    await allRead();
    expect(site.zoneService.zoneOverrides.gates.isClosed(DOOR)).toBe(false);
    await site.publish("door", "closed");
    await site.publish("door", "open");
    await allRead();
    expect(trips()).toEqual(["waiting"]);
    await retain("keypad", "armed");
    await retain("keypad", "disarmed");
    await eventually("the disarming", () => site.zoneService.zoneOverrides.gates.isClosed(DOOR));
  });

  test("trips if the contact has opened during an interruption", async () => {
    await retain("door", "closed");
    await site.listen();
    await eventually("the retained message", () => site.contactOf("door") === "normal");
    await retain("door", "open");
    await eventually("the opening", () => trips().length === 1);
    await retain("door", "closed");
    await allRead();
    site.clock.advance(5_000);
    await allRead();
    await reconnect(() => retain("door", "open"));
    await eventually("the second opening", () => trips().length === 2);
    expect(isStale()).toBe(false);
  });

  test("of one topic is found among others that are retained, with one question to the broker", async () => {
    for (const topic of ["yard/1", "yard/2", "yard/3"]) await retain(topic, "closed");
    await site.listen();
    await eventually("the retained messages", () => site.contactOf("yard") === "normal");
    await retain("yard/1", "open");
    await site.publish("yard/2", "open");
    await retain("yard/3", "open");
    await site.publish("door", "open");
    await eventually("all of them", () => site.contactOf("door") === "open");
    site.clock.advance(5_000);
    await eventually("the condition", isStale);
    expect(text()).toContain("(yard/2)");
  });

  async function reconnect(meanwhile = async (): Promise<unknown> => undefined): Promise<void> {
    const before = site.logged("mqtt-subscribed").length;
    await site.broker.kill();
    await eventually("the interruption", () => site.conditions.includes("mqtt-unreachable"));
    await site.broker.startAgain();
    await meanwhile();
    await eventually("the subscription", () => site.logged("mqtt-subscribed").length > before);
  }
});

test("the first retained message after an interruption is read, whatever was queued before it", () => {
  const { clock, common } = MonitoredZones.forTest([DOOR]);
  const asked: string[] = [];
  const retained = new StaleRetained({
    ...common,
    filters: () => ["door"],
    readAgain: (filter) => asked.push(filter),
  });
  const [open, closed] = [Buffer.from("open"), Buffer.from("closed")];
  retained.connected();
  expect(retained.ageOf("door", open, true)).toBe("current");
  retained.connected();
  expect(retained.ageOf("door", closed, false)).toBe("current");
  expect(retained.ageOf("door", open, true)).toBe("current");
  clock.advance(5_000);
  expect(asked).toEqual([]);
});
