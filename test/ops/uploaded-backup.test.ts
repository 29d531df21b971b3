import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { backUp } from "../../src/ops/backups.ts";
import { IN_PROCESS_TASKS } from "../../src/ops/backup-tasks.ts";
import { UploadedBackup } from "../../src/ops/uploaded-backup.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { ManualClock } from "../support/manual-clock.ts";

let dataDir: string;
let clock: ManualClock;
let handedIn: UploadedBackup;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "santinela-handed-"));
  openMainDatabase(join(dataDir, "santinela.db")).close();
  clock = new ManualClock();
  handedIn = new UploadedBackup({ dataDir, clock, work: IN_PROCESS_TASKS });
});
afterEach(() => {
  handedIn.forget();
  rmSync(dataDir, { recursive: true });
});

/** Hands a good copy in, in two pieces. @returns its number */
async function handIn(): Promise<number> {
  const path = join(dataDir, "copy.db");
  await backUp(dataDir, path);
  const bytes = readFileSync(path);
  handedIn.add(0, bytes.subarray(0, 5000));
  return handedIn.add(5000, bytes.subarray(5000)).copy;
}

describe("a copy that is handed in piece by piece", () => {
  test("is whole at the end, and can be asked what it would change", async () => {
    const copy = await handIn();
    expect(await handedIn.plan(copy)).toEqual({ recordsInBackup: 0, onlyInCurrent: [], onlyInBackup: [] });
    expect(readFileSync(handedIn.path)).toEqual(readFileSync(join(dataDir, "copy.db")));
  });

  test("takes no piece that does not follow the last one", () => {
    handedIn.add(0, Buffer.from("first"));
    for (const from of [1, 4, 6])
      expect(() => handedIn.add(from, Buffer.from("x"))).toThrow(/next piece must start at byte/);
    expect(handedIn.add(5, Buffer.from("second")).bytes).toBe(11);
  });

  test("is refused where it is none", async () => {
    const { copy } = handedIn.add(0, Buffer.from("this is no database"));
    await expect(handedIn.plan(copy)).rejects.toThrow(/cannot be restored/);
  });

  test("makes room for a new one, and the question about the old one is not answered with the new", async () => {
    const first = await handIn();
    const second = await handIn();
    expect(second).not.toBe(first);
    await expect(handedIn.plan(first)).rejects.toThrow(/upload has expired/);
  });

  test("is looked at once for everybody who asks, and is not the one that was asked about when a piece comes", async () => {
    const copy = await handIn();
    const [first, second] = await Promise.all([handedIn.plan(copy), handedIn.plan(copy)]);
    expect(second).toBe(first);
    const asked = handedIn.plan(copy);
    handedIn.add(readFileSync(handedIn.path).length, Buffer.from("more"));
    await expect(asked).rejects.toThrow(/piece was uploaded/);
  });

  test("has to wait until the one before it was looked at", async () => {
    const asked = handedIn.plan(await handIn());
    const { copy } = handedIn.add(0, Buffer.from("another one"));
    await expect(handedIn.plan(copy)).rejects.toThrow(/still being checked/);
    await expect(asked).rejects.toThrow(/upload has expired/);
    await expect(handedIn.plan(copy)).rejects.toThrow(/cannot be restored/);
  });

  test("is forgotten after half an hour in which nobody has put it back", async () => {
    const copy = await handIn();
    clock.advance(31 * 60_000);
    expect(existsSync(handedIn.path)).toBe(false);
    await expect(handedIn.plan(copy)).rejects.toThrow(/upload has expired/);
  });
});
