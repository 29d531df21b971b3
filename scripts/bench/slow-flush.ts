import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { SOURCE, type RunFolder } from "./paths.ts";

/**
 * Builds the library that makes flushes slow.
 * @returns the environment that loads it; undefined where there is no C compiler
 */
export function buildSlowFlush(folder: RunFolder): Record<string, string> | undefined {
  const library = join(folder.path, "slow-flush.so");
  const source = join(SOURCE, "slow-flush.c");
  const { error, status, stderr } = spawnSync("cc", [
    "-shared",
    "-fPIC",
    "-O2",
    "-o",
    library,
    source,
    "-ldl",
  ]);
  if (error) return undefined;
  if (status !== 0) throw new Error(`slow-flush.c does not compile: ${stderr.toString()}`);
  return { LD_PRELOAD: library };
}
