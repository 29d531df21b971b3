import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { MonitoredZones } from "../support/monitored-zones.ts";
import { signsInAt, type MqttSignIn } from "../support/mqtt-sign-in.ts";

/* A client that guesses the password of an account of the built-in broker. */

const DISPLAY = { username: "display", password: "password of the display" };
const SENSOR = { username: "sensor", password: "password of the sensor" };
/** Wrong passwords that an address may try without a delay. */
const FREE = 20;
/** More than the broker remembers of one account. */
const MANY_CLIENTS = 600;

let site: MonitoredZones;
let broker: BuiltInBroker;

beforeEach(async () => {
  site = MonitoredZones.forTest([]);
  broker = builtInBrokerOf(site, { accounts: [DISPLAY, SENSOR] });
  await broker.start();
});
afterEach(() => broker.stop());

function signsIn(signIn: Omit<MqttSignIn, "port">): Promise<boolean> {
  return signsInAt({ port: brokerPort(site), ...signIn });
}

async function guess(count: number, from: string, clientId: (guess: number) => string): Promise<void> {
  for (let number = 0; number < count; number += 1)
    expect(await signsIn({ ...SENSOR, password: `guess ${number}`, from, clientId: clientId(number) })).toBe(
      false,
    );
}

function addressesOfEvents(): string[] {
  return site.events.map(({ from }) => from.replace("::ffff:", ""));
}

describe("a client with an account of its own", () => {
  test("has twenty guesses at another account, however often it signs in with its own", async () => {
    expect(await signsIn({ ...SENSOR, clientId: "gate" })).toBe(true);
    for (let number = 0; number < FREE; number += 1) {
      const clientId = `display-${Math.floor(number / 5)}`;
      expect(await signsIn({ ...DISPLAY, clientId })).toBe(true);
      await guess(1, "127.0.0.1", () => clientId);
    }
    expect(await signsIn({ ...DISPLAY, clientId: "display-5" })).toBe(false);
    // Not compared, so even the right password is rejected.
    expect(await signsIn({ ...SENSOR, clientId: "display-0" })).toBe(false);
    expect(await signsIn({ ...SENSOR, clientId: "gate" })).toBe(true);
    expect(await signsIn({ ...DISPLAY, clientId: "display-0" })).toBe(true);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/sign-in"]);
  });

  test("cannot make the broker forget a sensor of another account by signing in under many client ids", async () => {
    expect(await signsIn({ ...SENSOR, clientId: "gate" })).toBe(true);
    for (let number = 0; number < MANY_CLIENTS; number += 1)
      expect(await signsIn({ ...DISPLAY, clientId: `display-${number}` })).toBe(true);
    await guess(FREE, "127.0.0.1", (number) => `g${number}`);
    expect(await signsIn({ ...SENSOR, clientId: "gate" })).toBe(true);
    expect(await signsIn({ ...DISPLAY, clientId: "display-0" })).toBe(false);
  });

  test("cannot make it forget a client of the same account at another address", async () => {
    expect(await signsIn({ ...SENSOR, clientId: "gate", from: "127.0.0.2" })).toBe(true);
    for (let number = 0; number < MANY_CLIENTS; number += 1)
      expect(await signsIn({ ...SENSOR, clientId: `gate-${number}` })).toBe(true);
    await guess(FREE, "127.0.0.2", (number) => `g${number}`);
    expect(await signsIn({ ...SENSOR, clientId: "new", from: "127.0.0.2" })).toBe(false);
    expect(await signsIn({ ...SENSOR, clientId: "gate", from: "127.0.0.2" })).toBe(true);
  });
});

describe("guesses from several addresses", () => {
  test("are an event for each address, and the condition names all of them", async () => {
    for (const from of ["127.0.0.2", "127.0.0.3"]) await guess(FREE, from, (number) => `g${number}`);
    expect(addressesOfEvents()).toEqual(["127.0.0.2", "127.0.0.3"]);
    expect(site.conditions).toEqual(["mqtt-broker-at-limit/sign-in"]);
    const text = site.health.list()[0]?.text ?? "";
    expect(text).toMatch(
      /^\S*127\.0\.0\.2 tries wrong passwords.*Also at this limit: the client "g19" at \S*127\.0\.0\.3\.$/,
    );
  });

  test("are at most twenty events a minute, the next of which counts the others", async () => {
    for (let address = 2; address < 27; address += 1)
      await guess(FREE, `127.0.0.${address}`, (number) => `g${number}`);
    expect(site.events).toHaveLength(20);
    expect(site.health.list()[0]?.text).toMatch(/; and others\.$/);
    site.clock.advance(60_000);
    await guess(1, "127.0.0.26", () => "again");
    expect(site.events.slice(20)).toMatchObject([{ detail: { client: "again", othersMeanwhile: 5 } }]);
  });
});
