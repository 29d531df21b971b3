import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { PROFILE_OF_KIND, resolveProfiles } from "../../src/domain/zone-rules.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* The example zones of docs/sensors.md, loaded as written and fed with the documented messages. */

const page = readFileSync(fileURLToPath(new URL("../../docs/sensors.md", import.meta.url)), "utf8");
const worked = page.slice(page.indexOf("## Examples"), page.indexOf("## Requirements for the broker"));
const examples = worked
  .split("\n### ")
  .slice(1)
  .map((section) => {
    const block = (language: string): string =>
      new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(section)?.[1] ?? "";
    return [section.split("\n", 1)[0] ?? "", block("yaml"), block("text")] as const;
  });

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

describe("the example zone", () => {
  test("exists for each kind of shared topic", () => {
    expect(examples.map(([title]) => title)).toEqual([
      "Shelly i4 (Gen2, Gen3)",
      "Frigate reviews",
      "A zigbee2mqtt bridge",
      "Modbus through modbus4mqtt",
      "KNX through knx-mqtt",
    ]);
  });

  test.each(examples)("of %s behaves as documented", async (_title, yaml, text) => {
    const file = join(folder, "santinela.yaml");
    writeFileSync(file, `objectives: { obiective/cladiri: [{ id: 12, name: Hala }] }\n${yaml}`);
    const { zones, warnings } = loadConfiguration({ file, env: {}, cwd: folder });
    expect(warnings).toEqual([]);
    const site = new MonitoredZones(zones);
    const mqtt = new MqttZones(site.common);
    for (const { id } of zones) site.monitor.read(id, "normal", { live: true });
    outcomesOf(site);
    const shown: string[] = [];
    const done: string[] = [];
    for (const line of text.trim().split("\n")) {
      const expected = /^ {2}→ (.+)$/.exec(line)?.[1];
      const wait = /^\((\d+) s\)$/.exec(line)?.[1];
      if (expected !== undefined) {
        shown.push(expected);
        done.push(outcomesOf(site).join(", ") || "nothing");
      } else if (wait !== undefined) site.clock.advance(Number(wait) * 1000);
      else {
        const [topic = "", ...payload] = line.split(" ");
        await mqtt.deliver({ topic, payload: Buffer.from(payload.join(" ")), isRetained: false });
      }
    }
    site.close();
    expect(shown.length).toBeGreaterThan(4);
    expect(done).toEqual(shown);
  });
});

/** Events since the last call. */
function outcomesOf({ logLines, events }: MonitoredZones): string[] {
  const logged = logLines.splice(0).flatMap(({ event, zone, of }) => {
    if (event === "zone-trip") return [`trip ${String(zone)}`];
    if (event === "zone-restore") return [`restore ${String(zone)}`];
    if (event === "zone-fault") return [`fault ${String(of)}`];
    return event === "zone-fault-restored" ? [`fault over ${String(of)}`] : [];
  });
  const repeated = events.splice(0).filter(({ event }) => event === "opening-repeated");
  return [...logged, ...repeated.map(({ subject }) => subject.replace("zone", "opening-repeated"))];
}

test("the table of zone types matches the shipped profiles", () => {
  for (const [kind, name] of Object.entries(PROFILE_OF_KIND)) {
    const row = new RegExp(`^\\| \`${kind}\` .*$`, "m").exec(page)?.[0].split("|") ?? [];
    const cells = row.map((cell) => cell.trim());
    const profile = resolveProfiles({}).get(name);
    expect(cells.slice(2, 6)).toEqual([
      `\`${name}\``,
      profile?.priority,
      profile?.type,
      String(profile?.crews),
    ]);
    const services = (cells[6] ?? "").split(", ");
    expect({
      police: services.includes("police"),
      ambulance: services.includes("ambulance"),
      firetruck: services.includes("fire brigade"),
    }).toEqual({
      police: profile?.police,
      ambulance: profile?.ambulance,
      firetruck: profile?.firetruck,
    });
    expect(cells[7]).toBe(profile?.confirmed ? "police, 2 crews" : "–");
  }
});
