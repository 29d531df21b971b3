import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { checkMachine } from "../../src/ops/machine-identity.ts";
import { offDiskFile } from "../../src/ops/off-disk-file.ts";
import { openDatabase } from "../../src/store/database.ts";
import { OffDiskChanges } from "../../src/store/journal-changes.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { MAIN_DATABASE } from "../../src/store/main-database.ts";
import { santinela } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* The power fails while a factory reset removes the data of a card that was copied to another machine. */

const ORIGINAL = { serial: "original", machineId: null };
const OTHER = { serial: "other", machineId: null };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  const dataDir = join(folder, "original");
  checkMachine(dataDirWith(dataDir), ORIGINAL);
  openDatabase(join(dataDir, "santinela.db"), MAIN_DATABASE).close();
  openJournalDatabase(join(dataDir, "journal.db")).close();
  writeFileSync(join(dataDir, "santinela.db-wal"), "");
  checkMachine(dataDir, OTHER);
});

function dataDirWith(dataDir: string): string {
  cpSync("systemd", join(dataDir, "secrets"), { recursive: true });
  for (const name of ["installation-id", "given-numbers.json", "lock.db", "backup.lock"])
    writeFileSync(join(dataDir, name), "");
  return dataDir;
}

/** Resets a copy of the card. @returns the directory after the power has failed at the removal with this number */
async function cutAt(removal: number): Promise<{ dataDir: string; isComplete: boolean }> {
  const name = `cut-${removal}`;
  const dataDir = join(folder, name);
  cpSync(join(folder, "original"), dataDir, { recursive: true });
  writeFileSync(join(folder, `${name}.yaml`), `dataDir: ./${name}\n`);
  let removed = 0;
  const stderr = new Writable();
  stderr.write = (text: unknown) => {
    if (String(text).startsWith("removed ") && (removed += 1) === removal) throw new Error("power cut");
    return true;
  };
  const words = ["factory-reset", "--yes", "--config", `${name}.yaml`];
  const { code } = await santinela(words, { cwd: folder, stderr });
  return { dataDir, isComplete: code === 0 };
}

test("never leaves the data on a machine that counts as its own, nor the journal without its records", async () => {
  for (let removal = 1; ; removal += 1) {
    const { dataDir, isComplete } = await cutAt(removal);
    const has = (name: string): boolean => existsSync(join(dataDir, name));
    if (isComplete) {
      expect(readdirSync(dataDir)).toEqual([]);
      expect(removal).toBeGreaterThan(8);
      return;
    }
    const names = readdirSync(dataDir).join(", ");
    // The trips of a journal without records would be dispatched again.
    expect(has("journal.db") && !has("santinela.db"), names).toBe(false);
    // The log of a database that is gone would be taken for what is left of it.
    expect(has("installation-id") && !has("santinela.db"), names).toBe(false);
    const hasData = has("santinela.db") || has("journal.db") || has("secrets");
    expect(checkMachine(dataDir, OTHER) || !hasData, names).toBe(true);
  }
});

test("says to stop the service while the daemon of the site runs, and removes nothing", async () => {
  const dataDir = join(folder, "original");
  writeFileSync(join(folder, "a.yaml"), "dataDir: ./original\n");
  const release = takeInstanceLock(join(dataDir, "lock.db"));
  try {
    const outcome = await santinela(["factory-reset", "--yes", "--config", "a.yaml"], { cwd: folder });
    expect(outcome.code).toBe(75);
    expect(outcome.stderr).toMatch(/the daemon of this site is running[^]*systemctl stop santinela/);
    expect(existsSync(join(dataDir, "santinela.db"))).toBe(true);
  } finally {
    release();
  }
});

test("removes the trips that the disk had not accepted", async () => {
  const dataDir = join(folder, "original");
  const runtime = join(folder, "run");
  const offDisk = new OffDiskChanges(offDiskFile(runtime, dataDir));
  expect(offDisk.add({ zoneId: "door", trips: [] })).toBe(true);
  writeFileSync(join(folder, "a.yaml"), "dataDir: ./original\n");
  const env = { XDG_CONFIG_HOME: folder, RUNTIME_DIRECTORY: runtime };
  const words = ["factory-reset", "--yes", "--config", "a.yaml"];
  expect(await santinela(words, { cwd: folder, env })).toMatchObject({ code: 0 });
  expect(readdirSync(runtime)).toEqual([]);
});
