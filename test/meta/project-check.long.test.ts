// Runs .ci/run with a fake npm and fake scripts: which suites it runs, and how it handles their exit codes.
import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/**
 * Exits with the next code of a file next to it, which is named by the first matching word; passes without a
 * file. Copies the report of the tests to where it is wanted.
 */
const STAND_IN = `#!/usr/bin/env bash
for word in "$@"; do
  if [ "\${word#--outputFile.json=}" != "$word" ] && [ -e "$ENDS/report" ]; then cp "$ENDS/report" "\${word#*=}"; fi
done
echo "$*" >> "$ENDS/runs"
echo "$SANTINELA_TEST_SEED" >> "$ENDS/seeds"
for word in "$(basename "$0")" "$@"; do
  [ -s "$ENDS/$word" ] || continue
  status=$(head -1 "$ENDS/$word")
  sed -i 1d "$ENDS/$word"
  exit "$status"
done
`;

test("the names of tests in the project check and its description are names of tests", () => {
  const tests = readdirSync(join(root, "test/vm"))
    .map((file) => readFileSync(join(root, "test/vm", file), "utf8"))
    .join("\n");
  for (const file of [".ci/run", "CONTRIBUTING.md"]) {
    const patterns = [...readFileSync(join(root, file), "utf8").matchAll(/--testNamePattern="([^"]+)"/g)];
    expect(patterns.length, file).toBeGreaterThan(0);
    // Vitest passes with a pattern that matches nothing.
    for (const [, pattern = ""] of patterns) expect(tests).toMatch(new RegExp(`test\\("[^"]*${pattern}`));
  }
});

