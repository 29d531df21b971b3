import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DaemonConfiguration } from "../../src/daemon-configuration.ts";
import { AppError } from "../../src/domain/errors.ts";
import type { NewEvent } from "../../src/domain/event.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { hashOfText } from "../../src/ops/earlier-configurations.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { revert, takeReverted, writeOnTrial } from "../../src/ops/configuration-trial.ts";
import { describeUnless } from "../support/required-programs.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const BY = { who: "ana@example.ro", from: "192.168.1.9", diff: "" };
const EDITED = "# by hand\n";
const keptIn = (dataDir: string): string[] => readdirSync(join(dataDir, "configurations")).sort();

/** Changes the file as often as texts are kept, and edits it by hand before the last change is undone. */
function changeAndEdit(dataDir: string, file: string, beforeUndoing: () => void = () => {}): string {
  writeFileSync(file, "# 0\n");
  let kept = "";
  for (let minute = 1; minute <= 10; minute += 1) {
    writeOnTrial(dataDir, `# ${minute}\n`, { ...BY, file }, minute * 60_000);
    kept = `1970-01-01T00-${String(minute).padStart(2, "0")}-00-000Z`;
  }
  writeFileSync(file, EDITED);
  beforeUndoing();
  revert(dataDir);
  return kept;
}

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

test("what was edited by hand before a change is undone is one of the ten kept texts", () => {
  const file = join(folder, "santinela.yaml");
  const last = changeAndEdit(folder, file);
  expect(keptIn(folder)).toHaveLength(10);
  expect(keptIn(folder).slice(-2)).toEqual([`${last}-edited.yaml`, `${last}.yaml`]);
  expect(readFileSync(join(folder, "configurations", `${last}-edited.yaml`), "utf8")).toBe(EDITED);
  expect(readFileSync(file, "utf8")).toBe("# 9\n");
});

test("a change that is not healthy and cannot be undone is reported, also in the event log", async () => {
  const file = join(folder, "santinela.yaml");
  writeFileSync(file, "# before\n");
  const clock = new ManualClock();
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const conditions = new ConditionRegistry(clock, log);
  const noted: NewEvent[] = [];
  const configuration = new DaemonConfiguration({
    config: { file, dataDir: folder, zones: [] },
    clock,
    log,
    conditions,
    events: new EventNotes({
      events: { add: (event) => Promise.resolve(void noted.push(event)) },
      clock,
      log,
    }),
    reload: () => {
      rmSync(join(folder, "configurations"), { recursive: true });
      return Promise.reject(new AppError("unavailable", "the journal cannot be written"));
    },
    onProven: () => expect.fail("the change is not healthy"),
    isStalled: () => false,
  });
  const change = { text: "# after\n", hash: hashOfText("# before\n"), diff: "", by: BY };
  await expect(configuration.apply(change)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(
      /could not be undone \(ENOENT.*: the journal cannot be written$/,
    ) as string,
  });
  expect(conditions.list()).toMatchObject([
    { code: "configuration-invalid", text: expect.stringContaining("santinela reload") as string },
  ]);
  expect(noted).toMatchObject([{ event: "configuration-unproven" }]);
  unlinkSync(file);
  await expect(configuration.apply(change)).rejects.toMatchObject({ code: "conflict" });
});

describeUnless(NO_MOUNT, "on a full disk", () => {
  let disk: SmallDisk;
  beforeEach(() => (disk = new SmallDisk(1)));
  afterEach(() => disk.remove());

  test("what was edited by hand takes the place of the oldest kept text, and the change is undone", () => {
    // The file is on another disk, as in /etc.
    const file = join(folder, "santinela.yaml");
    mkdirSync(join(disk.folder, "data"));
    const dataDir = join(disk.folder, "data");
    const last = changeAndEdit(dataDir, file, () => disk.fill());
    expect(readFileSync(join(dataDir, "configurations", `${last}-edited.yaml`), "utf8")).toBe(EDITED);
    expect(readFileSync(file, "utf8")).toBe("# 9\n");
    expect(keptIn(dataDir)).toContain(`${last}.yaml`);
    expect(takeReverted(dataDir)).toMatchObject({ who: BY.who, kept: `${last}.yaml` });
    expect(keptIn(dataDir).filter((name) => name.endsWith(".part"))).toEqual([]);
  });
});
