// npm run release -- --to FOLDER --key KEY [--also-trust KEY]... [--no-longer-trust FINGERPRINT]... [--repository FOLDER]
//   [--architectures amd64,arm64] [--no-image] [--dry-run]
// Builds every file of a release from the last commit: packages, source archive, components, OCI image, notes, signed checksums,
// the signed apt repository, to which it adds the packages, and the data directories for the tests of later upgrades
// (FOLDER/upgrade, not published: keys and times differ each time). KEY is a key of the gpg key ring of the caller; GNUPGHOME selects
// another ring. With --also-trust, machines also get the public half of a key with which a later release will be signed. The same
// commit, key, compiler and Debian give the same published bytes. --dry-run checks the tree, and the key if it
// is named, and builds nothing.
// Exits with 65 and every reason if the tree is not the one of a release or the key cannot sign, with 64 if an option is wrong.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { sha256, writeChecksums } from "./release/checksums.mjs";
import { writeImage } from "./release/image.mjs";
import { addToRepository, keyLossIn } from "./release/repository.mjs";
import { keyFaultOf, publicKeyFaultOf } from "./release/signature.mjs";
import { faultsOf, notesOf } from "./release/tree.mjs";

/** The tree of this script; the tests check another one. */
const root = process.env.RELEASE_TREE ?? fileURLToPath(new URL("..", import.meta.url));
const say = (line) => process.stderr.write(`release: ${line}\n`);

process.exitCode = main();

function main() {
  const options = optionsOf(process.argv.slice(2));
  if (typeof options === "string") {
    say(options);
    return 64;
  }
  const faults = [...faultsOf(root), ...keyFaultsOf(options)];
  for (const fault of faults) say(fault);
  if (faults.length > 0) return 65;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  say(`${version} from ${git("rev-parse", "HEAD")} for ${options.architectures.join(" and ")}`);
  if (options.dryRun) {
    say("the tree is ready for a release; nothing is built (--dry-run)");
    return 0;
  }
  process.stdout.write(tableOf(options.to, build(options, version)));
  return 0;
}

/** The options, or what is wrong with them. */
function optionsOf(words) {
  try {
    const { values } = parseArgs({
      args: words,
      options: {
        to: { type: "string" },
        key: { type: "string" },
        "also-trust": { type: "string", multiple: true, default: [] },
        "no-longer-trust": { type: "string", multiple: true, default: [] },
        repository: { type: "string" },
        architectures: { type: "string", default: "amd64,arm64" },
        "no-image": { type: "boolean", default: false },
        "dry-run": { type: "boolean", default: false },
      },
    });
    const { to, key, repository } = values;
    const architectures = values.architectures.split(",");
    const unknown = architectures.find((one) => one !== "amd64" && one !== "arm64");
    if (unknown !== undefined) return `there is no package for ${unknown}, only for amd64 and arm64`;
    if (!values["dry-run"] && to === undefined) return "name the folder of the release: --to FOLDER";
    // A repository without a signature is refused by apt, so there is no release without a key.
    if (!values["dry-run"] && key === undefined) return "name the key that signs the repository: --key KEY";
    const folder = resolve(to ?? ".");
    return {
      to: folder,
      key,
      alsoTrusted: values["also-trust"],
      noLongerTrusted: values["no-longer-trust"],
      repository: resolve(repository ?? join(folder, "apt")),
      architectures,
      image: !values["no-image"],
      dryRun: values["dry-run"],
    };
  } catch (error) {
    return error.message;
  }
}

/** What is wrong with the key, before an hour of building. A check of the tree alone needs none. */
function keyFaultsOf(options) {
  const { key, alsoTrusted, repository } = options;
  const faults = alsoTrusted.map((one) => publicKeyFaultOf(one, commitS()));
  if (key !== undefined) faults.unshift(keyFaultOf(key, commitS()));
  const found = faults.filter((fault) => fault !== undefined);
  if (key === undefined || found.length > 0) return found;
  const loss = keyLossIn(repository, options, commitS());
  return loss === undefined ? [] : [loss];
}

