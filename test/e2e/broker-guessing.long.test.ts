import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { mqttConnection, signsInAt, type MqttSignIn } from "../support/mqtt-sign-in.ts";

/* Many connections guess the password of a sensor at the built-in broker of a running daemon at the same time. */

const GUESSES = 500;
const AT_ONCE = 20;
/** Wrong passwords that an address may try without a delay; the last of them starts it. */
const FREE = 20;
/** The delays are 30 s, 60 s and 120 s: more comparisons do not fit into the time limit of this test. */
const FURTHER_MAX = 2;

const SENSOR = { username: "sensor", password: "password of the sensor" };
const DISPLAY = { username: "display", password: "password of the display" };

let installation: Installation;
let site: DaemonProcess;
let port: number;
beforeEach(async () => {
  installation = Installation.temporary();
  installation.secret("sensor.password", SENSOR.password);
  installation.secret("display.password", DISPLAY.password);
  site = installation.daemon(
    "site",
    `http: { port: 0 }\ngpio: { backend: simulated }\nmqtt:\n  listen: { port: 0 }\n  accounts:\n` +
      `    - { username: sensor, passwordFile: ./sensor.password }\n` +
      `    - { username: display, passwordFile: ./display.password }\n`,
  );
  const { mqttPort } = await site.start();
  if (mqttPort === undefined) throw new Error("the daemon has no broker");
  port = mqttPort;
});

function signsIn(signIn: Omit<MqttSignIn, "port">): Promise<boolean> {
  return signsInAt({ port, ...signIn });
}

/** Failures that have started a delay, each of which is a comparison. */
async function delayed(): Promise<number> {
  const metrics = await new ControlClient(join(installation.folder, "site")).text("/metrics");
  return Number(/^santinela_mqtt_broker_limit_total\{limit="sign-in"\} (\d+)$/m.exec(metrics)?.[1]);
}

test("500 guesses are some twenty comparisons, an event and a condition; sensors sign in", async () => {
  const connected = await mqttConnection({ port, ...SENSOR, clientId: "gate" });
  expect(connected.isAccepted).toBe(true);
  expect(await signsIn({ ...SENSOR, clientId: "door" })).toBe(true);
  let made = 0;
  const guesser = async (_none: unknown, index: number): Promise<void> => {
    while (made < GUESSES) {
      made += 1;
      const clientId = `guesser-${index}`;
      // The right password of its own account gives it no further guesses.
      await signsIn({ ...DISPLAY, clientId });
      expect(await signsIn({ ...SENSOR, password: `guess ${made}`, clientId })).toBe(false);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, guesser));
  expect(made).toBeGreaterThanOrEqual(GUESSES);

  // The broker's thread reports its counts from time to time.
  const failures = await eventually("the counted failures", async () => (await delayed()) || undefined);
  const comparisons = FREE - 1 + failures;
  expect(comparisons).toBeGreaterThanOrEqual(FREE);
  expect(comparisons).toBeLessThanOrEqual(FREE + FURTHER_MAX);
  expect(await signsIn({ ...SENSOR, clientId: "door" })).toBe(true);
  expect(connected.socket.destroyed).toBe(false);
  connected.socket.destroy();

  const { conditions } = await site.get<StatusView>("/site/status");
  expect(conditions.map(({ code, subject }) => `${code}/${subject}`)).toContain(
    "mqtt-broker-at-limit/sign-in",
  );
  expect(conditions.map(({ code }) => code)).not.toContain("thread-failed");
  expect(conditions.find(({ subject }) => subject === "sign-in")?.text).toMatch(
    /127\.0\.0\.1 tries wrong passwords at the built-in broker as the client "guesser-\d+"/,
  );
  const events = await eventually("the event", async () => {
    const entries = await site.get<readonly TimelineEntry[]>("/site/journal?limit=1000");
    const blocked = entries.filter(({ event }) => event === "sign-in-blocked");
    return blocked.length > 0 && blocked;
  });
  expect(events).toMatchObject([
    {
      who: "sensor",
      from: expect.stringMatching(/127\.0\.0\.1$/) as string,
      subject: "built-in MQTT broker",
    },
  ]);
});
