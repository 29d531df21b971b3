import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SOURCE } from "../paths.ts";

const PACKAGES = join(SOURCE, "node_modules");

/** A file of an installed peer. */
export function peerFile(...path: readonly string[]): string {
  return join(PACKAGES, ...path);
}

/** Why a package cannot be used; undefined when it can. */
export function peerMissing(name: string): string | undefined {
  return existsSync(join(PACKAGES, name, "package.json"))
    ? undefined
    : `the package ${name} is not installed; with a registry in reach, run npm ci in scripts/bench`;
}

/** Maximum wait for the registry. */
const INSTALL_MS = 15 * 60_000;

/**
 * Installs the peers when none is there yet. Without a registry they stay missing, and the benchmark names them.
 * @param tell called with the progress, a line at a time
 * @param signal aborted when the run is to end early
 */
export async function installPeers(tell: (line: string) => void, signal: AbortSignal): Promise<void> {
  if (existsSync(PACKAGES)) return;
  tell("installing the peers into scripts/bench/node_modules, once");
  const npm = spawn("npm", ["ci"], {
    cwd: SOURCE,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INSTALL_MS,
    signal,
  });
  let said = "";
  npm.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  const code = await new Promise((resolve) => {
    npm.once("error", resolve);
    npm.once("exit", resolve);
  });
  if (code !== 0) tell(`the peers could not be installed: ${said.trim()}`);
}
