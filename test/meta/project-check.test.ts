// Runs .ci/run with a fake npm and fake scripts: which suites it runs, and how it handles their exit codes.
import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
/**
 * Exits with the next code of a file next to it, which is named by the first matching word; passes without a
 * file.
 */
const STAND_IN = `#!/usr/bin/env bash
for word in "$(basename "$0")" "$@"; do
  [ -s "$ENDS/$word" ] || continue
  status=$(head -1 "$ENDS/$word")
  sed -i 1d "$ENDS/$word"
  exit "$status"
done
`;

describe("the project check", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "santinela-check-"));
    for (const name of [".ci", "bin", "ends", "scripts"]) mkdirSync(join(folder, name));
    cpSync(join(root, ".ci/run"), join(folder, ".ci/run"));
    for (const program of ["bin/npm", "scripts/test-deps.sh", "scripts/test-package.sh"]) {
      writeFileSync(join(folder, program), STAND_IN);
      chmodSync(join(folder, program), 0o755);
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A program or one of its arguments, and the exit codes of its next runs. */
  function ends(word: string, ...codes: number[]): void {
    writeFileSync(join(folder, "ends", word), codes.map((code) => `${code}\n`).join(""));
  }

  /** @param afterS seconds that it has been running already */
  function check(afterS = 0): Promise<{ code: number; last: string[] }> {
    const environment = {
      ...process.env,
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      ENDS: join(folder, "ends"),
      SECONDS: String(afterS),
    };
    return new Promise((resolve) => {
      execFile("bash", [join(folder, ".ci/run")], { env: environment }, (error, stdout) => {
        const outcomes = stdout.slice(stdout.indexOf("ci: npm test:")).trim().split("\n");
        resolve({ code: error === null ? 0 : Number(error.code), last: outcomes });
      });
    });
  }

  test("passes with all suites, and lists each one", async () => {
    expect(await check()).toEqual({
      code: 0,
      last: [
        "ci: npm test: passed",
        "ci: npm run test:long: passed",
        "ci: the package: passed",
        "ci: the service on systemd: passed",
        "ci: GPIO lines of a kernel: passed",
        "ci: installation and upgrade: passed",
      ],
    });
  });

  test("fails with npm test, before anything else", async () => {
    ends("test", 1);
    expect(await check()).toMatchObject({ code: 1, last: [""] });
  });

  test("fails with the random runs and the faults", async () => {
    ends("test:long", 1);
    expect(await check()).toMatchObject({ code: 1, last: [""] });
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
    ends("service.test.ts", 1, 1);
    const { code, last } = await check();
    expect(code).toBe(1);
    expect(last).toContain("ci: the service on systemd: failed with 1, then failed with 1");
    expect(last).toContain("ci: installation and upgrade: passed");
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
        "ci: npm run test:long: passed",
        expect.stringMatching(/^ci: the package: not run: after \d+ s no time is left$/),
      ],
    });
  });

  test("installs no package that could not be built", async () => {
    ends("test-package.sh", 1, 1);
    const { code, last } = await check();
    expect(code).toBe(1);
    expect(last).toEqual([
      "ci: npm test: passed",
      "ci: npm run test:long: passed",
      "ci: the package: failed with 1, then failed with 1",
    ]);
  });
});
