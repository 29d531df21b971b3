// Runs test files again and again beside busy loops, and stops at the first failure, whose output it prints.
//   npm run repeat -- FILE... [--times 20] [--busy 2]
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";

const { values, positionals: files } = parseArgs({
  options: {
    times: { type: "string", default: "20" },
    // Each takes one core.
    busy: { type: "string", default: "2" },
  },
  allowPositionals: true,
});
const [times, busy] = [values.times, values.busy].map(Number);
if (files.length === 0 || !(times >= 1) || !(busy >= 0)) {
  process.stderr.write("usage: npm run repeat -- FILE... [--times 20] [--busy 2]\n");
  process.exit(64);
}

// Threads end with this process, however it ends.
const loops = Array.from({ length: busy }, () => new Worker("for (;;);", { eval: true }));
const seconds = [];
let failure;
while (seconds.length < times && failure === undefined) {
  const startMs = performance.now();
  const { code, output } = await runOnce();
  const took = (performance.now() - startMs) / 1000;
  if (code === 0) {
    seconds.push(took);
    process.stdout.write(`run ${seconds.length} of ${times}: passed, ${took.toFixed(1)} s\n`);
  } else failure = { code, output };
}
await Promise.all(loops.map((loop) => loop.terminate()));

const what = `${files.join(" ")} beside ${busy} busy loops`;
if (failure === undefined) {
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)].map((each) => each.toFixed(1));
  process.stdout.write(`${what}: passed ${times} times, ${least} to ${most} s each\n`);
} else {
  process.stdout.write(`${failure.output}\n${what}: run ${seconds.length + 1} of ${times} failed\n`);
  process.exitCode = 1;
}

/** Runs the files once. @returns the exit code and the whole output */
function runOnce() {
  const words = ["node_modules/vitest/vitest.mjs", "run", "--reporter=dot", ...files];
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
