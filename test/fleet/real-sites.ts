import { connectAsync } from "mqtt";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { eventually } from "../support/eventually.ts";
import type { Installation } from "../support/installation.ts";
import type { Centres } from "./centres.ts";
import { eachOf } from "./pace.ts";

/** Zones of each daemon, each at a building of its own, so that each trip is one intervention. */
export const ZONES = 10;
/** More at once only start more slowly. */
const STARTED_AT_ONCE = 4;

interface RealSite {
  readonly daemon: DaemonProcess;
  readonly mqttPort: number;
  readonly ref: string;
}

/** Sites that are real daemons with a broker of their own; their sensors publish as real ones do. */
export class RealSites {
  readonly #sites: RealSite[] = [];

  /** @param firstBuilding id of the first of their buildings */
  static async start(
    installation: Installation,
    centres: Centres,
    options: {
      readonly count: number;
      readonly firstBuilding: number;
      readonly baseUrl: string;
      readonly reportS: number;
    },
  ): Promise<RealSites> {
    const { count, firstBuilding, baseUrl, reportS } = options;
    const made = new RealSites();
    installation.secret("site.password", SITE_PASSWORD);
    const numbers = Array.from({ length: count }, (_, index) => index);
    await eachOf(numbers, STARTED_AT_ONCE, async (number) => {
      const ref = `real-${number}`;
      const buildings = Array.from({ length: ZONES }, (_, zone) => firstBuilding + number * ZONES + zone);
      const objectives = buildings.map((id) => `obiective/cladiri/${id}`);
      const { email } = await centres.enrol(ref, objectives, SITE_PASSWORD);
      const zones = buildings.map(
        (id, zone) =>
          `  - { id: gate-${zone}, name: Gate ${zone} of ${ref}, kind: intrusion, objective: { type: obiective/cladiri, id: ${id} }, input: { mqtt: sensors/gate-${zone}, path: /contact, open: [false], normal: [true] } }\n`,
      );
      const daemon = installation.daemon(
        ref,
        `site: { ref: ${ref}, locale: en }\nhttp: { port: 0 }\nmqtt: { listen: { port: 0 } }\ngpio: { backend: simulated }\n` +
          `upstream: { baseUrl: "${baseUrl}", email: ${email}, passwordFile: ./site.password, reportS: ${reportS} }\n` +
          `zones:\n${zones.join("")}`,
      );
      const { mqttPort } = await daemon.start();
      if (mqttPort === undefined) throw new Error(`${ref} has no broker`);
      made.#sites.push({ daemon, mqttPort, ref });
    });
    return made;
  }

  /** Opens these zones at all daemons; resolves when each has acknowledged each message. */
  async trip(zones: readonly number[]): Promise<void> {
    for (const { mqttPort } of this.#sites) {
      const sensor = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`);
      for (const zone of zones)
        for (const contact of [true, false])
          await sensor.publishAsync(`sensors/gate-${zone}`, JSON.stringify({ contact }), { qos: 1 });
      await sensor.endAsync();
    }
  }

  /** Waits until each has sent everything it has. */
  async delivered(withinMs: number): Promise<void> {
    for (const { daemon, ref } of this.#sites)
      await eventually(
        `the records of ${ref} at the dispatch centre`,
        async () => (await daemon.get<SyncView>("/site/sync")).summary.waiting === 0,
        withinMs,
      );
  }
}
