import { onRollback } from "../../src/store/transaction.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const WINDOWS = zoneOf({
  id: "windows",
  input: { mqtt: "windows/+/state", open: ["open"], normal: ["closed"] },
  tamper: { mqtt: "windows/+/cover", open: ["off"] },
  battery: { mqtt: "windows/+/battery", below: 15 },
  availability: { mqtt: "windows/+/availability" },
});
const HALL = zoneOf({
  id: "hall",
  input: { mqtt: "hall", open: ["open"], normal: ["closed"] },
  gate: { mqtt: "alarm/+/state", open: ["armed"], normal: ["disarmed"] },
});

/** Its battery is the last message. */
const LAST = zoneOf({ id: "last", input: { gpio: 4 }, battery: { mqtt: "last/battery", below: 15 } });

describeWithMosquitto("a filter with several topics", () => {
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make([WINDOWS, HALL, LAST]);
    await site.listen();
    for (const window of ["left", "right"]) await site.publish(`windows/${window}/state`, "closed");
    await site.publish("hall", "closed");
    await eventually("the first readings", () => site.contactOf("hall") === "normal");
  });
  afterEach(() => site.end());

  /** A message that the broker sends again to each subscription. */
  const retain = (topic: string, payload: string): Promise<unknown> =>
    site.sensor.publishAsync(topic, payload, { qos: 1, retain: true });
  async function restart(): Promise<void> {
    await site.readings.stop();
    site.restart();
    await site.listen();
  }
  /** Waits until the messages so far are processed: the broker sends them in order. */
  async function processed(): Promise<void> {
    const count = (): number => site.logged("mqtt-signal").filter(({ zone }) => zone === "last").length;
    const before = count();
    await site.publish("last/battery", "90");
    await eventually("the last message", () => count() > before);
  }
  const faults = (): string[] => site.journal.faults.list().map(({ owner, fault }) => `${owner} ${fault}`);

  test("is one trip of an open window, although after a restart another one reports first that it is closed", async () => {
    await retain("windows/right/state", "closed");
    await site.publish("windows/left/state", "open");
    await eventually("the trip", () => site.trips.length === 1);
    await restart();
    await site.publish("windows/right/state", "closed");
    await site.publish("windows/left/state", "open");
    await processed();
    expect(site.contactOf("windows")).toBe("open");
    expect(site.restores).toEqual([]);
    await site.publish("windows/left/state", "closed");
    await eventually("the restore", () => site.restores.length === 1);
    expect(site.trips).toHaveLength(1);
  });

  test("opens again after its zone was closed by a former release of the daemon", async () => {
    await site.publish("windows/left/state", "open");
    await eventually("the trip", () => site.trips.length === 1);
    await site.readings.stop();
    const stored = site.journal.stateOf("windows");
    if (stored) site.journal.zoneStates.save("windows", { ...stored, contact: "normal" });
    site.restart();
    await site.listen();
    for (const state of ["open", "closed"]) await site.publish("windows/right/state", state);
    await eventually("the restore", () => site.restores.length === 1);
    expect(site.trips).toHaveLength(2);
  });

  /** What a former release leaves: it marks that it runs, and does not know of active topics. */
  async function formerRelease(changes: readonly string[] = []): Promise<void> {
    await site.readings.stop();
    site.stop();
    site.database.exec("INSERT OR REPLACE INTO alive(only, wall) VALUES(1, 1)");
    for (const change of changes) site.database.exec(change);
    site.restart();
    await site.listen();
  }
  const deleteFault = "DELETE FROM faults";

  test.each([
    ["after a former release", () => formerRelease([deleteFault])],
    [
      "after a former release whose clock was not set",
      async () => {
        await site.readings.stop();
        site.database.exec(deleteFault);
        await restart();
      },
    ],
  ])(
    "has no new tamper %s has ended it, when another sensor reports that it is well",
    async (_title, former) => {
      await site.publish("windows/left/cover", "off");
      await eventually("the fault", () => faults().length === 1);
      await former();
      await site.publish("windows/right/cover", "on");
      await processed();
      expect(faults()).toEqual([]);
    },
  );

  test("disarms after the armed keypad was disarmed while a former release ran", async () => {
    await site.publish("alarm/a/state", "armed");
    await eventually("the arming", () => !site.zoneService.zoneOverrides.gates.isClosed(HALL));
    await formerRelease(["UPDATE gate_states SET state = 'closed'"]);
    await site.publish("alarm/b/state", "disarmed");
    await eventually("the disarming", () => site.zoneService.zoneOverrides.gates.isClosed(HALL));
  });

  test("closes its zone after another window was opened while a former release ran", async () => {
    await site.publish("windows/left/state", "open");
    await eventually("the trip", () => site.trips.length === 1);
    await formerRelease();
    for (const state of ["open", "closed", "open"]) await site.publish("windows/right/state", state);
    await eventually("the restore", () => site.restores.length === 1);
    await eventually("the second trip", () => site.trips.length === 2);
    await restart();
    await site.publish("windows/left/state", "closed");
    await processed();
    expect(site.contactOf("windows")).toBe("open");
  });

  test("has the tamper, the low battery and the loss of each sensor until that sensor ends it, also after a restart", async () => {
    const report = async (window: string, cover: string, battery: string, state: string): Promise<void> => {
      await site.publish(`windows/${window}/cover`, cover);
      await site.publish(`windows/${window}/battery`, battery);
      await site.publish(`windows/${window}/availability`, state);
    };
    await report("left", "off", "9", "offline");
    await report("right", "on", "90", "online");
    await processed();
    expect(faults()).toEqual(expect.arrayContaining(["windows tamper", "windows battery"]));
    expect(site.journal.losses.list()).toMatchObject([{ of: "windows" }]);
    await restart();
    await report("right", "on", "90", "online");
    await processed();
    expect(faults()).toEqual(expect.arrayContaining(["windows tamper", "windows battery"]));
    expect(site.journal.losses.list()).toMatchObject([{ of: "windows" }]);
    await report("left", "on", "90", "online");
    await eventually("the end of all", () => site.journal.losses.list().length === 0);
    expect(faults()).toEqual([]);
  });

  test("ends what a topic has reported when its retained message is removed, as of a renamed sensor", async () => {
    await retain("windows/left/state", "open");
    await retain("windows/left/cover", "off");
    await retain("windows/left/battery", "9");
    await retain("windows/left/availability", "offline");
    await eventually("the reports", () => faults().length === 2 && site.journal.losses.list().length === 1);
    await restart();
    for (const part of ["state", "cover", "battery", "availability"]) {
      await retain(`windows/right/${part}`, "");
      await retain(`windows/unknown/${part}`, "");
    }
    await processed();
    expect(faults()).toHaveLength(2);
    expect(site.journal.losses.list()).toHaveLength(1);
    expect(site.contactOf("windows")).toBe("open");
    for (const part of ["state", "cover", "battery", "availability"])
      await retain(`windows/left/${part}`, "");
    await eventually("the restore", () => site.restores.length === 1);
    await processed();
    expect(faults()).toEqual([]);
    expect(site.journal.losses.list()).toEqual([]);
    await site.publish("windows/right/state", "open");
    await eventually("the next trip", () => site.trips.filter(({ type }) => type === "trip").length === 2);
    expect(site.logged("mqtt-topic-active").at(-1)).toMatchObject({
      kind: "contact",
      of: "windows",
      topic: "windows/right/state",
    });
  });

  test("is unknown for a gate whose armed keypad is removed, and disarmed by the next message of another keypad", async () => {
    const { gates } = site.zoneService.zoneOverrides;
    await site.publish("alarm/b/state", "disarmed");
    await eventually("the disarming", () => gates.isClosed(HALL));
    await retain("alarm/a/state", "armed");
    await eventually("the arming", () => !gates.isClosed(HALL));
    await retain("alarm/a/state", "");
    await eventually("the unknown state", () => gates.isUnknown(HALL));
    await site.publish("alarm/b/state", "disarmed");
    await eventually("the disarming", () => gates.isClosed(HALL));
  });

  test("arms while any keypad is armed, also after a restart", async () => {
    const open = async (): Promise<void> => {
      for (const state of ["open", "closed"]) await site.publish("hall", state);
      await processed();
    };
    await site.publish("alarm/a/state", "armed");
    await site.publish("alarm/b/state", "disarmed");
    await open();
    await restart();
    await site.publish("alarm/b/state", "disarmed");
    await open();
    await site.publish("alarm/a/state", "disarmed");
    await open();
    expect(site.trips.map(({ state }) => state)).toEqual(["waiting", "waiting", "gated"]);
  });

  test.each([
    ["an arming", "gate_states", "gate-state-write-failed", "alarm/a/state", ["armed", "armed"]],
    [
      "its active topics",
      "active_topics",
      "active-topics-write-failed",
      "windows/left/cover",
      ["off", "off"],
    ],
  ])(
    "reports each error of the journal in which %s cannot be stored, and logs it once",
    async (_what, table, event, topic, payloads) => {
      const errors: unknown[] = [];
      onRollback(site.database, (error) => errors.push(error));
      site.database.exec(
        `CREATE TEMP TRIGGER damaged BEFORE INSERT ON ${table} BEGIN SELECT RAISE(FAIL, 'damaged'); END`,
      );
      for (const payload of payloads) await site.publish(topic, payload);
      await processed();
      expect(errors).toHaveLength(payloads.length);
      expect(site.logged(event)).toHaveLength(1);
    },
  );

  test("arms although the disk was full, also after a restart", async () => {
    site.database.exec(
      "CREATE TEMP TRIGGER disk_full BEFORE INSERT ON active_topics BEGIN SELECT RAISE(FAIL, 'disk full'); END",
    );
    await site.publish("alarm/a/state", "armed");
    await eventually("the error", () => site.logged("active-topics-write-failed").length > 0);
    site.database.exec("DROP TRIGGER disk_full");
    await site.publish("alarm/b/state", "disarmed");
    await processed();
    await restart();
    await site.publish("alarm/b/state", "disarmed");
    await processed();
    expect(site.zoneService.zoneOverrides.gates.isClosed(HALL)).toBe(false);
    await site.publish("alarm/a/state", "disarmed");
    await eventually("the disarming", () => site.zoneService.zoneOverrides.gates.isClosed(HALL));
  });
});
