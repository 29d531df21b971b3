import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { GpioPort } from "../../src/inputs/gpio/gpio-port.ts";
import { SimulatedLines } from "../../src/inputs/gpio/gpio-port.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { OnBattery } from "../../src/ops/on-battery.ts";
import { CurrentContacts } from "../../src/site/current-contacts.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const MINUTE_MS = 60_000;
const LIMIT_MS = 6 * MINUTE_MS;

let orders: number;
let stop: () => void;
beforeEach(() => {
  orders = 0;
});

/** Powers off six minutes after the loss of mains. */
function powersOff(site: MonitoredZones): void {
  const contacts = new CurrentContacts({
    clock: site.clock,
    health: site.health,
    zoneService: site.zoneService,
  });
  const battery = new OnBattery({
    config: () => ({ mains: "mains", batteryLow: null, powerOffAfterMs: LIMIT_MS }),
    contactOf: (zoneId) => contacts.contactOf(zoneId),
    waiting: () => 0,
    fault: undefined,
    hostUpMs: 3_600_000,
    powerOff: () => (orders += 1),
    clock: site.clock,
    log: site.log,
    conditions: site.health,
    record: () => {},
  });
  stop = battery.start();
}

describeWithMosquitto(
  "a site on battery whose broker is out of reach, as behind an access point without a battery",
  () => {
    const MAINS = zoneOf({
      id: "mains",
      kind: "power",
      input: { mqtt: "ups", open: ["OB"], normal: ["OL"] },
      availability: { mqtt: "ups/availability" },
    });
    let site: MqttSite;
    beforeEach(async () => {
      site = await MqttSite.make([MAINS]);
      await site.listen();
      powersOff(site);
      await reports("OL", "normal");
      await reports("OB", "open");
      site.clock.advance(MINUTE_MS);
    });
    afterEach(async () => {
      stop();
      await site.end();
    });

    /** The sensor publishes, and its zone is in this state soon. */
    async function reports(payload: string, contact: string): Promise<void> {
      await site.publish("ups", payload);
      await eventually(`mains to be ${contact}`, () => {
        site.clock.advance(1_000);
        return site.contactOf("mains") === contact;
      });
    }

    async function isCutOff(): Promise<void> {
      await site.broker.kill();
      await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    }

    async function isReachedAgain(): Promise<void> {
      const before = site.logged("mqtt-subscribed").length;
      await site.broker.startAgain();
      await eventually("the subscription", () => site.logged("mqtt-subscribed").length > before);
      site.clock.advance(1_000);
    }

    test("is not powered off on an old value, and not when mains is back", async () => {
      await isCutOff();
      site.clock.advance(60 * MINUTE_MS);
      await isReachedAgain();
      site.clock.advance(60 * MINUTE_MS);
      expect([orders, site.conditions]).toEqual([0, ["on-battery"]]);
      await reports("OL", "normal");
      site.clock.advance(60 * MINUTE_MS);
      expect([orders, site.conditions]).toEqual([0, []]);
    });

    test("is powered off once its sensor reports again that mains is lost, for as long as configured", async () => {
      await isCutOff();
      site.clock.advance(60 * MINUTE_MS);
      await isReachedAgain();
      await site.publish("ups", "OB");
      await eventually(
        "the reading",
        () => site.monitor.lastReading("mains")?.atMs === site.clock.monotonicMs(),
      );
      site.clock.advance(2 * MINUTE_MS);
      expect(orders).toBe(0);
      site.clock.advance(4 * MINUTE_MS);
      expect(orders).toBe(1);
    });

    test("is not powered off while the sensor itself is unavailable", async () => {
      await site.publish("ups/availability", "offline");
      await eventually("its absence", () => site.zoneService.faults.isUnread(MAINS));
      site.clock.advance(60 * MINUTE_MS);
      expect(orders).toBe(0);
    });
  },
);

test("a site on battery whose mains line cannot be read is not powered off before it is read again", async () => {
  const site = new MonitoredZones([
    zoneOf({ id: "mains", kind: "power", input: { gpio: 17, contact: "no" } }),
  ]);
  const lines = new SimulatedLines([[17, 1]]);
  let isGone = false;
  const openPort = (): GpioPort => ({
    open: (...of) => {
      const line = lines.open(...of);
      const read = (): 0 | 1 => {
        if (isGone) throw new AppError("unavailable", "the chip was removed");
        return line.read();
      };
      return { ...line, read };
    },
    close: () => lines.close(),
  });
  const readings = new GpioReadings({ ...site.common, openPort });
  const pass = async (minutes: number): Promise<void> => {
    for (let second = 0; second < minutes * 60; second += 10) {
      site.clock.advance(10_000);
      await new Promise(setImmediate);
    }
  };
  await readings.start();
  powersOff(site);
  await pass(3);
  lines.set(17, 0);
  await pass(3);
  isGone = true;
  await pass(30);
  expect([orders, site.conditions]).toEqual([0, ["gpio-line-failed/mains", "on-battery"]]);
  isGone = false;
  await pass(6);
  expect(orders).toBe(1);
  stop();
  readings.stop();
  site.close();
});
