import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. This file and what is compiled of it both lie two folders below it. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** What the bench is written in and what it installs its peers beside. */
export const SOURCE = join(ROOT, "scripts", "bench");
/** Output of the benchmark: ignored by git, safe to delete. */
export const MADE = join(ROOT, ".bench");
/** The compiled modules that the program is bundled from. */
export const BUILD = join(ROOT, "build");
/** The built program, as an installer runs it. */
export const PROGRAM = join(ROOT, "dist", "main.js");

/**
 * An empty folder for one run, on the disk of the repository: a temporary folder is often in memory, where an fsync costs
 * nothing.
 */
export class RunFolder {
  readonly path: string;

  constructor() {
    mkdirSync(MADE, { recursive: true });
    this.path = mkdtempSync(join(MADE, "run-"));
  }

  /** A new folder below it. */
  folder(name: string): string {
    return mkdtempSync(join(this.path, `${name}-`));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A free TCP port of the loopback. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
