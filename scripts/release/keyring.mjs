// The Debian package of the keys that a repository is signed with: an upgrade of it replaces the key ring that `Signed-By:` of
// apt names, so that a machine has the next key before the repository is signed with it.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const NAME = "santinela-archive-keyring";
/** The key ring, as `Signed-By:` of apt takes it. */
export const KEY_RING = `${NAME}.gpg`;
const RING_PATH = `usr/share/keyrings/${KEY_RING}`;
/** Of the package of the program. */
const CONTROL = fileURLToPath(new URL("../packaging/deb/control", import.meta.url));
const CHANGELOG = fileURLToPath(new URL("../packaging/deb/changelog", import.meta.url));

/**
 * The package of `ring` for the pool. Nothing is written yet.
 * @param ring the public keys
 * @param epochS time of the release, in seconds since 1970, from which the package has its version
 * @returns what writes it; undefined if the newest one in the pool has these keys
 * @throws if a package of the same or a later time has other keys: machines would keep those
 */
export function keyringPackageFor(pool, ring, epochS) {
  const version = versionAt(epochS);
  const newest = newestIn(pool);
  if (newest !== undefined) {
    if (ringOf(join(pool, newest)).equals(ring)) return undefined;
    if (newest >= fileOf(version))
      throw new Error(
        `${newest} has other keys and is not older than this release: machines would keep them`,
      );
  }
  return { write: () => build(join(pool, fileOf(version)), ring, version, epochS) };
}

/**
 * Fingerprints of the keys that machines trust because of the newest package in the pool and would not with `ring`. A next key
 * would be lost to them, and later every release that is signed with it.
 */
export function lostKeysOf(pool, ring) {
  const newest = existsSync(pool) ? newestIn(pool) : undefined;
  if (newest === undefined) return [];
  const kept = fingerprintsIn(ring);
  return fingerprintsIn(ringOf(join(pool, newest))).filter((one) => !kept.includes(one));
}

function newestIn(pool) {
  return readdirSync(pool)
    .filter((file) => file.startsWith(`${NAME}_`))
    .toSorted()
    .at(-1);
}

function fingerprintsIn(ring) {
  const options = { input: ring, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] };
  const listed = execFileSync("gpg", ["--batch", "--quiet", "--show-keys", "--with-colons"], options);
  // The line after that of a key; those of its subkeys follow theirs.
  return [...listed.matchAll(/^pub:.*\nfpr:+([0-9A-F]+):/gm)].map(([, fingerprint]) => fingerprint);
}

/** Digits of one length, so that versions are in the order of their texts. */
function versionAt(epochS) {
  const [date, time] = new Date(epochS * 1000).toISOString().slice(0, 19).split("T");
  return `${date.replaceAll("-", ".")}.${time.replaceAll(":", "")}`;
}

function fileOf(version) {
  return `${NAME}_${version}_all.deb`;
}

function ringOf(path) {
  const tar = execFileSync("dpkg-deb", ["--fsys-tarfile", path], { maxBuffer: 2 ** 24 });
  return execFileSync("tar", ["--extract", "--to-stdout", `./${RING_PATH}`], { input: tar });
}

function build(path, ring, version, epochS) {
  const work = mkdtempSync(join(tmpdir(), "santinela-keyring-"));
  const tree = join(work, "tree");
  const put = (file, content) => {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), content);
  };
  try {
    put("DEBIAN/control", controlOf(version));
    put(RING_PATH, ring);
    put(
      `usr/share/doc/${NAME}/copyright`,
      "The keys are those of the repository that this package comes from. They are in the public domain.\n",
    );
    put(`usr/share/doc/${NAME}/changelog.gz`, gzipSync(changelogOf(version, epochS), { level: 9 }));
    // For dpkg --verify.
    const files = readdirSync(join(tree, "usr"), { recursive: true, withFileTypes: true });
    const paths = files
      .filter((file) => file.isFile())
      .map((file) => relative(tree, join(file.parentPath, file.name)));
    put("DEBIAN/md5sums", execFileSync("md5sum", paths.toSorted(), { cwd: tree }));
    execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
    execFileSync("dpkg-deb", ["-Zxz", "--root-owner-group", "--build", tree, path], {
      // Its times, so that the same keys always give the same bytes.
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epochS) },
      stdio: "pipe",
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** That of the package of the program, with the name, version and text of this one. */
function changelogOf(version, epochS) {
  return readFileSync(CHANGELOG, "utf8")
    .replace(/^santinela \(@VERSION@\)/, `${NAME} (${version})`)
    .replace(/^ {2}\* .*$/m, "  * Keys of the repository changed.")
    .replace("@DATE@", new Date(epochS * 1000).toUTCString().replace("GMT", "+0000"));
}

function controlOf(version) {
  const maintainer = /^Maintainer: .*$/m.exec(readFileSync(CONTROL, "utf8"))?.[0];
  return `Package: ${NAME}
Version: ${version}
Architecture: all
${maintainer}
Section: misc
Priority: optional
Description: OpenPGP keys of the apt repository of Santinela
 With this package, an upgrade also brings the next key of the repository
 before the repository is signed with it.
`;
}
