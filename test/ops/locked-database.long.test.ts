import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { installationChecks } from "../../src/cli/installation-checks.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Databases } from "../../src/ops/databases.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let dataDir: string;
beforeEach(() => (dataDir = temporaryFolder()));

function open(): Databases {
  const clock = new ManualClock();
  const log = new JsonLog({ level: "debug", clock, write: () => {} });
  const conditions = new ConditionRegistry(clock, log);
  const reserveFile = new ReserveFile(dataDir);
  return new Databases({ dataDir, reserveFile, clock, log, conditions, newIdentity: () => "one" });
}

/** Holds a database as another program may. @returns ends it */
function hold(name: string): () => void {
  const holder = new Sqlite(join(dataDir, name));
  holder.pragma("locking_mode = EXCLUSIVE");
  holder.exec("BEGIN IMMEDIATE; COMMIT");
  return () => holder.close();
}

test.each(["santinela.db", "journal.db"])(
  "a start while another program holds %s fails, and the file stays in its place",
  (name) => {
    open().close();
    const { ino } = statSync(join(dataDir, name));
    const release = hold(name);
    expect(open).toThrow(
      expect.objectContaining({ code: "storage", message: expect.stringMatching(/locked$/) }),
    );
    release();
    open().close();
    expect(statSync(join(dataDir, name)).ino).toBe(ino);
    expect(readdirSync(dataDir).filter((file) => /damaged|report/.test(file))).toEqual([]);
  },
  60_000,
);

test("the checks of the installation report a held database as that, not as damaged", async () => {
  open().close();
  const release = hold("journal.db");
  const file = join(dataDir, "site.yaml");
  writeFileSync(file, "dataDir: .\nmqtt: off\ngpio: { backend: simulated }\n");
  const results = await installationChecks(loadConfiguration({ file, env: {}, cwd: dataDir }), null);
  release();
  expect(results.find(({ check }) => check === "Databases")).toMatchObject({
    status: "warning",
    text: expect.stringMatching(/journal\.db: database is locked$/),
  });
}, 60_000);
