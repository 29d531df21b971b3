import { chmodSync, chownSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { renameDurably } from "../store/durable-files.ts";

/**
 * Writes a file that only this user can read; complete after a power cut, or not there. One that root writes can be read by the
 * group of its directory too (/etc/santinela, root:santinela), and written if that could write the file before, as the web panel
 * does with the configuration of the package.
 */
export function writeForService(path: string, text: string): void {
  const part = `${path}.part`;
  writeFileSync(part, text, { mode: 0o600 });
  const { gid } = statSync(dirname(path));
  if (process.getuid?.() === 0 && gid !== 0) {
    chownSync(part, 0, gid);
    const before = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    chmodSync(part, 0o640 | (before & 0o020));
  }
  renameDurably(part, path);
}
