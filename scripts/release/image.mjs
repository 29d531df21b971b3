// image.mjs ARCHIVE PACKAGE...: makes an OCI image of the Debian packages, one for each processor, as an archive that podman,
// docker and skopeo read. No container engine is needed: the C library comes from Debian by mmdebstrap (BASE_SUITE, trixie), without
// a shell and without running anything, and the program from the package. SOURCE_DATE_EPOCH is the time of everything in it.
// BASE_ROOT is a folder to use as the root file system instead. Prints the digest of the image.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const HOME = "/usr/lib/santinela/current";
const NODE = `${HOME}/node/bin/node`;
const DATA = "/var/lib/santinela";
/** The user of distroless images: no account of a usual machine has this number. */
const USER = 65532;
/** What Node.js and the add-ons load: the `Depends:` of the package that are libraries, and the usual folders. */
const LIBRARIES = "base-files,libc6,libstdc++6,libgcc-s1";
const TYPE = "application/vnd.oci.image";

/**
 * Writes the image of `packages` (paths, one for each processor) to `archive`.
 * @param epochS time of the release, in seconds since 1970
 * @returns the digest of the image
 */
export function writeImage(archive, packages, epochS) {
  const work = mkdtempSync(join(tmpdir(), "santinela-image-"));
  try {
    const layout = join(work, "layout");
    mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
    const manifests = packages
      .map((path) => ({ path, architecture: fieldOf(path, "Architecture") }))
      .toSorted((a, b) => (a.architecture < b.architecture ? -1 : 1))
      .map(({ path, architecture }) =>
        writeManifest(layout, path, architecture, join(work, architecture), epochS),
      );
    const version = fieldOf(packages[0], "Version");
    const image = writeJson(layout, `${TYPE}.index.v1+json`, {
      schemaVersion: 2,
      mediaType: `${TYPE}.index.v1+json`,
      manifests,
    });
    const named = { ...image, annotations: { "org.opencontainers.image.ref.name": `santinela:${version}` } };
    writeFileSync(join(layout, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [named] }));
    writeFileSync(join(layout, "oci-layout"), '{"imageLayoutVersion":"1.0.0"}');
    execFileSync("chmod", ["-R", "u=rwX,go=rX", layout]);
    writeFileSync(archive, tarOf(layout, epochS, 0));
    return image.digest;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function writeManifest(layout, path, architecture, folder, epochS) {
  const layers = [
    tarOf(libraryTree(join(folder, "base"), architecture, epochS), epochS, 0),
    tarOf(programTree(join(folder, "program"), path), epochS, 0),
    // The only folder that the program may write: volumes take its owner.
    tarOf(dataTree(join(folder, "data")), epochS, USER),
  ];
  const version = fieldOf(path, "Version");
  const created = new Date(epochS * 1000).toISOString();
  const config = writeJson(layout, `${TYPE}.config.v1+json`, {
    created,
    architecture,
    os: "linux",
    config: configOf(version),
    rootfs: { type: "layers", diff_ids: layers.map((tar) => `sha256:${sha256(tar)}`) },
    history: ["Debian's C library", `santinela ${version}`, "the data folder"].map((words) => ({
      created,
      created_by: words,
    })),
  });
  const manifest = writeJson(layout, `${TYPE}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${TYPE}.manifest.v1+json`,
    config,
    layers: layers.map((tar) => writeBlob(layout, `${TYPE}.layer.v1.tar+gzip`, gzipSync(tar))),
  });
  return { ...manifest, platform: { architecture, os: "linux" } };
}

function configOf(version) {
  return {
    User: `${USER}:${USER}`,
    ExposedPorts: { "8080/tcp": {} },
    Env: [
      "PATH=/usr/bin",
      "NODE_ENV=production",
      // As in santinela.service.
      "NODE_OPTIONS=--max-old-space-size=128",
      // In a container the loopback is not reachable from outside.
      "SANTINELA_HTTP__HOST=0.0.0.0",
      // Beyond the loopback the daemon asks for encryption or a decision against it.
      "SANTINELA_HTTP__TLS=own",
    ],
    Entrypoint: ["/usr/bin/santinela"],
    Cmd: ["serve"],
    Volumes: { [DATA]: {} },
    WorkingDir: DATA,
    StopSignal: "SIGTERM",
    // Docker's addition to the format; podman takes it as --health-cmd.
    Healthcheck: {
      Test: ["CMD", "/usr/bin/santinela", "status"],
      Interval: 30e9,
      Timeout: 10e9,
      StartPeriod: 60e9,
      Retries: 3,
    },
    Labels: {
      "org.opencontainers.image.title": "santinela",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.licenses": "MIT",
    },
  };
}

