import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { WatchedZones, zoneOf } from "../support/watched-zones.ts";

/*
 * Messages of real devices and bridges, as their makers and users have published them, and what each must be. These are
 * the contacts; messages about tampering, batteries and availability are not read yet and are not in the file.
 */

interface DeviceMessage {
  readonly id: string;
  readonly topic: string;
  readonly payload: string;
  readonly expected: "trip" | "restore" | "ignore";
  /** Where the value is, as dotted names; absent for a bare value. */
  readonly match?: string;
  readonly open_value: Scalar | Scalar[];
  readonly retain?: boolean;
}
type Scalar = string | number | boolean;

const messages = readFileSync(new URL("device-messages.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as DeviceMessage);

/** Event streams name their end; what lies between is neither. */
const NORMAL_VALUES: Readonly<Record<string, [string]>> = { "frigate/events": ["end"] };

let site: WatchedZones;
afterEach(() => site.close());

describe("a device's messages, in their order", () => {
  const series = new Map<string, DeviceMessage[]>();
  for (const message of messages) {
    const zone = `${message.topic} ${message.match ?? ""}`.trim();
    series.set(zone, [...(series.get(zone) ?? []), message]);
  }
  test.each([...series])("%s", (_name, sent) => {
    const [first] = sent;
    if (!first) return;
    site = new WatchedZones([zoneFor(first)]);
    site.monitor.read("front-door", first.expected === "restore" ? "open" : "normal", { live: true });
    const zones = new MqttZones(site.common);
    const said = sent.map(({ id, topic, payload, retain = false }) => {
      const before = site.logLines.length;
      zones.deliver({ topic, payload: Buffer.from(payload), isRetained: retain });
      const events = site.logLines.slice(before).map(({ event }) => String(event).replace(/^zone-/, ""));
      return { id, expected: events.join(", ") || "ignore" };
    });
    expect(said).toEqual(sent.map(({ id, expected }) => ({ id, expected })));
  });
});

function zoneFor({ topic, match, open_value }: DeviceMessage): ReturnType<typeof zoneOf> {
  const normal = NORMAL_VALUES[topic];
  return zoneOf({
    input: {
      mqtt: topic,
      open: [open_value].flat() as [Scalar, ...Scalar[]],
      ...(match === undefined ? {} : { path: `/${match.replaceAll(".", "/")}` }),
      ...(normal === undefined ? {} : { normal }),
    },
  });
}
