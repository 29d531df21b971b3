import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { proposedZoneLines } from "../../src/config/proposed-zones.ts";
import type { DiscoveredDevice, DiscoveryOptions } from "../../src/domain/discovery/device.ts";
import { proposedZones, type ProposedZone } from "../../src/domain/discovery/proposed-zone.ts";
import { discoveredDevices, queriesAfter } from "../../src/domain/discovery/sources.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { ReceivedMessages } from "../../src/inputs/received-messages.ts";
import { MonitoredZones } from "./monitored-zones.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A topic with a text as it is, or anything else as JSON. */
export type Message = readonly [topic: string, message: unknown];

/** A message with its effect on the zone, or a time that passes, such as `30 s`. */
export type Step = readonly [message: Message | `${number} s`, effect: Effect];
type Effect = "trip" | "restore" | "nothing" | "tamper" | "battery" | "supervision";

/** What a device says of itself, the zone that is proposed for it, and the messages of that sensor. */
export interface DeviceScenario {
  readonly announced: readonly Message[];
  /** Answers to Shelly's queries by their method; a method with an offset has it as `Shelly.GetComponents 2`. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Id of the proposed zone. */
  readonly zone: string;
  readonly kind: ProposedZone["kind"];
  readonly doubts?: readonly string[];
  /** The first one stores the state of the zone, as after its configuration. */
  readonly steps: readonly Step[];
}

const OPTIONS: DiscoveryOptions = {
  replyTo: "santinela/discovery/test",
  prefix: "homeassistant",
  own: "santinela/test/",
};

/** The devices that discovery finds in messages, after the queries that they answer. */
export function foundIn({ announced, answers = {} }: Pick<DeviceScenario, "announced" | "answers">): {
  devices: DiscoveredDevice[];
  zones: ProposedZone[];
} {
  const messages = new ReceivedMessages(OPTIONS);
  const take = (topic: string, message: unknown): void =>
    void messages.take(topic, payloadOf(message), false, Date.UTC(2026, 0, 1));
  for (const [topic, message] of announced) take(topic, message);
  const asked = new Set<string>();
  for (let isNew = true; isNew;) {
    isNew = false;
    for (const { topic, payload } of queriesAfter(messages.all(), OPTIONS)) {
      if (asked.has(topic + payload) || !topic.endsWith("/rpc")) continue;
      asked.add(topic + payload);
      const { src, method, params } = JSON.parse(payload) as Query;
      const result = answers[params?.offset ? `${method} ${params.offset}` : method];
      if (result === undefined) continue;
      take(`${src}/rpc`, { id: 1, src: topic.slice(0, -"/rpc".length), dst: src, result });
      isNew = true;
    }
  }
  const devices = discoveredDevices(messages.all(), OPTIONS);
  return { devices, zones: proposedZones(devices, []) };
}

/** The zone that a device is to have. @throws with the proposed ones if it is not among them */
export function proposedFor(device: DeviceScenario): ProposedZone {
  const { zones } = foundIn(device);
  const zone = zones.find(({ id }) => id === device.zone);
  if (!zone) throw new Error(`proposed are: ${zones.map(({ id }) => id).join(", ") || "no zones"}`);
  return zone;
}

/** Expects that the zone proposed for a device is as described, and that each message has its effect on it. */
export async function expectProposed(device: DeviceScenario): Promise<void> {
  const zone = proposedFor(device);
  expect(zone.kind).toBe(device.kind);
  if (device.doubts) expect(zone.doubts.map(({ code }) => code)).toEqual(device.doubts);
  expect(await playSteps(zone, device.steps)).toEqual(device.steps);
}

interface Query {
  readonly src: string;
  readonly method: string;
  readonly params?: { readonly offset?: number };
}

/** The proposed zone, put into a configuration file without a change, with the effect of each message. */
export async function playSteps(zone: ProposedZone, steps: readonly Step[]): Promise<Step[]> {
  const folder = temporaryFolder();
  const file = join(folder, "santinela.yaml");
  const lines = proposedZoneLines([zone], { type: "obiective/cladiri", id: 1 });
  // Faults at once, so that a step has its effect.
  lines.push("    unavailableGraceS: 0");
  writeFileSync(
    file,
    `objectives: { obiective/cladiri: [{ id: 1, name: Hala }] }\nzones:\n${lines.join("\n")}\n`,
  );
  const { zones } = loadConfiguration({ file, env: {}, cwd: folder });
  const site = new MonitoredZones(zones);
  const mqtt = new MqttZones(site.common);
  const done: Step[] = [];
  for (const [step] of steps) {
    if (typeof step === "string") site.clock.advance(parseInt(step, 10) * 1000);
    else await mqtt.deliver({ topic: step[0], payload: payloadOf(step[1]), isRetained: false });
    done.push([step, effectOf(site)]);
  }
  site.close();
  return done;
}

/** The effect since the last call; several are joined, so that they match none. */
function effectOf({ logLines }: MonitoredZones): Effect {
  const effects = logLines.splice(0).flatMap(({ event, fault }) => {
    if (event === "zone-trip") return ["trip"];
    if (event === "zone-restore") return ["restore"];
    return event === "zone-fault" ? [String(fault)] : [];
  });
  return (effects.join(" and ") || "nothing") as Effect;
}

function payloadOf(message: unknown): Buffer {
  return Buffer.from(typeof message === "string" ? message : JSON.stringify(message));
}
