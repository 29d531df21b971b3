// Collects the licences of everything that an installation carries into dist/licences.txt: the packages that the daemon
// runs on, and those that the panel's script was built from. Ends with 1 when one has a licence that asks for more
// than to be named, or none that can be found.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** In the panel's script, and so not among the packages that are installed beside the daemon. */
export const IN_THE_PANEL = ["preact", "@preact/signals", "@preact/signals-core"];
/** They ask for their notice to be kept, and nothing else. */
const PERMISSIVE =
  /^\(?(MIT|MIT-0|ISC|BSD|BSD-2-Clause|BSD-3-Clause|0BSD|Apache-2\.0|Unlicense|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|WTFPL|Zlib)( OR .+)?\)?$/;

/** Every package of an installation: `{ name, version, licence, text }`, by name. */
export function licencesOf(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return (
    Object.entries(packages)
      .filter(([place, { dev }]) => place !== "" && (!dev || IN_THE_PANEL.includes(nameOf(place))))
      // Those of other processors and systems are not on this machine, and not in its installation.
      .filter(([place]) => existsSync(join(folder, place, "package.json")))
      .map(([place]) => describe(join(folder, place)))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  );
}

/** What is wrong with a package's licence; empty where nothing is. */
export function problemWith({ name, version, licence, text }) {
  if (!PERMISSIVE.test(licence))
    return `${name} ${version}: ${licence || "no licence"} is not among the permissive ones`;
  return text === "" ? `${name} ${version}: no text of its licence, and no author to name` : "";
}

/** The package that lies at a place of the lock file. */
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
  writeFileSync(
    join(root, "dist/licences.txt"),
    [`Santinela carries ${found.length} packages of others.\n`, ...parts].join(`\n${rule}\n`),
  );
  if (problems.length > 0) process.exitCode = 1;
}
