// failed-files.mjs REPORT: prints the files with a failed test, from the repository, one on each line, by Vitest's JSON report.
// Prints none without a readable report, or if only something beside the tests has failed.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

let report;
try {
  report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
} catch {
  process.exit(0);
}
const failed = report.testResults
  .filter(({ status }) => status === "failed")
  .map(({ name }) => relative(process.cwd(), name));
process.stdout.write([...new Set(failed)].map((file) => `${file}\n`).join(""));
