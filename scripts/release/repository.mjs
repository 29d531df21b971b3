// repository.mjs FOLDER KEY PACKAGE...: adds the packages to the apt repository in FOLDER, or makes one, signed with the gpg
// key KEY of the caller's key ring. The folder can be served by any web server. SOURCE_DATE_EPOCH is the time of the release
// and of its signature, so that the same packages and the same key always give the same bytes.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { sha256 } from "./checksums.mjs";
import { publicKeyOf, signatureOf } from "./signature.mjs";

/** Processors that have an index, even while there is no package for them: apt fails where an index is missing. */
const ARCHITECTURES = ["amd64", "arm64"];
const POOL = "pool/main/s/santinela";
const SUITE = "dists/stable";
/** The public key, as `Signed-By:` of apt takes it. */
const KEY_RING = "santinela-archive-keyring.gpg";

/**
 * Adds `packages` (paths) to the repository in `folder`, and signs it.
 * @param key of the gpg key ring: an identifier, a fingerprint or an address
 * @param epochS time of the release, in seconds since 1970
 * @throws if a package of this name and version is there with other contents, or gpg cannot sign
 */
export function addToRepository(folder, key, packages, epochS) {
  const pool = join(folder, POOL);
  const added = packages.map((path) => ({ path, target: join(pool, nameOf(path)) }));
  // Machines that have installed a version never see its change.
  for (const { path, target } of added)
    if (existsSync(target) && !readFileSync(target).equals(readFileSync(path)))
      throw new Error(`${target} exists with other contents: a published version never changes, raise it`);
  const publicKey = publicKeyOf(key, epochS);

  mkdirSync(pool, { recursive: true });
  for (const { path, target } of added) copyFileSync(path, target);
  const suite = join(folder, SUITE);
  const files = ARCHITECTURES.flatMap((architecture) => writeIndexes(folder, architecture));
  const release = join(suite, "Release");
  writeFileSync(release, releaseOf(files, epochS));
  for (const [name, how] of [
    ["Release.gpg", ["--armor", "--detach-sign"]],
    ["InRelease", ["--clearsign"]],
  ])
    writeFileSync(join(suite, name), signatureOf(release, key, epochS, ...how));
  writeFileSync(join(folder, KEY_RING), publicKey);
}

/** `Packages` and `Packages.gz` of a processor. @returns their paths below the suite, with their contents */
function writeIndexes(folder, architecture) {
  const place = `main/binary-${architecture}`;
  const at = join(folder, SUITE, place);
  const text = readdirSync(join(folder, POOL))
    .filter((name) => name.endsWith(`_${architecture}.deb`))
    .toSorted()
    .map((name) => paragraphOf(folder, `${POOL}/${name}`))
    .join("\n");
  const files = [
    { name: "Packages", content: Buffer.from(text) },
    // gzip of Node.js writes neither name nor time.
    { name: "Packages.gz", content: gzipSync(text, { level: 9 }) },
  ];
  rmSync(join(at, "Packages"), { force: true });
  // By content: a client that reads while the folder is copied finds the index that its InRelease names.
  mkdirSync(join(at, "by-hash/SHA256"), { recursive: true });
  for (const { name, content } of files) {
    writeFileSync(join(at, name), content);
    writeFileSync(join(at, "by-hash/SHA256", sha256(content)), content);
  }
  return files.map(({ name, content }) => ({ path: `${place}/${name}`, content }));
}

/** The entry of a package in the index: its control file, where it is and what it contains. */
function paragraphOf(folder, path) {
  const content = readFileSync(join(folder, path));
  const control = execFileSync("dpkg-deb", ["--field", join(folder, path)], { encoding: "utf8" }).trimEnd();
  return `${control}\nFilename: ${path}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`;
}

function releaseOf(files, epochS) {
  const sums = files.map(({ path, content }) => ` ${sha256(content)} ${content.length} ${path}`);
  return `Origin: Santinela
Label: Santinela
Suite: stable
Codename: stable
Date: ${new Date(epochS * 1000).toUTCString().replace("GMT", "UTC")}
Architectures: ${ARCHITECTURES.join(" ")}
Components: main
Acquire-By-Hash: yes
Description: Santinela, alarm-panel edge daemon
SHA256:
${sums.join("\n")}
`;
}

function nameOf(path) {
  const [name, version, architecture] = ["Package", "Version", "Architecture"].map((field) =>
    execFileSync("dpkg-deb", ["--field", path, field], { encoding: "utf8" }).trim(),
  );
  return `${name}_${version}_${architecture}.deb`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, key, ...packages] = process.argv;
  try {
    addToRepository(folder, key, packages, Number(process.env.SOURCE_DATE_EPOCH));
  } catch (error) {
    process.stderr.write(`repository: ${error.message}\n`);
    process.exitCode = 1;
  }
}
