// sizes.mjs PACKAGE [--document]: prints a table of what a Debian package of this project needs: the download, and the files on the
// disk by part. --document writes it into docs/hardware.md instead. The package may be one of the tests, which is compressed less:
// the download is that of the shipped compression. Takes two minutes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../docs/hardware.md", import.meta.url));
const BEGIN = "<!-- sizes: begin (made by scripts/packaging/sizes.mjs) -->";
const END = "<!-- sizes: end -->";

const RELEASE = "usr/lib/santinela/package/";
/** By the beginning of a path; the first that fits. */
const PARTS = [
  ["Node.js", `${RELEASE}node/`],
  ["add-ons and what loads them", `${RELEASE}node_modules/`],
  ["web panel", `${RELEASE}dist/panel/`],
  ["program", `${RELEASE}dist/`],
  ["documentation", "usr/share/doc/"],
  ["units, scripts, manual pages", ""],
];

/**
 * The table of a package.
 * @param {string} path
 */
export function tableOf(path) {
  const work = mkdtempSync(join(tmpdir(), "santinela-sizes-"));
  try {
    const tree = join(work, "tree");
    execFileSync("dpkg-deb", ["--raw-extract", path, tree]);
    const shipped = join(work, "shipped.deb");
    execFileSync("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", tree, shipped], { stdio: "pipe" });
    rmSync(join(tree, "DEBIAN"), { recursive: true });
    const files = filesOf(tree);
    const rows = PARTS.map(([name], index) => {
      const own = files.filter(
        (file) => PARTS.findIndex(([, first]) => file.path.startsWith(first)) === index,
      );
      return [name, own.length, bytesOf(own), packedBytes(tree, own)];
    });
    const all = ["all, and the download", files.length, bytesOf(files), statSync(shipped).size];
    return textOf([...rows.filter(([, count]) => count > 0), all]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function filesOf(tree) {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ path: relative(tree, path), bytes: statSync(path).size }));
}

function bytesOf(files) {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Size of an archive of these files alone. */
function packedBytes(tree, files) {
  const input = files.map(({ path }) => `${path}\n`).join("");
  const words = ["--create", "--directory", tree, "--files-from=-", "--owner=0", "--group=0", "--mtime=@0"];
  const tar = execFileSync("tar", words, { input, maxBuffer: 2 ** 30 });
  return execFileSync("xz", ["--threads=1"], { input: tar, maxBuffer: 2 ** 30 }).length;
}

function textOf(rows) {
  const cells = rows.map(([name, count, bytes, packed]) => [
    name,
    count,
    megabytes(bytes),
    megabytes(packed),
  ]);
  const lines = [["Part", "Files", "Installed, MB", "Compressed, MB"], Array(4).fill("---"), ...cells];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
}

/** Millions of bytes. */
function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}

/**
 * The page with the table between its markers.
 * @param {string} page
 * @param {string} table
 */
export function withTable(page, table) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < 0) throw new Error("docs/hardware.md: the markers of the table are missing");
  return `${page.slice(0, from + BEGIN.length)}\n\n${table}\n${page.slice(to)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, option] = process.argv.slice(2);
  if (path === undefined) throw new Error("name the package: sizes.mjs PACKAGE [--document]");
  const table = tableOf(path);
  if (option === "--document") writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), table));
  else process.stdout.write(table);
}
