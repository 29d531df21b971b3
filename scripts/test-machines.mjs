// npm run test:machines [-- --only SUITE]... [--document]: all suites that need containers or virtual machines, one after the other,
// with one package: the installed package on Debian 12 and on Debian 13, a virtual machine with its power cuts, and what a release
// publishes. Takes hours, needs root and the programs of scripts/test-deps.sh machines. Prints a table of the files with their results
// and durations at the end, and the sizes of the package. --document writes both into docs/verification.md and docs/hardware.md, --only
// runs the named suites, such as containers or "power cuts".
// Exits with 1 if a suite has failed, else with 77 if one could not run here; its reason is in the output above.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

const SUITES = [
  { name: "containers", debian: 12, command: "test:systemd", environment: { SUITES: "bookworm" } },
  { name: "containers", debian: 13, command: "test:systemd", environment: { SUITES: "trixie" } },
  { name: "virtual machine", debian: 13, command: "test:vm" },
  { name: "power cuts", debian: 13, command: "test:vm:powercut" },
  { name: "release", debian: 13, command: "test:release" },
];
const NAMES = [...new Set(SUITES.map(({ name }) => name))];
const CANNOT_RUN = 77;
const PAGE = "docs/verification.md";
const BEGIN = "<!-- machines: begin (made by npm run test:machines -- --document) -->";
const END = "<!-- machines: end -->";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: NAMES },
    document: { type: "boolean", default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), "santinela-machines-"));
try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main() {
  const unknown = options.only.find((only) => !SUITES.some(({ name }) => name === only));
  if (unknown !== undefined) {
    process.stderr.write(`test-machines: no suite is named ${unknown}: ${NAMES.join(", ")}\n`);
    return 64;
  }
  const architecture = { x64: "amd64", arm64: "arm64" }[process.arch] ?? process.arch;
  // Once: each suite takes an existing one.
  const packed = run("scripts/test-package.sh", [architecture, folder]);
  if (packed !== 0) return packed === CANNOT_RUN ? CANNOT_RUN : 1;
  const results = SUITES.map((suite) =>
    options.only.includes(suite.name) ? resultOf(suite) : notSelected(suite),
  );
  const text = `${conditions()}\n\n${tableOf(results)}`;
  process.stdout.write(text);
  if (options.document) writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8"), text));
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".deb"))) {
    const words = [join(folder, name), ...(options.document ? ["--document"] : [])];
    const sizes = spawnSync(process.execPath, ["scripts/packaging/sizes.mjs", ...words], {
      encoding: "utf8",
    });
    process.stdout.write(`\n${sizes.stdout}`);
    process.stderr.write(sizes.stderr);
  }
  const codes = results.map(({ code }) => code).filter((code) => code !== undefined);
  if (codes.some((code) => code !== 0 && code !== CANNOT_RUN)) return 1;
  return codes.includes(CANNOT_RUN) ? CANNOT_RUN : 0;
}

/** Where the durations come from: on a busy machine they are longer. */
function conditions() {
  const day = new Date().toISOString().slice(0, 10);
  const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).stdout?.trim();
  return `On ${day}, commit ${commit || "unknown"}, with ${availableParallelism()} processors and a load of ${loadavg()[2].toFixed(0)} at the end:`;
}

function notSelected({ name, debian }) {
  return { name, debian, code: undefined, seconds: 0, files: [] };
}

/** Runs a suite. @returns its exit code, and Vitest's report of each file */
function resultOf({ name, debian, command, environment = {} }) {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const reporters = ["--reporter=verbose", "--reporter=json", `--outputFile.json=${report}`];
  const startedMs = performance.now();
  const code = run("npm", ["run", "--silent", command, "--", ...reporters], {
    TEST_PACKAGES: folder,
    ...environment,
  });
  return { name, debian, code, seconds: (performance.now() - startedMs) / 1000, files: filesOf(report) };
}

function run(command, words, environment = {}) {
  const { status } = spawnSync(command, words, {
    // Only the table is for the standard output.
    stdio: ["ignore", process.stderr, "inherit"],
    env: { ...process.env, ...environment },
  });
  return status ?? 1;
}

/** Number of tests by result, and duration, of each file that has run; none without a report. */
function filesOf(report) {
  let testResults;
  try {
    ({ testResults } = JSON.parse(readFileSync(report, "utf8")));
  } catch {
    return [];
  }
  return testResults.map(({ name, startTime, endTime, assertionResults }) => {
    const count = (...wanted) => assertionResults.filter(({ status }) => wanted.includes(status)).length;
    return {
      file: basename(name),
      passed: count("passed"),
      failed: count("failed"),
      skipped: count("skipped", "pending", "todo"),
      seconds: (endTime - startTime) / 1000,
    };
  });
}

function tableOf(results) {
  const rows = results.flatMap(({ name, debian, code, seconds, files }) => [
    ...files.map((one) => [name, debian, `\`${one.file}\``, countsOf(one), Math.round(one.seconds)]),
    [name, debian, "all, with the preparation", outcomeOf(code), Math.round(seconds)],
  ]);
  const lines = [["Suite", "Debian", "File", "Result", "Seconds"], Array(5).fill("---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function outcomeOf(code) {
  if (code === undefined) return "not selected";
  if (code === CANNOT_RUN) return "not run";
  return code === 0 ? "passed" : `failed with ${code}`;
}

/** Such as "12 passed, 1 skipped". */
function countsOf(file) {
  const counts = ["passed", "failed", "skipped"].filter((kind) => file[kind] > 0);
  return counts.map((kind) => `${file[kind]} ${kind}`).join(", ") || "no test";
}

/** The page with the table between its markers. */
function withTable(page, text) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < 0) throw new Error(`${PAGE}: the markers of the table are missing`);
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n${page.slice(to)}`;
}
