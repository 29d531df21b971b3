import { connectAsync } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SimulatedLines } from "../../src/inputs/gpio/gpio-port.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { CLIENT_ID } from "../support/mqtt-readings.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const MINUTE_MS = 60_000;
const HALL = zoneOf({
  id: "hall",
  input: { gpio: 17, contact: "nc" },
  gate: { mqtt: "keypad", open: ["armed"], normal: ["disarmed"] },
  swinger: false,
});

describeWithMosquitto("a wired contact that a keypad arms over MQTT", () => {
  let site: MqttSite;
  let lines: SimulatedLines;
  let gpio: GpioReadings;
  beforeEach(async () => {
    site = await MqttSite.make([HALL]);
    lines = new SimulatedLines([[17, 0]]);
    gpio = new GpioReadings({ ...site.common, openPort: () => lines });
    await gpio.start();
    site.clock.advance(2_000);
    await site.sensor.publishAsync("keypad", "disarmed", { qos: 1, retain: true });
    await site.listen();
    await isDisarmed();
  });
  afterEach(async () => {
    gpio.stop();
    await site.end();
  });

  const isDisarmed = (): Promise<unknown> =>
    eventually("the zone to be disarmed", () => site.zoneService.zoneOverrides.gates.isClosed(HALL));
  const trip = (): void => {
    for (const level of [1, 0] as const) {
      lines.set(17, level);
      site.clock.advance(2_000);
    }
  };
  const states = (): string[] => site.trips.map(({ state }) => state);

  test("is armed after five minutes without the broker, because an arming would not arrive, until a message disarms it", async () => {
    await site.broker.kill();
    await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    site.clock.advance(4 * MINUTE_MS);
    trip();
    site.clock.advance(2 * MINUTE_MS);
    trip();
    expect(states()).toEqual(["gated", "waiting"]);
    expect(site.logged("mqtt-gates-unknown")).toHaveLength(1);
    await site.broker.startAgain();
    await isDisarmed();
    trip();
    expect(states()).toEqual(["gated", "waiting", "gated"]);
  });

  test("is armed as well while another program uses the session of the site", async () => {
    const other = await connectAsync(site.broker.url, { clientId: CLIENT_ID, reconnectPeriod: 50 });
    other.on("error", () => "pushed out");
    await eventually("the condition", () => site.conditions.includes("mqtt-session-taken-over"));
    trip();
    site.clock.advance(5 * MINUTE_MS);
    trip();
    expect(states()).toEqual(["gated", "waiting"]);
    await other.endAsync(true);
  });

  test("that was disarmed is not armed by a broker that restarts", async () => {
    await site.broker.kill();
    await eventually("the condition", () => site.conditions.includes("mqtt-unreachable"));
    site.clock.advance(4 * MINUTE_MS);
    const before = site.logged("mqtt-connected").length;
    await site.broker.startAgain();
    await eventually("the connection", () => site.logged("mqtt-connected").length > before);
    site.clock.advance(60 * MINUTE_MS);
    trip();
    expect(states()).toEqual(["gated"]);
  });
});
