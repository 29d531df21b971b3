// build-record.mjs: the last step of a build. It records the sources of dist/, so that a test that starts the program can
// detect an outdated one. Contents are compared, not dates: a checkout and `npm run generate` give files new dates without a
// change. With --is-fresh the exit code alone states whether dist/ matches the sources.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const RECORD = "dist/built-from.json";
/** The inputs of a build; folders with all files except src/generated, which the build writes. */
const SOURCES = [
  "src",
  "schemas",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/generate.mjs",
  "scripts/site-schemas.mjs",
  "scripts/bundle",
  "scripts/build-panel.mjs",
  "scripts/licences.mjs",
];
const GENERATED = "src/generated/";

/** Why the program in `folder`/dist does not match its sources; undefined if it does. */
export function buildProblem(folder) {
  const record = join(folder, RECORD);
  if (!existsSync(record)) return "the program is not built. Run npm run build";
  const built = JSON.parse(readFileSync(record, "utf8"));
  const now = digestsOf(folder);
  const changed = [...new Set([...Object.keys(built), ...Object.keys(now)])].filter(
    (path) => built[path] !== now[path],
  );
  if (changed.length === 0) return undefined;
  const others = changed.length > 1 ? ` and ${changed.length - 1} more` : "";
  return `dist is older than ${changed.toSorted()[0]}${others}. Run npm run build`;
}

/** The SHA-256 of each source, by its path below `folder`. */
function digestsOf(folder) {
  const paths = SOURCES.flatMap((source) =>
    statSync(join(folder, source)).isFile()
      ? [source]
      : readdirSync(join(folder, source), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => relative(folder, join(entry.parentPath, entry.name))),
  );
  return Object.fromEntries(
    paths
      .filter((path) => !path.startsWith(GENERATED))
      .toSorted()
      .map((path) => [
        path,
        createHash("sha256")
          .update(readFileSync(join(folder, path)))
          .digest("hex"),
      ]),
  );
}

/** Records the current sources as those of dist/. */
export function recordBuild(folder) {
  writeFileSync(join(folder, RECORD), `${JSON.stringify(digestsOf(folder), null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  if (process.argv[2] === "--is-fresh") process.exitCode = buildProblem(root) === undefined ? 0 : 1;
  else recordBuild(root);
}
