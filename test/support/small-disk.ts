import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether this machine lets the tests mount a disk of their own. */
export const CAN_MOUNT = canMount();

/** A file system of a few megabytes in memory that a test can fill, make read-only, and throw away. Needs root. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-disk-"));

  constructor(megabytes: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", this.folder]);
  }

  /** Takes every free byte. */
  fill(): void {
    const file = openSync(this.#filler, "a");
    for (const size of [65_536, 4096, 512, 1]) {
      const block = Buffer.alloc(size);
      try {
        while (writeSync(file, block) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
    closeSync(file);
  }

  /** Gives them back. */
  drain(): void {
    rmSync(this.#filler, { force: true });
  }

  setReadOnly(readOnly: boolean): void {
    execFileSync("mount", ["-o", `remount,${readOnly ? "ro" : "rw"}`, this.folder]);
  }

  remove(): void {
    // Lazily: a process that a failed test left behind must not keep the folder.
    execFileSync("umount", ["-l", this.folder]);
    rmSync(this.folder, { recursive: true });
  }

  get #filler(): string {
    return join(this.folder, "filler");
  }
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "santinela-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
