// Makes one small change at a time in the source (a mutant) and checks whether a test detects it.
//   npm run mutants -- [--wide] [--simulation] [--static] [file or folder ...]
// Without a file or folder it covers domain, inputs, sync, store and threads, which takes hours.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";

const CONFIG = "scripts/mutants.vitest.config.ts";

/** These start a broker or the built program, which has no mutants, or wait for real time. */
const OTHER_PROCESSES =
  /\/(?:inputs\/(?:home-assistant|mqtt-[a-z-]+|silent-broker)|store\/durable-reads|threads\/(?:heap-limits|records-thread))\./;

const { values, positionals } = parseArgs({
  options: {
    // All tests that reach a file, not only the nearest.
    wide: { type: "boolean", default: false },
    // Also runs seeds of test/simulation with each mutant.
    simulation: { type: "boolean", default: false },
    // Also values computed once, when a file is loaded: tables, patterns, constants. Each needs all tests.
    static: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const FOLDERS = ["domain", "inputs", "sync", "store", "threads"];
const paths = positionals.length > 0 ? positionals : FOLDERS.map((folder) => `src/${folder}`);
const files = paths.flatMap((path) => (path.endsWith(".ts") ? [path] : typescriptFiles(path)));
const all = ["config", ...FOLDERS]
  .flatMap((folder) => typescriptFiles(`test/${folder}`))
  .filter((path) => path.endsWith(".test.ts") && !OTHER_PROCESSES.test(path));
/** Files that can lie between a test and a source file that it does not import. */
const between = ["src", "test/support"].flatMap(typescriptFiles);
if (values.simulation) process.env["SIMULATE_SEEDS"] ??= "20";

const testsOf = new Map(files.map((file) => [file, chosenTests(file)]));
// Stryker silently leaves out each test file that cannot be loaded, and its mutants count as untested.
useTests([...new Set([...testsOf.values()].flat())]);
const plain = spawnSync("npx", ["vitest", "run", "--config", CONFIG, "--reporter=dot"], { stdio: "inherit" });
if (plain.status !== 0) {
  process.stderr.write("mutants: the tests fail without a mutant\n");
  process.exit(1);
}

const rows = [];
for (const [file, tests] of testsOf) {
  process.stdout.write(`\n${file}: ${values.wide ? "all tests" : tests.join(", ")}\n`);
  useTests(tests);
  rows.push(rowOf(file, await runMutants(file)));
}
process.stdout.write(
  `\n| File | Mutants | Detected | Survived | Not reached |\n| - | -: | -: | -: | -: |\n${rows.join("\n")}\n`,
);

/** Tells the configuration of vitest which tests to run. */
function useTests(tests) {
  process.env["MUTANTS_TESTS"] = JSON.stringify(tests);
}

function runMutants(file) {
  return new Stryker({
    mutate: [file],
    testRunner: "vitest",
    vitest: { configFile: CONFIG },
    plugins: ["@stryker-mutator/vitest-runner"],
    // Stryker reads only the configuration of TypeScript 5 and 6; it needs none, because it compiles no test.
    tsconfigFile: "none",
    // Apart from src, test and schemas the tests read little, so the rest is not copied.
    ignorePatterns: ["/build", "/dist", "/docs", "/var", "/.bench", "/soak", "/systemd"],
    ignoreStatic: !values.static,
    // All tests once, on a slow machine.
    dryRunTimeoutMinutes: 30,
    timeoutMS: 10_000,
    concurrency: 2,
    reporters: ["clear-text", "progress-append-only"],
    clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
    tempDirName: ".mutants",
  }).runMutationTest();
}

/** Counts of a file as a row of a table, see docs/verification.md. */
function rowOf(file, mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [detected, survived, missed] = [count("Killed", "Timeout"), count("Survived"), count("NoCoverage")];
  return `| ${file} | ${detected + survived + missed} | ${detected} | ${survived} | ${missed} |`;
}

function chosenTests(file) {
  const named = namedTests(file);
  const near = values.wide ? all : named.length > 0 ? named : importingTests(file);
  return values.simulation ? [...near, "test/simulation/simulation.test.ts"] : near;
}

/** The tests with the name of a file. */
function namedTests(source) {
  const names = ["test", "long.test"].map((end) => `${basename(source, ".ts")}.${end}.ts`);
  return all.filter((test) => names.includes(basename(test)));
}

/** The tests that import a file; if none does, those that import a file that imports it, and so on. */
function importingTests(source) {
  const seen = new Set([source]);
  let level = [source];
  while (level.length > 0) {
    const imports = (file) => importsOf(file).some((path) => level.includes(path));
    const tests = all.filter(imports);
    if (tests.length > 0) return tests;
    level = between.filter((file) => !seen.has(file) && imports(file));
    for (const file of level) seen.add(file);
  }
  return [];
}

/** The files whose values a file imports. */
function importsOf(file) {
  const text = readFileSync(file, "utf8");
  const imports = text.matchAll(/^(?:import|export) (?!type )[^";]+ from "(\.[^"]+)"/gm);
  return [...imports].map(([, path]) => join(dirname(file), path));
}

function typescriptFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}
