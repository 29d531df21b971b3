// Runs npm run test:machines with a fake npm: which suites it runs, and what it says of their results.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Copies the report of its suite to where it is wanted, and exits with the code that a file names for the suite. */
const STAND_IN = `#!/usr/bin/env bash
echo "$* SUITES=$SUITES" >> runs
suite=$(basename "$0")
for word in "$@"; do
  case $word in
    test:*) suite=$word ;;
    --outputFile.json=*) ! [ -e "$suite.json" ] || cp "$suite.json" "\${word#*=}" ;;
  esac
done
[ "$suite" != test-package.sh ] || touch "$2/santinela_1_amd64.deb"
exit "$(cat "$suite.code" 2>/dev/null || echo 0)"
`;
/** Notes the options. */
const SIZES = `import { appendFileSync } from "node:fs";
appendFileSync("runs", \`sizes \${process.argv.slice(3).join(" ")}\\n\`);
console.log("| Node.js |");
`;
const PAGE = "docs/verification.md";
const MARKERS = [
  "<!-- machines: begin (made by npm run test:machines -- --document) -->",
  "<!-- machines: end -->",
];

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ["bin", "docs", "scripts/packaging"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "scripts/packaging/sizes.mjs"), SIZES);
  writeFileSync(join(folder, PAGE), `Before.\n\n${MARKERS.join("\n\nold\n\n")}\n\nAfter.\n`);
  cpSync(join(root, "scripts/test-machines.mjs"), join(folder, "scripts/test-machines.mjs"));
  for (const program of ["bin/npm", "scripts/test-package.sh"]) {
    writeFileSync(join(folder, program), STAND_IN);
    chmodSync(join(folder, program), 0o755);
  }
});

function ends(suite: string, code: number): void {
  writeFileSync(join(folder, `${suite}.code`), String(code));
}

/** Vitest's report of one file with these results of its tests. */
function reports(suite: string, name: string, ...statuses: string[]): void {
  const assertionResults = statuses.map((status) => ({ status }));
  const testResults = [{ name, startTime: 1000, endTime: 66_000, assertionResults }];
  writeFileSync(join(folder, `${suite}.json`), JSON.stringify({ testResults }));
}

function machines(...options: readonly string[]): { code: number | null; table: string[]; runs: string[] } {
  const PATH = `${join(folder, "bin")}:${process.env["PATH"]}`;
  const { status, stdout } = spawnSync(process.execPath, ["scripts/test-machines.mjs", ...options], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH, SUITES: "" },
  });
  const runs = readFileSync(join(folder, "runs"), "utf8").trim().split("\n");
  // After the line with the date and the head of the table.
  return { code: status, table: stdout.trim().split("\n").slice(4), runs };
}

test("all suites of the machines run with one package, and each file is in the table", () => {
  reports("test:vm", "/tree/test/vm/gpio.test.ts", "passed", "passed", "pending");
  const { code, table, runs } = machines();
  expect(code).toBe(0);
  expect(runs.map((run) => /test:\S+|sizes|amd64|arm64/.exec(run)?.[0]).slice(1)).toEqual([
    "test:systemd",
    "test:systemd",
    "test:vm",
    "test:vm:powercut",
    "test:release",
    "sizes",
  ]);
  expect(runs[1]).toContain("SUITES=bookworm");
  expect(runs[2]).toContain("SUITES=trixie");
  expect(table).toContain("| virtual machine | 13 | `gpio.test.ts` | 2 passed, 1 skipped | 65 |");
  expect(table.at(-1)).toBe("| Node.js |");
  expect(table.at(-3)).toMatch(/^\| release \| 13 \| all, with the preparation \| passed \| \d \|$/);
});

test("the tables replace those of the documentation on request, with the suites that were not selected", () => {
  const { code, runs } = machines("--only", "release", "--document");
  expect(code).toBe(0);
  expect(runs.slice(1)).toEqual([expect.stringContaining("test:release"), "sizes --document"]);
  const page = readFileSync(join(folder, PAGE), "utf8");
  expect(page).toMatch(/^Before\.\n\n<!-- machines: begin [^>]*-->\n\nOn \d{4}-\d\d-\d\d, /);
  expect(page).toMatch(
    /\| release \| 13 \| all, with the preparation \| passed \| \d \|\n\n<!-- machines: end -->\n\nAfter\.\n$/,
  );
  expect(page).toContain("| containers | 12 | all, with the preparation | not selected | 0 |");
  expect(page).not.toContain("old");
});

test("a suite that does not exist is refused before anything runs", () => {
  writeFileSync(join(folder, "runs"), "");
  expect(machines("--only", "containments")).toMatchObject({ code: 64, runs: [""] });
});

test("a suite that fails ends none of the others, and fails the command", () => {
  ends("test:systemd", 1);
  reports("test:systemd", "package.test.ts", "failed");
  const { code, table } = machines();
  expect(code).toBe(1);
  expect(table).toContain("| containers | 12 | `package.test.ts` | 1 failed | 65 |");
  expect(table.join("\n")).toContain("| containers | 13 | all, with the preparation | failed with 1 |");
  expect(table.join("\n")).toContain("| release | 13 | all, with the preparation | passed |");
});

test("a suite that cannot run is named, and the command exits with the code of a skipped one", () => {
  ends("test:vm", 77);
  const { code, table } = machines();
  expect(code).toBe(77);
  expect(table.join("\n")).toContain("| virtual machine | 13 | all, with the preparation | not run |");
});

test.each([
  [77, 77],
  [1, 1],
])("nothing runs without a package: %s", (built, wanted) => {
  ends("test-package.sh", built);
  const { code, runs } = machines();
  expect(code).toBe(wanted);
  expect(runs).toHaveLength(1);
});
