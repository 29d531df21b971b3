import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Conditions } from "../domain/condition.ts";
import { flush } from "../store/durable-files.ts";

/** Files of keys and certificates that the daemon creates again if they are damaged. */
const CREATED_AGAIN = [
  "tls/ca.crt",
  "secrets/ca.key",
  "secrets/token-signing.key",
  "secrets/token-signing.previous.key",
];

/** Renames a damaged file, so that a new one can be created in its place. Does nothing if it is missing. */
export function setAside(path: string): void {
  if (!existsSync(path)) return;
  renameSync(path, keptPath(path));
  flush(dirname(path));
}

/** A condition for each damaged file until a user removes it, so that a restart or a power cut does not hide it. */
export function reportDamagedFiles(dataDir: string, conditions: Conditions): void {
  for (const name of CREATED_AGAIN) {
    const file = join(dataDir, name);
    if (existsSync(keptPath(file))) conditions.raise("key-damaged", { file, kept: keptPath(file) }, name);
    else conditions.clear("key-damaged", name);
  }
}

function keptPath(path: string): string {
  return `${path}.unusable`;
}
