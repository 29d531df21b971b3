// npm run test:machines: all suites that need containers or virtual machines, one after the other, with one package: the installed
// package on Debian 12 and on Debian 13, a virtual machine with its power cuts, and what a release publishes. Takes hours, needs
// root and the programs of scripts/test-deps.sh machines. Prints a table of the files with their results and durations at the end, for
// docs/verification.md. Exits with 1 if a suite has failed, else with 77 if one could not run here; its reason is in the output above.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const SUITES = [
  { name: "Debian 12", command: "test:systemd", environment: { SUITES: "bookworm" } },
  { name: "Debian 13", command: "test:systemd", environment: { SUITES: "trixie" } },
  { name: "virtual machine", command: "test:vm" },
  { name: "power cuts", command: "test:vm:powercut" },
  { name: "release", command: "test:release" },
];
const CANNOT_RUN = 77;

const folder = mkdtempSync(join(tmpdir(), "santinela-machines-"));
try {
  process.exitCode = main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main() {
  const architecture = { x64: "amd64", arm64: "arm64" }[process.arch] ?? process.arch;
  // Once: each suite takes an existing one.
  const packed = run("scripts/test-package.sh", [architecture, folder]);
  if (packed !== 0) return packed === CANNOT_RUN ? CANNOT_RUN : 1;
  const results = SUITES.map(resultOf);
  process.stdout.write(tableOf(results));
  const codes = results.map(({ code }) => code);
  if (codes.some((code) => code !== 0 && code !== CANNOT_RUN)) return 1;
  return codes.includes(CANNOT_RUN) ? CANNOT_RUN : 0;
}

/** Runs a suite. @returns its exit code, and Vitest's report of each file */
function resultOf({ name, command, environment = {} }) {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const reporters = ["--reporter=verbose", "--reporter=json", `--outputFile.json=${report}`];
  const startedMs = performance.now();
  const code = run("npm", ["run", "--silent", command, "--", ...reporters], {
    TEST_PACKAGES: folder,
    ...environment,
  });
  return { name, code, seconds: (performance.now() - startedMs) / 1000, files: filesOf(report) };
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
  const rows = results.flatMap(({ name, code, seconds, files }) => [
    ...files.map((file) => [
      name,
      `\`${file.file}\``,
      file.passed,
      file.failed,
      file.skipped,
      durationOf(file.seconds),
    ]),
    [name, outcomeOf(code), ...sums(files), durationOf(seconds)],
  ]);
  const lines = [["Suite", "File", "Passed", "Failed", "Skipped", "Duration"], Array(6).fill("---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function outcomeOf(code) {
  if (code === CANNOT_RUN) return "not run";
  return code === 0 ? "all, passed" : `all, failed with ${code}`;
}

function sums(files) {
  return ["passed", "failed", "skipped"].map((column) => files.reduce((sum, file) => sum + file[column], 0));
}

/** Minutes and seconds; the whole suite includes its preparation. */
function durationOf(seconds) {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
