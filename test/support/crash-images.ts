import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskCall } from "./disk-calls.ts";

type Change = Exclude<DiskCall, { kind: "told" | "sync" }>;

/** Which of the changes without a completed fsync the disk kept at the power cut. */
export type Survival = "only what was synced" | "everything" | "some of it" | "some sectors of it";
export const SURVIVALS: readonly Survival[] = [
  "only what was synced",
  "everything",
  "some of it",
  "some sectors of it",
];

/** The unit that a disk writes atomically. */
const SECTOR_BYTES = 512;

/**
 * State of a disk after the calls of a program: synced data and pending data. Data before the last fsync of a
 * file is kept. Later data may be missing, even by single sectors. An unlink is durable after the next fsync of
 * any file, as on file systems with an ordered journal (ext4, xfs, btrfs).
 */
export class CrashImages {
  readonly #safe = new Map<string, Buffer>();
  readonly #onTheWay = new Map<string, Change[]>();

  /** Applies the next call. */
  take(call: DiskCall): void {
    if (call.kind === "told") return;
    if (call.kind !== "sync") {
      this.#onTheWay.set(call.file, [...(this.#onTheWay.get(call.file) ?? []), call]);
      return;
    }
    for (const [file, changes] of this.#onTheWay)
      if (file === call.file || changes.some(({ kind }) => kind === "unlink")) {
        for (const change of changes) apply(this.#safe, change);
        this.#onTheWay.delete(file);
      }
  }

  /** Writes the files of one database into a directory, as they may be after a power cut now. */
  writeImage(database: string, folder: string, survival: Survival, random: () => number): void {
    for (const suffix of ["", "-wal", "-journal", "-shm"]) {
      const file = `${database}${suffix}`;
      rmSync(join(folder, file), { force: true });
      // The index of the write-ahead log is shared memory, created again after a crash.
      if (suffix === "-shm") continue;
      const safe = this.#safe.get(file);
      const found = new Map(safe ? [[file, Buffer.from(safe)]] : []);
      for (const change of this.#onTheWay.get(file) ?? [])
        for (const kept of keptOf(change, survival, random)) apply(found, kept);
      const bytes = found.get(file);
      if (bytes) writeFileSync(join(folder, file), bytes);
    }
  }
}

function keptOf(change: Change, survival: Survival, random: () => number): readonly Change[] {
  if (survival === "only what was synced") return [];
  if (survival === "everything") return [change];
  if (survival === "some of it" || change.kind !== "write") return random() < 0.5 ? [change] : [];
  const kept: Change[] = [];
  const { file, offset, bytes } = change;
  let start = 0;
  while (start < bytes.length) {
    const end = Math.min(bytes.length, start + SECTOR_BYTES - ((offset + start) % SECTOR_BYTES));
    if (random() < 0.5)
      kept.push({ kind: "write", file, offset: offset + start, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return kept;
}

function apply(files: Map<string, Buffer>, change: Change): void {
  const { file } = change;
  if (change.kind === "unlink") {
    files.delete(file);
    return;
  }
  const before = files.get(file) ?? Buffer.alloc(0);
  if (change.kind === "truncate") {
    const after = Buffer.alloc(change.size);
    before.copy(after);
    files.set(file, after);
    return;
  }
  const { offset, bytes } = change;
  const after = offset + bytes.length > before.length ? Buffer.alloc(offset + bytes.length) : before;
  if (after !== before) before.copy(after);
  bytes.copy(after, offset);
  files.set(file, after);
}
