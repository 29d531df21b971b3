import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why tests cannot mount a file system on this machine; undefined if they can. */
export const NO_MOUNT = canMount() ? undefined : "mounting a small disk needs root: sudo npm test";

/** A small in-memory file system that a test can fill, make read-only and remove. Requires root. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-disk-"));

  constructor(megabytes: number) {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", this.folder]);
  }

  /** Fills the free space. @param left bytes that stay free */
  fill(left = 0): void {
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
    truncateSync(this.#filler, Math.max(0, statSync(this.#filler).size - left));
  }

  /** Frees the space again. */
  drain(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    // Lazy unmount: a process left by a failed test must not keep the directory.
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
