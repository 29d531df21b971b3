import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withTables } from "./page.ts";
import { ROOT } from "./paths.ts";
import { readResult, RESULT_FILE } from "./result.ts";
import { tablesOf } from "./tables.ts";

/** Writes a result into docs/performance.md and copies it to docs/performance.json: report.js [RESULT]. */
const [, , path = RESULT_FILE] = process.argv;
const PAGE = join(ROOT, "docs", "performance.md");
const KEPT = join(ROOT, "docs", "performance.json");

const tables = tablesOf(readResult(path));
if (path !== KEPT) copyFileSync(path, KEPT);
writeFileSync(PAGE, withTables(readFileSync(PAGE, "utf8"), tables));
