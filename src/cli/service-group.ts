import { chmodSync, chownSync, statSync } from "node:fs";

/** Makes a file written by root readable by the group of its directory (/etc/santinela, root:santinela). */
export function setServiceGroup(file: string, folder: string): void {
  const { gid } = statSync(folder);
  if (process.getuid?.() !== 0 || gid === 0) return;
  chownSync(file, 0, gid);
  chmodSync(file, 0o640);
}
