import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

const installation = Installation.temporary(afterAll);

const YAML = `
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hall } ] }
zones:
  - { id: door, name: Door, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
  - { id: window, name: Skylight, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
`;

test("a zone that joined an intervention after the backup is named in it again after a restore", async () => {
  const daemon = installation.daemon("site", YAML);
  const dataDir = join(installation.folder, "site");
  const open = async (zone: string): Promise<void> => {
    for (const contact of ["normal", "open"])
      expect((await askDaemon(dataDir, "POST", "/site/simulate", { zone, contact })).status).toBe(200);
  };
  const records = (): Promise<Intervention[]> => daemon.get("/interventii");
  const named = (zone: string): Promise<boolean> =>
    eventually(`the only intervention to name ${zone}`, async () => {
      const [record, ...others] = await records();
      expect(others).toEqual([]);
      return `${record?.name} ${record?.description} ${record?.notes}`.includes(zone);
    });
  await daemon.start();
  await open("door");
  await named("Door");
  const backup = join(installation.folder, "backup.db");
  await daemon.run(["backup", "--out", backup]);
  await open("window");
  await named("Skylight");
  await daemon.end("SIGTERM");
  await daemon.run(["restore", backup]);
  await daemon.start();
  await named("Skylight");
  const [record] = await records();
  expect(record?.notes?.match(/Skylight/g)).toHaveLength(1);
  await daemon.end("SIGTERM");
});
