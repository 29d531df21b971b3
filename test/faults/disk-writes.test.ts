// Wear of an SD card. The kernel counts the bytes that a process writes to the disk (proc(5), io: write_bytes);
// the journal of the file system is not included.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SyncView } from "../../src/site/sync-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import {
  buildingsYaml,
  Installation,
  interventionsOf,
  startCentre,
  upstreamYaml,
} from "../support/installation.ts";
import { processOf } from "../support/resource-use.ts";

/** A day with an alarm every quarter of an hour, each at its own building, so that none joins another. */
const ALARMS = 100;
const IDS = Array.from({ length: ALARMS }, (_, index) => index + 1);
const OBJECTIVES = buildingsYaml(ALARMS);
const ZONES = `zones:\n${IDS.map((id) => `  - { id: door-${id}, name: Door ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${id} }, input: { simulated: true } }\n`).join("")}`;
/** Five times the measured value (28): only an unnecessary write loop exceeds it. */
const LIMIT_MIB = 150;

const installation = Installation.temporary(afterAll);
let dataDir: string;
let site: ReturnType<Installation["daemon"]>;

beforeAll(async () => {
  const { port } = await startCentre(installation, OBJECTIVES);
  dataDir = join(installation.folder, "site");
  site = installation.daemon(
    "site",
    `site: { ref: site }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${OBJECTIVES}${ZONES}${upstreamYaml(port)}`,
  );
  await site.start();
});

/** MiB written by the daemon of the site since its start. */
function writtenMiB(): number {
  const pid = processOf(join(installation.folder, "site.yaml")) ?? 0;
  const bytes = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1];
  return Number(bytes) / 1_048_576;
}

test(`a day with ${ALARMS} alarms, each opened, recorded, sent and closed, causes little wear of the memory card`, async () => {
  const before = writtenMiB();
  for (const id of IDS) {
    for (const contact of ["open", "normal"])
      await askDaemon(dataDir, "POST", "/site/simulate", { zone: `door-${id}`, contact });
    await eventually("the alarm is at the centre", async () => {
      const records = await interventionsOf(site);
      const { value } = await askDaemon(dataDir, "GET", "/site/sync");
      return records.length === id && (value as SyncView).summary.waiting === 0;
    });
  }
  const written = writtenMiB() - before;
  process.stdout.write(`${ALARMS} alarms: ${written.toFixed(1)} MiB written\n`);
  expect(written).toBeLessThan(LIMIT_MIB);
}, 300_000);
