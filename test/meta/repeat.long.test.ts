import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs `npm run repeat` as at a terminal, without the settings of the run that this test belongs to. */
function repeat(...words: string[]): { code: number | null; text: string } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/repeat.mjs", ...words], {
    cwd: ROOT,
    encoding: "utf8",
    env,
  });
  return { code: status, text: stdout + stderr };
}

test("a test file that passes is run as often as asked for, beside busy loops", () => {
  const { code, text } = repeat("test/domain/absence.test.ts", "--times", "2", "--busy", "1");
  expect(text).toMatch(/^run 1 of 2: passed, \d+\.\d s; tests: [1-9]\d* passed, 0 failed, 0 skipped$/m);
  expect(text).toMatch(/run 1 of 2: passed.*\nrun 2 of 2: passed.*\n.*beside 1 busy loops: passed 2 times, /);
  expect(code).toBe(0);
});

test("the first failure ends it, with the output of the run", () => {
  const { code, text } = repeat("test/domain/missing.test.ts", "--times", "5", "--busy", "0");
  expect(text).toMatch(/No test files found[^]*: run 1 of 5 failed\n$/);
  expect(code).toBe(1);
});

test("the files of a project are run by its name", () => {
  const words = ["--project", "main", "test/domain/absence.test.ts", "--times", "1", "--busy", "0"];
  const { code, text } = repeat(...words);
  expect(text).toMatch(/run 1 of 1: passed.*\n--project=main .*: passed 1 times/);
  expect(code).toBe(0);
  expect(repeat("--project", "absent", "--times", "1", "--busy", "0").code).toBe(1);
});

test("without a file or a project it prints how to call it", () => {
  expect(repeat("--times", "3")).toMatchObject({
    code: 64,
    text: expect.stringContaining("usage: ") as string,
  });
});
