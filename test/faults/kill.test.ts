import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AcknowledgedWrites } from "../support/acknowledged-writes.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { countByObjective, pause, seededRandom } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { allOf, SiteAndCentre } from "../support/site-and-centre.ts";

/*
 * The daemon of the site is killed repeatedly at random times, while three clients write, sensors send over a
 * real broker, and contacts open. SIGKILL tests the order of commits; power cuts of the disk are tested
 * elsewhere.
 */

const CYCLES_A_RUN = 10;
/** Of each type, in a cycle. */
const TRIPS_A_CYCLE = 4;
const WRITERS = 3;
/** Maximum number of responses before a kill. */
const WRITES_A_CYCLE = 20;
const runs = Array.from({ length: Math.ceil(RUN_LENGTH.cycles / CYCLES_A_RUN) }, (_, run) => ({
  seed: RUN_LENGTH.seed + run,
  cycles: Math.min(CYCLES_A_RUN, RUN_LENGTH.cycles - run * CYCLES_A_RUN),
}));

/** Each zone has its own building; building 1 is for the clients. */
const zonesOf = (cycles: number) =>
  Array.from({ length: cycles * TRIPS_A_CYCLE }, (_, index) => ({
    gate: { id: `gate-${index}`, building: 2 + 2 * index },
    door: { id: `door-${index}`, building: 3 + 2 * index },
  }));
type Zones = ReturnType<typeof zonesOf>;

const acknowledgedBy = (writers: readonly AcknowledgedWrites[]): number =>
  writers.reduce((total, { acknowledged }) => total + acknowledged, 0);

function siteYaml(broker: Mosquitto, zones: Zones): string {
  const lines = zones.flatMap(({ gate, door }) => [
    zone(gate, `{ mqtt: sensors/${gate.id}, path: /contact, open: [false], normal: [true] }`),
    zone(door, "{ simulated: true }"),
  ]);
  return `mqtt: { url: "${broker.url}" }\nzones:\n${lines.join("")}`;
}

const zone = ({ id, building }: { id: string; building: number }, input: string): string =>
  `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${building} }, input: ${input} }\n`;

describeWithMosquitto("with the daemon killed again and again", () => {
  let broker: Mosquitto;
  let sensors: MqttClient;
  let both: SiteAndCentre;

  beforeEach(async () => {
    broker = await startMosquitto();
    sensors = await connectAsync(broker.url);
  });
  afterEach(async () => {
    await sensors.endAsync();
    await both.remove();
    await broker.stop();
  });

  const say = (gate: string, contact: boolean) =>
    sensors.publishAsync(`sensors/${gate}`, JSON.stringify({ contact }), { qos: 1 });

  async function bringToRest(zones: Zones): Promise<void> {
    for (const { door } of zones) await simulate(door.id, "normal");
    // Messages before the first subscription are lost.
    await eventually("a closed reading of every gate", async () => {
      const seen = await both.site.get<{ id: string; contact: string }[]>("/site/zones");
      const unseen = zones.filter(({ gate }) => seen.find(({ id }) => id === gate.id)?.contact !== "normal");
      for (const { gate } of unseen) await say(gate.id, true);
      return unseen.length === 0;
    });
  }

  const simulate = (id: string, contact: "open" | "normal") =>
    askDaemon(join(both.installation.folder, "site"), "POST", "/site/simulate", { zone: id, contact });

  test.each(runs)(
    "seed $seed, $cycles times: acknowledged data exists once at the site and at the dispatch centre",
    async ({ seed, cycles }) => {
      const random = seededRandom(seed);
      const zones = zonesOf(cycles);
      both = new SiteAndCentre({ siteYaml: siteYaml(broker, zones), buildings: 1 + 2 * zones.length });
      await both.start();
      await bringToRest(zones);
      const writers = Array.from(
        { length: WRITERS },
        () => new AcknowledgedWrites(() => join(both.installation.folder, "site"), random),
      );
      const opened: number[] = [];
      const mayBeOpen: number[] = [];

      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const tripping = zones.slice(cycle * TRIPS_A_CYCLE, (cycle + 1) * TRIPS_A_CYCLE);
        const work = [
          ...writers.map((writer) => writer.writeUntilDead()),
          ...tripping.map(async ({ gate }) => {
            await pause(random() * 150);
            await say(gate.id, false);
            // From here the broker delivers it to the daemon until it is acknowledged.
            opened.push(gate.building);
          }),
          ...tripping.map(async ({ door }) => {
            await pause(random() * 150);
            const answered = await simulate(door.id, "open").catch(() => undefined);
            (answered?.status === 200 ? opened : mayBeOpen).push(door.building);
          }),
        ];
        const enough = acknowledgedBy(writers) + random() * WRITES_A_CYCLE;
        await eventually("some writes to be answered", () => acknowledgedBy(writers) >= enough);
        await pause(random() * 50);
        await both.site.end("SIGKILL");
        await Promise.all(work);
        // Sometimes the next kill happens during the start.
        const starting = both.site.start();
        if (random() < 0.3) {
          await pause(random() * 700);
          await both.site.end("SIGKILL");
          await starting.catch(() => "it was killed before it was ready");
          await both.site.start();
        } else await starting;
      }

      await eventually("every trip to have its record", async () => {
        const counts = countByObjective(await allOf(join(both.installation.folder, "site")));
        return opened.every((building) => counts.has(building));
      });
      await both.settle(240_000);
      const records = await allOf(join(both.installation.folder, "site"));
      const counts = countByObjective(records);
      expect(opened.filter((building) => counts.get(building) !== 1)).toEqual([]);
      expect(mayBeOpen.filter((building) => (counts.get(building) ?? 0) > 1)).toEqual([]);
      expect(writers.flatMap((writer) => writer.faults(records))).toEqual([]);
      await both.expectExactlyOnce();
      const unanswered = writers.reduce((total, writer) => total + writer.unanswered, 0);
      report(
        `kill: seed ${seed}, ${cycles} cycles, ${opened.length} acknowledged trips (${mayBeOpen.length} unanswered), ` +
          `${acknowledgedBy(writers)} acknowledged writes (${unanswered} unanswered), ${records.length} records, 0 lost, 0 twice`,
      );
    },
    300_000 + 30_000 * CYCLES_A_RUN,
  );
});
