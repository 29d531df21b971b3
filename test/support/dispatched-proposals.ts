import type { ProposedZone } from "../../src/domain/discovery/proposed-zone.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import type { Message } from "./device-scenarios.ts";
import { DispatchingSite } from "./dispatching-site.ts";
import { zoneOf } from "./monitored-zones.ts";

const HALL = { type: "obiective/cladiri", id: 1 } as const;

export const NOT_CONFIRMED = { crews: 1, police: false };
export const CONFIRMED = { crews: 2, police: true };

/** The interventions of the proposed zones after messages and times that pass. */
export async function recordAfter(
  zones: readonly ProposedZone[],
  messages: readonly (Message | `${number} s`)[],
): Promise<DispatchingSite["records"]> {
  const site = await DispatchingSite.make(
    zones.map(({ doubts: _doubts, ...zone }) => zoneOf({ ...zone, objective: HALL, swinger: false })),
  );
  const mqtt = new MqttZones(site.zones.common);
  for (const one of messages) {
    if (typeof one === "string") {
      site.zones.clock.advance(parseInt(one, 10) * 1000);
      continue;
    }
    const [topic, message] = one;
    const text = typeof message === "string" ? message : JSON.stringify(message);
    await mqtt.deliver({ topic, payload: Buffer.from(text), isRetained: false });
  }
  await site.settled();
  return site.records;
}