describe("the project check", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
    for (const name of [".ci", "bin", "ends", "scripts"]) mkdirSync(join(folder, name));
    for (const file of [".ci/run", "scripts/failed-files.mjs", "scripts/skipped-tests.mjs"]) {
      cpSync(join(root, file), join(folder, file));
    }
    for (const program of ["bin/npm", "scripts/test-deps.sh", "scripts/test-package.sh"]) {
      writeFileSync(join(folder, program), STAND_IN);
      chmodSync(join(folder, program), 0o755);
    }
  });

  /** A program or one of its arguments, and the exit codes of its next runs. */
  function ends(word: string, ...codes: number[]): void {
    writeFileSync(join(folder, "ends", word), codes.map((code) => `${code}\n`).join(""));
  }

  /**
   * @param afterS seconds that it has been running already
   * @param more further environment
   */
  function check(
    afterS = 0,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ code: number; last: string[] }> {
    const environment = {
      ...process.env,
      // The project check that runs this test exports one.
      SANTINELA_TEST_SEED: "",
      CI_MACHINES: "",
      CI_DEBIAN: "",
      ...more,
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      ENDS: join(folder, "ends"),
      SECONDS: String(afterS),
    };
    return new Promise((resolve) => {
      execFile("bash", [join(folder, ".ci/run")], { env: environment }, (error, stdout) => {
        // The lines at the end, not those about what begins.
        const outcomes = stdout
          .split("\n")
          .filter((line) => line.startsWith("ci: ") && !/: once more: |, at most \d+ s$/.test(line));
        resolve({ code: error === null ? 0 : Number(error.code), last: outcomes });
      });
    });
  }

  test("passes with all suites, and lists each one", async () => {
    expect(await check()).toEqual({
      code: 0,
      last: [
        "ci: npm test: passed",
        "ci: npm run test:long, half 1/2: passed",
        "ci: the package: passed",
        "ci: the service on systemd: passed",
        "ci: GPIO lines of a kernel: passed",
        "ci: installation and upgrade: passed",
      ],
    });
  });

  test("runs one half of the long tests, by the commit, and all of them with the suites of the machines", async () => {
    const shares = async (commit: string, more = {}): Promise<string[]> => {
      writeFileSync(join(folder, "bin/git"), `#!/bin/sh\necho ${commit}\n`, { mode: 0o755 });
      rmSync(join(folder, "ends/runs"), { force: true });
      expect((await check(0, more)).code).toBe(0);
      return runs()
        .filter((run) => run.includes("test:long"))
        .map((run) => /--shard=(\S+)/.exec(run)?.[1] ?? "all");
    };
    expect(await shares("a1e1e3ed6d06911a267eb69711f0fb82c44bd35e")).toEqual(["1/2"]);
    expect(await shares("344c428496fafb199ce97ad999a7143f599b9fed")).toEqual(["2/2"]);
    expect(await shares("344c428496fafb199ce97ad999a7143f599b9fed", { CI_MACHINES: "1" })).toEqual(["all"]);
  });

  test("runs all suites of the machines only on demand, in place of parts of them", async () => {
    const tests = ["ci: npm test: passed", "ci: npm run test:long: passed"];
    expect(await check(0, { CI_MACHINES: "1" })).toEqual({
      code: 0,
      last: [...tests, "ci: all suites of the machines: passed"],
    });
    // There is time for all of them.
    for (const [code, outcome] of [
      [77, "not run: the reason is above"],
      [124, "not finished within"],
    ] as const) {
      ends("test:machines", code);
      expect(await check(0, { CI_MACHINES: "1" })).toEqual({
        code: 1,
        last: [...tests, expect.stringContaining(`ci: all suites of the machines: ${outcome}`)],
      });
    }
    expect(runs().filter((run) => /test:(systemd|vm)/.test(run))).toEqual([]);
  });

  test("also runs the commands of the README on an empty Debian on demand, and fails with them", async () => {
    const name = "ci: the README on an empty Debian";
    const passed = await check(0, { CI_DEBIAN: "1" });
    expect(passed).toMatchObject({ code: 0 });
    expect(passed.last.slice(-2)).toEqual(["ci: installation and upgrade: passed", `${name}: passed`]);
    ends("test:debian", 1, 1);
    const failed = await check(0, { CI_DEBIAN: "1" });
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.last.at(-1)).toBe(`${name}: failed with 1, then failed with 1`);
  });

  /** What Vitest's report says of these files: true if they passed. */
  function reports(files: Record<string, boolean>): void {
    const testResults = Object.entries(files).map(([name, passed]) => ({
      name: join(folder, name),
      status: passed ? "passed" : "failed",
      assertionResults: [],
    }));
    writeFileSync(join(folder, "ends/report"), JSON.stringify({ testResults }));
  }
  const runs = (): string[] => readFileSync(join(folder, "ends/runs"), "utf8").trim().split("\n");

  test.each(["test", "test:long"])("fails with %s without a report, before anything else", async (suite) => {
    ends(suite, 1);
    expect(await check()).toMatchObject({ code: 1, last: [] });
    expect(runs().filter((run) => run.includes("systemd"))).toEqual([]);
  });

  test.each(["test", "test:long"])(
    "passes with files of %s that pass by themselves, and names them",
    async (suite) => {
      ends(suite, 1);
      reports({ "test/a.test.ts": true, "test/b.test.ts": false, "test/c.test.ts": false });
      const { code, last } = await check();
      expect(code).toBe(0);
      const name = suite === "test" ? "npm test" : "npm run test:long, half 1/2";
      expect(last).toContain(`ci: ${name}: test/b.test.ts failed, then passed`);
      expect(last).toContain(`ci: ${name}: test/c.test.ts failed, then passed`);
      expect(last).not.toContain(`ci: ${name}: passed`);
      expect(last).toContain("ci: installation and upgrade: passed");
      expect(runs().some((run) => run.endsWith(`${suite} -- test/b.test.ts test/c.test.ts`))).toBe(true);
    },
  );

  test("says which tests were skipped, and why", async () => {
    const tests = [
      ["a browser (skipped: Chromium is missing) opens", "skipped"],
      ["a browser (skipped: Chromium is missing) closes", "skipped"],
      ["only with the other database", "skipped"],
      ["a door opens", "passed"],
    ];
    const assertionResults = tests.map(([fullName, status]) => ({ fullName, status }));
    const testResults = [{ name: join(folder, "test/a.test.ts"), status: "passed", assertionResults }];
    writeFileSync(join(folder, "ends/report"), JSON.stringify({ testResults }));
    const { code, last } = await check();
    expect(code).toBe(0);
    expect(last.slice(0, 3)).toEqual([
      "ci: npm test: passed",
      "ci: npm test: skipped 2: Chromium is missing",
      "ci: npm test: skipped 1: see test/a.test.ts",
    ]);
  });

  test("draws no other seed for the second run of a file", async () => {
    ends("test", 1);
    reports({ "test/b.test.ts": false });
    await check();
    const [installing, ...seeds] = readFileSync(join(folder, "ends/seeds"), "utf8").trimEnd().split("\n");
    expect(installing).toBe("");
    expect(seeds.length).toBeGreaterThan(2);
    expect(new Set(seeds)).toEqual(new Set([expect.stringMatching(/^\d+$/)]));
  });

  test.each(["test", "test:long"])("fails with a file of %s that fails twice", async (suite) => {
    ends(suite, 1, 1);
    reports({ "test/b.test.ts": false });
    expect(await check()).toMatchObject({ code: 1 });
  });

  test("fails with more than three files of npm test, without a second run", async () => {
    ends("test", 1);
    reports({ a: false, b: false, c: false, d: false });
    expect(await check()).toMatchObject({ code: 1, last: [] });
    expect(runs()).toHaveLength(2);
  });

  test("fails if something beside the files of the tests has failed", async () => {
    ends("test", 1);
    reports({ a: true });
    expect(await check()).toMatchObject({ code: 1, last: [] });
  });

  test("passes on a machine that cannot create containers, or cannot install the tools for them", async () => {
    ends("test-deps.sh", 100);
    ends("test:systemd", 77, 77);
    const { code, last } = await check();
    expect(code).toBe(0);
    expect(last).toContain("ci: the service on systemd: not run: the reason is above");
    expect(last).toContain("ci: GPIO lines of a kernel: passed");
  });

  test("fails with a suite that fails twice, after the others have run", async () => {
    // 137: killed before its limit.
    for (const status of [1, 137]) {
      ends("service.test.ts", status, status);
      const { code, last } = await check();
      expect(code).toBe(1);
      expect(last).toContain(`ci: the service on systemd: failed with ${status}, then failed with ${status}`);
      expect(last).toContain("ci: installation and upgrade: passed");
    }
  });

  test("passes with an experimental suite that fails twice, and names it", async () => {
    ends("package.test.ts", 1, 1);
    const { code, last } = await check();
    expect(code).toBe(0);
    expect(last.at(-1)).toBe("ci: installation and upgrade: failed with 1, then failed with 1, on trial");
  });

  test("passes with a suite that passes at the second run, and reports the failure", async () => {
    ends("test:vm", 1);
    const { code, last } = await check();
    expect(code).toBe(0);
    expect(last).toContain("ci: GPIO lines of a kernel: failed with 1, then passed");
  });

  test("fails with a suite that fails, and whose second run exceeds its time", async () => {
    ends("service.test.ts", 1, 124);
    const { code, last } = await check();
    expect(code).toBe(1);
    expect(last).toContain("ci: the service on systemd: failed with 1, then not finished within 420 s");
    ends("package.test.ts", 1, 124);
    expect(await check()).toMatchObject({ code: 0 });
  });

  test("passes with a suite that exceeds its time, without a second run", async () => {
    // Exit code of timeout(1).
    ends("test:vm", 124, 1);
    const { code, last } = await check();
    expect(code).toBe(0);
    expect(last).toContain("ci: GPIO lines of a kernel: not finished within 600 s");
  });

  test("starts no suite near the end of its time, and gives no suite more than the remaining time", async () => {
    ends("package.test.ts", 124);
    const little = await check(1530);
    expect(little.code).toBe(0);
    expect(little.last.at(-1)).toMatch(/^ci: installation and upgrade: not finished within [12]\d\d s$/);
    const none = await check(1720);
    expect(none).toMatchObject({
      code: 0,
      last: [
        "ci: npm test: passed",
        "ci: npm run test:long, half 1/2: passed",
        expect.stringMatching(/^ci: the package: not run: after \d+ s no time is left$/),
        "ci: the service, GPIO lines, installation and upgrade: not run: they need the package",
      ],
    });
  });

  test("installs no package that could not be built", async () => {
    ends("test-package.sh", 1, 1);
    const { code, last } = await check();
    expect(code).toBe(1);
    expect(last).toEqual([
      "ci: npm test: passed",
      "ci: npm run test:long, half 1/2: passed",
      "ci: the package: failed with 1, then failed with 1",
      "ci: the service, GPIO lines, installation and upgrade: not run: they need the package",
    ]);
  });
});
