// Makes one small change at a time in the source (a mutant) and checks whether a test detects it.
//   npm run mutants -- [--wide] [--simulation] [--static] [file or pattern ...]
// Without a file it covers domain, inputs, sync, store and threads, which takes hours.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";

const CONFIG = "scripts/mutants.vitest.config.ts";

const { values, positionals } = parseArgs({
  options: {
    // All tests that reach a file, not only those that import it.
    wide: { type: "boolean", default: false },
    // Also runs seeds of test/simulation with each mutant.
    simulation: { type: "boolean", default: false },
    // Also values computed once, when a file is loaded: tables, patterns, constants. Each needs all tests.
    static: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : ["src/{domain,inputs,sync,store,threads}/**/*.ts"];
const nearTests = values.wide || !files.every((file) => existsSync(file)) ? undefined : testsOf(files);
const chosen = [...(nearTests ?? []), ...(values.simulation ? ["test/simulation/simulation.test.ts"] : [])];
if (nearTests !== undefined) process.stdout.write(`tests: ${chosen.join(", ") || "all"}\n`);
if (chosen.length > 0) process.env["MUTANTS_TESTS"] = JSON.stringify(chosen);
if (values.simulation) process.env["SIMULATE_SEEDS"] ??= "20";

// Stryker silently leaves out each test file that cannot be loaded, and its mutants count as untested.
const plain = spawnSync("npx", ["vitest", "run", "--config", CONFIG, "--reporter=dot"], { stdio: "inherit" });
if (plain.status !== 0) {
  process.stderr.write("mutants: the tests fail without a mutant\n");
  process.exit(1);
}

const stryker = new Stryker({
  mutate: files,
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
  clearTextReporter: { logTests: false, reportTests: false },
  tempDirName: ".mutants",
});
await stryker.runMutationTest();

/**
 * The tests that import one of the files, directly or through test/support.
 * @param {readonly string[]} sources paths from the root
 */
function testsOf(sources) {
  const tests = ["domain", "inputs", "sync", "store", "threads"].flatMap((folder) =>
    readdirSync(`test/${folder}`)
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `test/${folder}/${name}`),
  );
  const named = new Set(
    sources.flatMap((source) => ["test", "long.test"].map((end) => `${basename(source, ".ts")}.${end}.ts`)),
  );
  return tests.filter(
    (test) => named.has(basename(test)) || importedBy(test).some((file) => sources.includes(file)),
  );
}

/** The imports of a test file, and of its files in test/support. */
function importedBy(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const paths = [
    ...readFileSync(file, "utf8").matchAll(
      /^(?:import|export) (?!type ).* from "(\..*)"|^\} from "(\..*)"/gm,
    ),
  ];
  return paths
    .map(([, path, last]) => join(dirname(file), path ?? last))
    .flatMap((path) => (path.startsWith("test/") ? importedBy(path, seen) : [path]));
}
