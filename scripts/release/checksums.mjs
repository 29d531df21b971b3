// checksums.mjs FOLDER KEY FILE...: writes SHA256SUMS of the files in FOLDER, and its signature SHA256SUMS.asc with the gpg key
// KEY. SOURCE_DATE_EPOCH is the time of the signature.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { signatureOf } from "./signature.mjs";

/**
 * Writes the checksums of files, as sha256sum --check reads them, and their signature.
 * @param names files in `folder`
 * @param epochS time of the signature, in seconds since 1970
 * @returns the names of the two files
 * @throws if gpg cannot sign
 */
export function writeChecksums(folder, key, names, epochS) {
  const path = join(folder, "SHA256SUMS");
  const sums = names.toSorted().map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(path, sums.join(""));
  writeFileSync(`${path}.asc`, signatureOf(path, key, epochS, "--armor", "--detach-sign"));
  return ["SHA256SUMS", "SHA256SUMS.asc"];
}

/** SHA-256 in hexadecimal digits. */
export function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, key, ...names] = process.argv;
  try {
    writeChecksums(folder, key, names, Number(process.env.SOURCE_DATE_EPOCH));
  } catch (error) {
    process.stderr.write(`checksums: ${error.message}\n`);
    process.exitCode = 1;
  }
}
