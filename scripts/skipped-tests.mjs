// skipped-tests.mjs REPORT: prints how many tests were skipped and why, one reason on each line, by Vitest's JSON report. Those
// that give no reason share a line with their files. Prints nothing if none was skipped, or without a readable report.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

let report;
try {
  report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
} catch {
  process.exit(0);
}
const SKIPPED = new Set(["skipped", "pending", "todo"]);
const counts = new Map();
const files = new Set();
let withoutReason = 0;
for (const { name, assertionResults } of report.testResults) {
  for (const { status, fullName } of assertionResults) {
    if (!SKIPPED.has(status)) continue;
    const [, reason] = /\(skipped: ([^)]*)\)/.exec(fullName) ?? [];
    if (reason === undefined) {
      files.add(relative(process.cwd(), name));
      withoutReason += 1;
    } else counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
}
const lines = [...counts].map(([reason, count]) => `skipped ${count}: ${reason}`);
if (withoutReason > 0) lines.push(`skipped ${withoutReason}: see ${[...files].join(", ")}`);
process.stdout.write(lines.map((line) => `${line}\n`).join(""));
