// Collects the licences of all packages of an installation in dist/licences.txt: the dependencies of the daemon, and those
// bundled into the web panel. Exits with 1 if a licence is missing or not permissive.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Bundled into the web panel, and therefore not installed with the daemon. */
export const IN_THE_PANEL = ["preact", "@preact/signals", "@preact/signals-core"];
/** Licences that require only their notice to be kept. */
const PERMISSIVE =
  /^\(?(MIT|MIT-0|ISC|BSD|BSD-2-Clause|BSD-3-Clause|0BSD|Apache-2\.0|Unlicense|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|WTFPL|Zlib)( OR .+)?\)?$/;

/** Every package of an installation: `{ name, version, licence, text }`, by name. */
export function licencesOf(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return (
    Object.entries(packages)
      .filter(([place, { dev }]) => place !== "" && (!dev || IN_THE_PANEL.includes(nameOf(place))))
      // Packages for other processors and systems are not part of this installation.
      .filter(([place]) => existsSync(join(folder, place, "package.json")))
      .map(([place]) => describe(join(folder, place)))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  );
}

/** The problem with a package's licence; empty if there is none. */
export function problemWith({ name, version, licence, text }) {
  if (!PERMISSIVE.test(licence))
    return `${name} ${version}: ${licence || "no licence"} is not among the permissive ones`;
  return text === "" ? `${name} ${version}: no text of its licence, and no author to name` : "";
}

/** The name of the package at a path of the lock file. */
export function nameOf(place) {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}

function describe(folder) {
  const { name, version, license, licenses, author, repository } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const licence = typeof license === "string" ? license : (license?.type ?? licenses?.[0]?.type ?? "");
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const who = (typeof author === "string" ? author : author?.name) ?? repository?.url ?? repository ?? "";
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : who && `Copyright ${who}`;
  return { name, version, licence, text };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = licencesOf(root);
  const problems = found.map(problemWith).filter((problem) => problem !== "");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const rule = "=".repeat(80);
  const parts = found.map(
    ({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}\n`,
  );
  // The icons of the panel are copied into src/panel/icons.ts, so no package carries their licence.
  const icons = readFileSync(join(root, "src/panel/icons-licence.txt"), "utf8");
  writeFileSync(
    join(root, "dist/licences.txt"),
    [`Santinela carries ${found.length} packages of others.\n`, ...parts, icons].join(`\n${rule}\n`),
  );
  if (problems.length > 0) process.exitCode = 1;
}
