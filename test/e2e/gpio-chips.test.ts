import { beforeEach, expect, test } from "vitest";
import type { ConfiguredZonesView } from "../../src/site/configuration-view.ts";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf } from "../support/installation.ts";

let installation: Installation;
beforeEach(() => (installation = Installation.temporary()));

/** The command is never interrupted. */
const never = (): Promise<void> => new Promise(() => {});

test("a contact at an expander is a zone like one at the header, and one of them trips alone", async () => {
  const zone = (id: string, objective: number, input: string): string =>
    `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${objective} }, input: ${input} }\n`;
  const site = installation.daemon(
    "site",
    `http: { port: 0 }
mqtt: off
gpio: { backend: simulated, chips: { expander: { device: 1-0020 } } }
objectives: { obiective/cladiri: [{ id: 1, name: Hall }, { id: 2, name: Yard }] }
zones:
${zone("door", 1, "{ gpio: 3 }")}${zone("yard", 2, "{ gpio: 3, chip: expander }")}`,
  );
  await site.start();
  const { code, stderr } = await santinela(["trip", "--zone", "yard", "--config", "site.yaml"], {
    cwd: installation.folder,
    untilSignal: never,
  });
  expect([code, stderr]).toEqual([0, ""]);
  const records = await eventually("the intervention", async () => {
    const all = await interventionsOf(site);
    return all.length > 0 && all;
  });
  expect(records.map(({ objectiveId }) => objectiveId)).toEqual([2]);
  const zones = await site.get<ZoneView[]>("/site/zones");
  expect(zones.map(({ id, contact }) => [id, contact])).toEqual([
    ["door", "normal"],
    ["yard", "open"],
  ]);
  expect((await site.get<ConfiguredZonesView>("/site/configuration/zones")).chips).toEqual(["expander"]);
}, 120_000);
