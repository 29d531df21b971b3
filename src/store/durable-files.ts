import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/** Makes a file's content, or the names in a directory, survive a power cut: a rename alone is only in memory. */
export function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Renames a complete file, so that after a power cut either the old or the new file is there. */
export function renameDurably(part: string, path: string): void {
  flush(part);
  renameSync(part, path);
  flush(dirname(path));
}

/** Read and written at once: the memory of a small machine is less than a database. */
const PIECE_BYTES = 65_536;

/**
 * Copies a file; after an error there is no copy. `copyFileSync` must not be used for a database: from a sector that the disk
 * cannot read on, it continues with the beginning of the file, and reports nothing.
 * @throws as `readSync` and `writeFileSync`, such as `EIO` and `ENOSPC`
 */
export function copyFile(from: string, to: string): void {
  const source = openSync(from, "r");
  try {
    const target = openSync(to, "w", fstatSync(source).mode);
    try {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (let bytes = -1; bytes !== 0;) {
        bytes = readSync(source, piece);
        writeFileSync(target, piece.subarray(0, bytes));
      }
    } catch (error) {
      rmSync(to, { force: true });
      throw error;
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/** Copies a file so that after a power cut either none or the complete copy is there. @throws as `copyFile` */
export function copyDurably(from: string, to: string): void {
  copyFile(from, `${to}.part`);
  renameDurably(`${to}.part`, to);
}

/**
 * Copies a file to `<path><mark><number>`, and then removes its copies with other numbers: each is as large as a database.
 * @param from the file with the content; default `path`
 */
export function copyAsNewest(path: string, mark: string, number: number, from = path): void {
  const [folder, prefix] = [dirname(path), `${basename(path)}${mark}`];
  copyDurably(from, `${path}${mark}${number}`);
  for (const name of readdirSync(folder)) {
    const other = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    if (/^\d+$/.test(other) && other !== String(number)) rmSync(join(folder, name), { force: true });
  }
}

/** Writes a small file so that after a power cut either none or the complete file is there. */
export function writeDurably(path: string, text: string): void {
  writeFileSync(`${path}.part`, text);
  renameDurably(`${path}.part`, path);
}

/** Writes a small file that only this user can read; complete after a power cut, or not there. */
export function writePrivate(path: string, text: string): void {
  try {
    writeFileSync(`${path}.part`, text, { mode: 0o600 });
    renameDurably(`${path}.part`, path);
  } catch (error) {
    rmSync(`${path}.part`, { force: true });
    throw error;
  }
}

/** The content of a JSON file; undefined if it is missing or damaged. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
