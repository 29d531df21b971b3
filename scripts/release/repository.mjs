// repository.mjs FOLDER KEY PACKAGE... [--also-trust KEY]... [--no-longer-trust FINGERPRINT]...: adds the packages to the apt
// repository in FOLDER, or makes one, signed with the gpg key KEY of the caller's key ring. Its own package santinela-archive-keyring
// brings this key to machines, and those of --also-trust, with which a later release is to be signed. A key that machines have by an
// earlier release is only left out if it has signed that one, or with --no-longer-trust. The folder can be served by any web server. SOURCE_DATE_EPOCH
// is the time of the release and of its signature, so that the same packages and the same keys always give the same bytes.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { sha256 } from "./checksums.mjs";
import { KEY_RING, keyringPackageFor, lostKeysOf } from "./keyring.mjs";
import { publicKeyOf, signatureOf, signerOf } from "./signature.mjs";

/** Processors that have an index, even while there is no package for them: apt fails where an index is missing. */
const ARCHITECTURES = ["amd64", "arm64"];
const POOL = "pool/main/s/santinela";
const SUITE = "dists/stable";

/**
 * Adds `packages` (paths) to the repository in `folder`, and signs it.
 * @param keys `key`: of the gpg key ring, an identifier, a fingerprint or an address; `alsoTrusted`: further keys for the key ring of
 *   the machines, which do not sign; `noLongerTrusted`: fingerprints of keys that are left out on purpose
 * @param epochS time of the release, in seconds since 1970
 * @throws if a package of this name and version is there with other contents, a key would be lost, or gpg cannot sign
 */
export function addToRepository(folder, keys, packages, epochS) {
  const pool = join(folder, POOL);
  const added = packages.map((path) => ({ path, target: join(pool, nameOf(path)) }));
  // Machines that have installed a version never see its change.
  for (const { path, target } of added)
    if (existsSync(target) && !readFileSync(target).equals(readFileSync(path)))
      throw new Error(`${target} exists with other contents: a published version never changes, raise it`);
  const ring = ringOf(keys, epochS);
  mkdirSync(pool, { recursive: true });
  const keyring = keyringPackageFor(pool, ring, epochS);
  const loss = keyLossIn(folder, keys, epochS);
  if (loss !== undefined) throw new Error(loss);
  // Complete before it has its name: an interrupted copy would look like a published version with other contents.
  for (const { path, target } of added) {
    copyFileSync(path, `${target}.part`);
    renameSync(`${target}.part`, target);
  }
  keyring?.write();
  const suite = join(folder, SUITE);
  const files = ARCHITECTURES.flatMap((architecture) => writeIndexes(folder, architecture));
  const release = join(suite, "Release");
  writeFileSync(release, releaseOf(files, epochS));
  for (const [name, how] of [
    ["Release.gpg", ["--armor", "--detach-sign"]],
    ["InRelease", ["--clearsign"]],
  ])
    writeFileSync(join(suite, name), signatureOf(release, keys.key, epochS, ...how));
  writeFileSync(join(folder, KEY_RING), ring);
}

/** The public keys that machines trust. @param keys as those of `addToRepository` */
function ringOf({ key, alsoTrusted = [] }, epochS) {
  const keys = [key, ...alsoTrusted].map((one) => publicKeyOf(one, epochS));
  // In one order, whichever of them signs.
  return Buffer.concat(keys.toSorted((left, right) => Buffer.compare(left, right)));
}

/**
 * Why machines would lose a key: a release between the announcement of the next key and its first signature that no longer names it
 * takes it from them, and they reject every later release. The key that has signed the last release may go, as at each change.
 * @param keys as those of `addToRepository`
 * @returns undefined if they lose none
 */
export function keyLossIn(folder, keys, epochS) {
  const { noLongerTrusted = [] } = keys;
  const suite = join(folder, SUITE);
  const lost = lostKeysOf(join(folder, POOL), ringOf(keys, epochS));
  if (lost.length === 0) return undefined;
  const former = signerOf(join(folder, KEY_RING), join(suite, "Release.gpg"), join(suite, "Release"));
  const [first] = lost.filter((one) => one !== former && !noLongerTrusted.includes(one));
  return first === undefined
    ? undefined
    : `machines would no longer trust the key ${first}, which they have by an earlier release: add --also-trust ${first}, or --no-longer-trust ${first}`;
}

/** `Packages` and `Packages.gz` of a processor. @returns their paths below the suite, with their contents */
function writeIndexes(folder, architecture) {
  const place = `main/binary-${architecture}`;
  const at = join(folder, SUITE, place);
  const text = readdirSync(join(folder, POOL))
    .filter((name) => name.endsWith(`_${architecture}.deb`) || name.endsWith("_all.deb"))
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
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        "also-trust": { type: "string", multiple: true, default: [] },
        "no-longer-trust": { type: "string", multiple: true, default: [] },
      },
    });
    const [folder, key, ...packages] = positionals;
    const { "also-trust": alsoTrusted, "no-longer-trust": noLongerTrusted } = values;
    const epochS = Number(process.env.SOURCE_DATE_EPOCH);
    addToRepository(folder, { key, alsoTrusted, noLongerTrusted }, packages, epochS);
  } catch (error) {
    process.stderr.write(`repository: ${error.message}\n`);
    process.exitCode = 1;
  }
}
