import { randomUUID } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Databases } from "../../src/ops/databases.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { TESTER } from "../support/app.ts";
import { santinela } from "../support/command-line.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* After a power cut an installer signs in before the service has started: a command must not erase what the start would report. */

const clock = new ManualClock();
const log = new JsonLog({ level: "debug", clock, write: () => {} });

function opened(dataDir: string): Databases {
  return new Databases({
    dataDir,
    clock,
    log,
    conditions: new ConditionRegistry(clock, log),
    reserveFile: new ReserveFile(dataDir),
    newIdentity: randomUUID,
  });
}

test("commands on a crashed installation with a damaged log are refused and leave it as it is, until a start has recovered it", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "site.yaml"), "dataDir: ./site\nmqtt: off\n");
  const [worked, dataDir] = [join(folder, "worked"), join(folder, "site")];
  for (const each of [worked, dataDir]) mkdirSync(each, { mode: 0o750 });
  const databases = opened(worked);
  for (let number = 0; number < 20; number += 1)
    new EventLog(databases.main).add(
      { event: "restart-ordered", ...TESTER, subject: String(number), detail: {} },
      clock.wallMs(),
    );
  for (const name of ["santinela.db", "santinela.db-wal", "journal.db", "journal.db-wal", "installation-id"])
    copyFileSync(join(worked, name), join(dataDir, name));
  databases.close();
  const path = join(dataDir, "santinela.db-wal");
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, Math.floor(statSync(path).size / 2));
  closeSync(file);
  const before = readFileSync(path);
  for (const words of [
    ["user", "list", "--config", "site.yaml"],
    ["events", "verify", "--config", "site.yaml"],
  ]) {
    const refused = await santinela(words, { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/write-ahead log is incomplete[^]*Start the daemon once/),
    ]);
  }
  expect(readFileSync(path)).toEqual(before);
  opened(dataDir).close();
  expect(readFileSync(join(dataDir, "recovery.txt"), "utf8")).toContain("santinela.db was damaged");
  expect(
    (await santinela(["events", "verify", "--config", "site.yaml"], { cwd: folder })).stderr,
  ).not.toContain("Start the daemon");
});
