import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { backUp } from "../../src/ops/backups.ts";
import { UploadedBackup } from "../../src/ops/backup-transfers.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { IN_PROCESS_TASKS } from "../support/in-process-tasks.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let dataDir: string;
let clock: ManualClock;
let uploaded: UploadedBackup;
beforeEach(() => {
  dataDir = temporaryFolder();
  openMainDatabase(join(dataDir, "santinela.db")).close();
  clock = new ManualClock();
  uploaded = new UploadedBackup({ dataDir, clock, work: IN_PROCESS_TASKS });
});
afterEach(() => uploaded.forget());

/** Uploads a valid backup in two chunks. @returns its number */
async function upload(): Promise<number> {
  const path = join(dataDir, "copy.db");
  await backUp(dataDir, path);
  const bytes = readFileSync(path);
  uploaded.add(0, bytes.subarray(0, 5000));
  return uploaded.add(5000, bytes.subarray(5000)).copy;
}

describe("a backup uploaded in chunks", () => {
  test("is complete at the end, and has a restore plan", async () => {
    const copy = await upload();
    expect(await uploaded.plan(copy)).toEqual({ recordsInBackup: 0, onlyInCurrent: [], onlyInBackup: [] });
    expect(readFileSync(uploaded.path)).toEqual(readFileSync(join(dataDir, "copy.db")));
  });

  test("rejects a chunk that does not follow the last one", () => {
    uploaded.add(0, Buffer.from("first"));
    for (const from of [1, 4, 6])
      expect(() => uploaded.add(from, Buffer.from("x"))).toThrow(/next piece must start at byte/);
    expect(uploaded.add(5, Buffer.from("second")).bytes).toBe(11);
  });

  test("is complete although a full disk has stored a part of a chunk before it was sent again", async () => {
    const path = join(dataDir, "copy.db");
    await backUp(dataDir, path);
    const bytes = readFileSync(path);
    uploaded.add(0, bytes.subarray(0, 5000));
    appendFileSync(uploaded.path, bytes.subarray(5000, 6000));
    const { copy } = uploaded.add(5000, bytes.subarray(5000));
    expect(readFileSync(uploaded.path).equals(bytes)).toBe(true);
    expect(await uploaded.plan(copy)).toMatchObject({ recordsInBackup: 0 });
  });

  test("is rejected if it is not a backup", async () => {
    const { copy } = uploaded.add(0, Buffer.from("this is not a database"));
    await expect(uploaded.plan(copy)).rejects.toThrow(/cannot be restored/);
  });

  test("is replaced by a new one, and a plan of the old one does not use the new one", async () => {
    const first = await upload();
    const second = await upload();
    expect(second).not.toBe(first);
    await expect(uploaded.plan(first)).rejects.toThrow(/upload has expired/);
  });

  test("is checked once for all requests, and is replaced when another chunk arrives", async () => {
    const copy = await upload();
    const [first, second] = await Promise.all([uploaded.plan(copy), uploaded.plan(copy)]);
    expect(second).toBe(first);
    const pendingPlan = uploaded.plan(copy);
    uploaded.add(readFileSync(uploaded.path).length, Buffer.from("more"));
    await expect(pendingPlan).rejects.toThrow(/piece was uploaded/);
  });

  test("waits for the check of the previous one", async () => {
    const pendingPlan = uploaded.plan(await upload());
    const { copy } = uploaded.add(0, Buffer.from("another one"));
    await expect(uploaded.plan(copy)).rejects.toThrow(/still being checked/);
    await expect(pendingPlan).rejects.toThrow(/upload has expired/);
    await expect(uploaded.plan(copy)).rejects.toThrow(/cannot be restored/);
  });

  test("is removed after half an hour without a restore", async () => {
    const copy = await upload();
    clock.advance(31 * 60_000);
    expect(existsSync(uploaded.path)).toBe(false);
    await expect(uploaded.plan(copy)).rejects.toThrow(/upload has expired/);
  });
});
