import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

/** Why nothing can be compiled; undefined if a C compiler is available. */
export function compilerMissing(): string | undefined {
  const { error } = spawnSync("cc", ["--version"]);
  return error ? "cc, a C compiler, is not installed; on Debian: sudo apt-get install gcc" : undefined;
}

/** @throws Error with the message of the compiler */
export async function compile(args: readonly string[]): Promise<void> {
  await promisify(execFile)("cc", args);
}