/** Builds the files of the release in `to`. @returns their names */
function build(options, version) {
  const { to, key, repository, architectures, image } = options;
  const epochS = commitS();
  const name = `santinela_${version}`;
  const packed = join(to, "packages.part");
  rmSync(packed, { recursive: true, force: true });
  process.umask(0o022);
  mkdirSync(packed, { recursive: true });
  process.env.SOURCE_DATE_EPOCH = String(epochS);
  inCleanTree((run) => {
    run("npm", "run", "--silent", "build");
    // First: a release that cannot fill its own tables is not packed.
    run(process.execPath, "scripts/upgrade-fixture.mjs", "--to", join(to, "upgrade", version));
    for (const architecture of architectures) run("scripts/packaging/build-deb.sh", architecture, packed);
  });
  const packages = readdirSync(packed).map((file) => {
    renameSync(join(packed, file), join(to, file));
    return join(to, file);
  });
  rmSync(packed, { recursive: true });

  const made = packages.map((path) => basename(path));
  const put = (file, content) => {
    writeFileSync(join(to, file), content);
    made.push(file);
  };
  put(`${name}.tar.gz`, sourceOf(version));
  for (const path of packages) put(`${basename(path, ".deb")}.cdx.json`, componentsOf(path));
  put(`${name}_notes.md`, `# Santinela ${version}\n\n${notesOf(root, version)}\n`);
  if (image) {
    const archive = `${name}_image.tar`;
    say(`the image is ${writeImage(join(to, archive), packages, epochS)}`);
    made.push(archive);
  }
  made.push(...writeChecksums(to, key, made, epochS));
  // Last: what is published is complete.
  addToRepository(repository, options, packages, epochS);
  return made.toSorted();
}

/** The tree of the commit, with the time of the commit. */
function sourceOf(version) {
  const tar = execFileSync(
    "git",
    ["-C", root, "-c", "tar.umask=0022", "archive", "--format=tar", `--prefix=santinela-${version}/`, "HEAD"],
    { maxBuffer: 2 ** 30 },
  );
  return gzipSync(tar, { level: 9 });
}

/** The list of components that the package itself has. */
function componentsOf(path) {
  const tar = execFileSync("dpkg-deb", ["--fsys-tarfile", path], { maxBuffer: 2 ** 30 });
  return execFileSync("tar", ["--extract", "--to-stdout", "./usr/share/doc/santinela/parts.cdx.json"], {
    input: tar,
    maxBuffer: 2 ** 26,
  });
}

/** One line for each file: checksum, size, name. */
function tableOf(folder, files) {
  const rows = files.map((file) => {
    const content = readFileSync(join(folder, file));
    return `${sha256(content)}  ${String(content.length).padStart(11)}  ${file}\n`;
  });
  return `${"SHA-256".padEnd(64)}  ${"bytes".padStart(11)}  file\n${rows.join("")}`;
}

/** Time of the commit, in seconds since 1970. */
function commitS() {
  return Number(git("log", "-1", "--format=%ct"));
}

function git(...words) {
  return execFileSync("git", ["-C", root, ...words], { encoding: "utf8" }).trim();
}

/**
 * Builds in a clone of the commit with the modules of the lock file: what else is in the folders of the maintainer, such as a
 * changed module, is not published. The output of each step goes to the error output, so that only the table is printed.
 */
function inCleanTree(build) {
  const tree = mkdtempSync(join(tmpdir(), "santinela-release-"));
  const run = (command, ...words) =>
    void execFileSync(command, words, { cwd: tree, stdio: ["ignore", process.stderr, "inherit"] });
  try {
    run("git", "clone", "--quiet", root, ".");
    run("npm", "ci", "--no-audit", "--loglevel=error");
    build(run);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
