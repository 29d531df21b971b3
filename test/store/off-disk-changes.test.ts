import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DOOR = zoneOf({ id: "door", input: { gpio: 17, contact: "nc" } });
const HALL = zoneOf({ id: "hall", input: { gpio: 18, contact: "nc" } });
const MESSAGE = { session: "sensor", packetId: 7, zoneId: "yard", hash: "2f", atWallMs: 1 };

let folder: string;
let site: MonitoredZones;
beforeEach(() => {
  folder = temporaryFolder();
  site = MonitoredZones.forTest([DOOR, HALL], { offDiskFile: join(folder, "trips.ndjson") });
});

test("a processed message is remembered although the disk fills up while kept changes are written", () => {
  for (const { id } of site.zones) site.monitor.read(id, "normal", { live: true });
  site.clock.advance(1_000);
  site.breakJournal();
  for (const { id } of site.zones) site.monitor.read(id, "open", { live: true });
  site.clock.advance(1_000);
  expect(site.journal.offDisk.count).toBe(2);
  site.repairJournal();
  site.journal.processedMessages.add(MESSAGE);
  // The first change fits, the second does not.
  site.database.exec(
    "CREATE TEMP TRIGGER full AFTER INSERT ON trips WHEN NEW.zone_id = 'hall' BEGIN SELECT RAISE(ABORT, 'full'); END",
  );
  expect(() => site.journal.storeOffDisk()).toThrow(/full/);
  expect(site.trips).toEqual([]);
  site.database.exec("DROP TRIGGER full");
  expect(site.journal.storeOffDisk()).toBe(2);
  expect(site.trips).toHaveLength(2);
  expect(site.journal.processedMessages.load()).toEqual([MESSAGE]);
});