/** The C library, and the names of the user. */
function libraryTree(tree, architecture, epochS) {
  mkdirSync(tree, { recursive: true });
  const base = process.env.BASE_ROOT;
  if (base === undefined) {
    const suite = process.env.BASE_SUITE ?? "trixie";
    execFileSync(
      "mmdebstrap",
      [
        "--quiet",
        "--variant=extract",
        `--architectures=${architecture}`,
        `--include=${LIBRARIES}`,
        suite,
        tree,
      ],
      { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, SOURCE_DATE_EPOCH: String(epochS) } },
    );
  } else cpSync(base, tree, { recursive: true, verbatimSymlinks: true });
  // Logs, lists and device files of the making, and pages that no program of it reads.
  for (const path of [
    "var/lib/apt",
    "var/lib/dpkg",
    "var/cache",
    "var/log",
    "etc/apt",
    "etc/dpkg",
    "dev",
    "run",
  ])
    rmSync(join(tree, path), { recursive: true, force: true });
  for (const path of ["man", "info", "lintian", "locale", "bug", "gdb", "gcc"])
    rmSync(join(tree, "usr/share", path), { recursive: true, force: true });
  mkdirSync(join(tree, "etc"), { recursive: true });
  for (const path of ["dev", "run", "tmp"]) mkdirSync(join(tree, path), { recursive: true });
  const name = `santinela:x:${USER}:`;
  writeFileSync(
    join(tree, "etc/passwd"),
    `root:x:0:0:root:/root:/usr/sbin/nologin\n${name}${USER}:santinela:${DATA}:/usr/sbin/nologin\n`,
  );
  writeFileSync(join(tree, "etc/group"), `root:x:0:\n${name}\n`);
  execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
  execFileSync("chmod", ["1777", join(tree, "tmp")]);
  return tree;
}

/** The release of the package, with a command that needs no shell. */
function programTree(tree, path) {
  mkdirSync(tree, { recursive: true });
  const unpacked = `${tree}.deb`;
  execFileSync("dpkg-deb", ["--extract", path, unpacked]);
  for (const kept of [
    "usr/lib/santinela/package",
    "usr/share/doc/santinela/copyright",
    "usr/share/doc/santinela/parts.cdx.json",
  ])
    if (existsSync(join(unpacked, kept)))
      cpSync(join(unpacked, kept), join(tree, kept), { recursive: true, verbatimSymlinks: true });
  symlinkSync("package", join(tree, HOME));
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  writeFileSync(
    join(tree, "usr/bin/santinela"),
    `#!${NODE}\nimport(${JSON.stringify(`${HOME}/dist/main.js`)});\n`,
  );
  mkdirSync(join(tree, "etc/santinela"), { recursive: true });
  cpSync(join(unpacked, "usr/share/santinela/santinela.yaml"), join(tree, "etc/santinela/santinela.yaml"));
  execFileSync("chmod", ["-R", "u=rwX,go=rX", tree]);
  execFileSync("chmod", ["755", join(tree, "usr/bin/santinela")]);
  return tree;
}

function dataTree(tree) {
  mkdirSync(join(tree, DATA), { recursive: true });
  // The parent folders are those of the other layers.
  execFileSync("chmod", ["-R", "755", tree]);
  execFileSync("chmod", ["750", join(tree, DATA)]);
  return tree;
}

/** The files of `tree` in one order, with one time and one owner. */
function tarOf(tree, epochS, owner) {
  const words = ["--create", "--sort=name", "--format=gnu", "--numeric-owner", `--mtime=@${epochS}`];
  const entries = owner === 0 ? ["."] : [`.${DATA}`];
  return execFileSync(
    "tar",
    [...words, `--owner=${owner}`, `--group=${owner}`, `--directory=${tree}`, ...entries],
    {
      maxBuffer: 2 ** 30,
      env: { ...process.env, LC_ALL: "C" },
    },
  );
}

function writeJson(layout, mediaType, value) {
  return writeBlob(layout, mediaType, Buffer.from(JSON.stringify(value)));
}

function writeBlob(layout, mediaType, content) {
  const digest = sha256(content);
  writeFileSync(join(layout, "blobs/sha256", digest), content);
  return { mediaType, digest: `sha256:${digest}`, size: content.length };
}

function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

function fieldOf(path, field) {
  return execFileSync("dpkg-deb", ["--field", path, field], { encoding: "utf8" }).trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , archive, ...packages] = process.argv;
  process.stdout.write(`${writeImage(archive, packages, Number(process.env.SOURCE_DATE_EPOCH))}\n`);
}
