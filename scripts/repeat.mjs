// Runs test files or whole projects again and again beside busy loops, and stops at the first failure, whose output it prints.
//   npm run repeat -- [FILE...] [--project main]... [--times 20] [--busy 2]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

const { values, positionals: files } = parseArgs({
  options: {
    times: { type: "string", default: "20" },
    // Each takes one core.
    busy: { type: "string", default: "2" },
    project: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const [times, busy] = [values.times, values.busy].map(Number);
const projects = values.project.map((name) => `--project=${name}`);
if (files.length + projects.length === 0 || !(times >= 1) || !(busy >= 0)) {
  process.stderr.write("usage: npm run repeat -- [FILE...] [--project main]... [--times 20] [--busy 2]\n");
  process.exit(64);
}

// Threads end with this process, however it ends.
const loops = Array.from({ length: busy }, () => new Worker("for (;;);", { eval: true }));
const folder = mkdtempSync(join(tmpdir(), "santinela-repeat-"));
const report = join(folder, "report.json");
const seconds = [];
let failure;
while (seconds.length < times && failure === undefined) {
  const startMs = performance.now();
  const { code, output } = await runOnce();
  const took = (performance.now() - startMs) / 1000;
  const run = `run ${seconds.length + 1} of ${times}`;
  const result = code === 0 ? "passed" : "failed";
  process.stdout.write(`${run}: ${result}, ${took.toFixed(1)} s${counts()}\n`);
  if (code === 0) seconds.push(took);
  else failure = { run, output };
}
await Promise.all(loops.map((loop) => loop.terminate()));
rmSync(folder, { recursive: true });

const what = `${[...projects, ...files].join(" ")} beside ${busy} busy loops`;
if (failure === undefined) {
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)].map((each) => each.toFixed(1));
  process.stdout.write(`${what}: passed ${times} times, ${least} to ${most} s each\n`);
} else {
  process.stdout.write(`${failure.output}\n${what}: ${failure.run} failed\n`);
  process.exitCode = 1;
}

/** The numbers of tests of the last run; nothing if it ended without a report. */
function counts() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    const skipped = numPendingTests + numTodoTests;
    return `; tests: ${numPassedTests} passed, ${numFailedTests} failed, ${skipped} skipped`;
  } catch {
    return "";
  }
}

/** Runs the tests once. @returns the exit code and the whole output */
function runOnce() {
  rmSync(report, { force: true });
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const words = ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...projects, ...files];
  const run = spawn(process.execPath, words, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    run.on("error", reject);
    run.on("close", (code) => resolve({ code, output }));
  });
}
