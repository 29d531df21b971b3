import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, interventionsOf } from "../support/installation.ts";
import { describeUnless } from "../support/required-programs.ts";
import { MISSING_FOR_SECTORS, withUnreadableSector } from "../support/unreadable-sector.ts";

/*
 * The memory card cannot read a sector of a database or of its log. The program must start and monitor, with every row that can be
 * read: systemd would otherwise start it again without end, and nothing would be monitored.
 */

const HALLS = 3;
const ZONES = Array.from(
  { length: HALLS },
  (_, index) =>
    `  - { id: hall-${index + 1}, name: Hall ${index + 1}, kind: holdup, objective: { type: obiective/cladiri, id: ${index + 1} }, input: { simulated: true } }\n`,
).join("");

/** The place of the sector, as a share of the file. */
const SHARES = [0, 0.3, 0.6, 0.9];

describeUnless(MISSING_FOR_SECTORS, "a sector that the disk cannot read", () => {
  let installation: Installation;
  let site: DaemonProcess;
  let dataDir: string;

  beforeEach(async () => {
    installation = Installation.temporary();
    dataDir = join(installation.folder, "site");
    const yaml = `site: { ref: site }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(HALLS)}zones:\n${ZONES}`;
    site = installation.daemon("site", yaml);
    await site.start();
    for (const hall of [1, 2]) await press(hall);
    await recorded(1, 2);
  });

  async function press(hall: number): Promise<void> {
    const order = { zone: `hall-${hall}`, contact: "open" };
    expect(await askDaemon(dataDir, "POST", "/site/simulate", order)).toMatchObject({ status: 200 });
  }

  /** Waits until each of these halls has a record. One on an unreadable page comes back from the journal, as high priority. */
  async function recorded(...halls: number[]): Promise<void> {
    await eventually(`a record of halls ${halls.join(", ")}`, async () => {
      const found = await interventionsOf(site);
      return halls.every((hall) => found.some(({ objectiveId }) => objectiveId === hall));
    });
  }

  async function conditions(): Promise<string[]> {
    const { value } = await askDaemon(dataDir, "GET", "/site/status");
    return (value as StatusView).conditions.map(({ code }) => code);
  }

  test.each(
    ["journal.db-wal", "santinela.db-wal", "journal.db", "santinela.db"].flatMap((file) =>
      SHARES.map((share) => [file, share] as const),
    ),
  )("in %s after %d of it: the site starts, reports it and takes alarms", async (file, share) => {
    // The log remains only after a crash.
    await site.end(file.endsWith("-wal") ? "SIGKILL" : "SIGTERM");
    const path = join(dataDir, file);
    const offset = Math.floor((statSync(path).size * share) / 4096) * 4096;
    await site.start(withUnreadableSector(path, offset, installation.folder));
    expect(await conditions()).toContain("database-recovered");
    await press(3);
    await recorded(1, 2, 3);
    await site.end("SIGTERM");
    // What was recovered needs no other program.
    await site.start();
    await recorded(1, 2, 3);
  });

  test.each(["journal.db-wal", "santinela.db-wal"])(
    "at the end of %s, without its index, as after a power cut: the site starts, reports it and takes alarms",
    async (file) => {
      await site.end("SIGKILL");
      const path = join(dataDir, file);
      rmSync(path.replace("-wal", "-shm"));
      const before = readFileSync(path);
      const last = Math.floor((before.length - 1) / 4096) * 4096;
      await site.start(withUnreadableSector(path, last, installation.folder));
      expect(await conditions()).toContain("database-recovered");
      await press(3);
      await recorded(1, 2, 3);
      // What is kept is the log itself, not a copy in which other bytes replace those of the sector.
      const quarantine = join(dataDir, "quarantine");
      const kept = readdirSync(quarantine)
        .map((folder) => join(quarantine, folder, file))
        .filter((each) => existsSync(each));
      expect(kept.map((each) => readFileSync(each).equals(before))).toEqual([true]);
    },
  );
});
