import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/**
 * What a data directory has for the running process alone, or of its machine: sockets, locks, memory maps, reserved
 * space, and the identity of the machine, which would be another one wherever the archive is opened.
 */
const LEFT_OUT = ["*.sock", "*.db-shm", "lock.db", "ballast", "backup.db", "machine.json"]; // words: allowed
const MAX_BYTES = 64 * 1024 * 1024;
/** Databases and their write-ahead logs repeat pages over a megabyte apart: the window must be larger. */
const WINDOW_BITS = 24;

/** Writes a folder with two installations into one file. The same files give the same bytes. */
export function pack(folder: string, archive: string): void {
  const tar = execFileSync(
    "tar",
    [
      "--create",
      `--directory=${folder}`,
      "--sort=name",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mtime=@0",
      "--format=ustar",
      ...LEFT_OUT.map((name) => `--exclude=${name}`),
      ".",
    ],
    { maxBuffer: MAX_BYTES },
  );
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  };
  writeFileSync(archive, brotliCompressSync(tar, { params }));
}

/** Writes the files of an archive into a folder. */
export function unpack(archive: string, folder: string): void {
  const tar = brotliDecompressSync(readFileSync(archive));
  execFileSync("tar", ["--extract", "--directory", folder, "--no-same-owner"], { input: tar });
}
