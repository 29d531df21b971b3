import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { buildProblem, recordBuild } = (await import(
  new URL("../../scripts/build-record.mjs", import.meta.url).href
)) as {
  readonly buildProblem: (folder: string) => string | undefined;
  readonly recordBuild: (folder: string) => void;
};

/** One of each kind of file that a build reads. */
const SOURCES = [
  "src/main.ts",
  "src/panel/shell.tsx",
  "src/generated/types.ts",
  "schemas/access.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts/generate.mjs",
  "scripts/site-schemas.mjs",
  "scripts/bundle/bundle.mjs",
  "scripts/build-panel.mjs",
  "scripts/licences.mjs",
];

/** Scripts of a build that write pages of docs, or nothing. */
const PAGES_ONLY: ReadonlySet<string> = new Set([
  "scripts/tour-links.mjs",
  "scripts/clean.mjs",
  "scripts/generate-cli-reference.mjs",
  "scripts/architecture-tables.mjs",
  "scripts/profile-table.mjs",
  "scripts/build-record.mjs",
]);

describe("a source tree whose program is built", () => {
  let tree: string;
  const file = (path: string): string => join(tree, path);
  beforeEach(() => {
    tree = temporaryFolder();
    for (const path of SOURCES) write(path);
    for (const path of ["scripts/build-record.mjs", "test/support/built-program.ts"])
      cpSync(join(root, path), file(path), { recursive: true });
    mkdirSync(file("dist"));
    symlinkSync(join(root, "node_modules"), file("node_modules"));
    recordBuild(tree);
  });

  function write(path: string, text = "{}"): void {
    mkdirSync(dirname(file(path)), { recursive: true });
    writeFileSync(file(path), text);
  }

  test("is up to date after a generate without changes, and after new modification times", () => {
    write("src/generated/types.ts", "// made once more");
    const tomorrow = Date.now() / 1000 + 86_400;
    for (const path of SOURCES) utimesSync(file(path), tomorrow, tomorrow);
    expect(buildProblem(tree)).toBeUndefined();
  });

  test.each<[string, string, () => void]>([
    ["a changed source", "src/main.ts", () => write("src/main.ts", "changed")],
    ["a changed screen of the panel", "src/panel/shell.tsx", () => write("src/panel/shell.tsx", "changed")],
    ["a new source", "src/ops/new.ts", () => write("src/ops/new.ts")],
    ["a removed source", "src/main.ts", () => rmSync(file("src/main.ts"))],
    ["a changed schema", "schemas/access.json", () => write("schemas/access.json", "changed")],
    [
      "changed schemas of responses",
      "scripts/site-schemas.mjs",
      () => write("scripts/site-schemas.mjs", "changed"),
    ],
    ["other packages", "package-lock.json", () => write("package-lock.json", "changed")],
  ])("is out of date after %s", (_what, path, change) => {
    change();
    expect(buildProblem(tree)).toBe(`dist is older than ${path}. Run npm run build`);
  });

  test("has every script that makes a part of the program as a source", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<"build" | "generate", string>>;
    };
    const made = [...`${scripts.generate} ${scripts.build}`.matchAll(/node (scripts\/\S+)/g)].map(
      ([, path]) => path,
    );
    expect(made.filter((path = "") => !PAGES_ONLY.has(path) && !SOURCES.includes(path))).toEqual([]);
  });

  test("is out of date after an interrupted build", () => {
    rmSync(file("dist/built-from.json"));
    expect(buildProblem(tree)).toBe("the program is not built. Run npm run build");
  });

  test("runs no test with an outdated program", async () => {
    write(
      "test/probe.test.ts",
      'import { test } from "vitest";\nimport "./support/built-program.ts";\ntest("starts the program", () => {});\n',
    );
    expect(await runTests()).toMatch(/1 passed/);
    write("src/main.ts", "changed");
    expect(await runTests()).toMatch(/Error: dist is older than src\/main\.ts\. Run npm run build/);
  });

  const runTests = (): Promise<string> =>
    new Promise((resolve) => {
      const words = ["node_modules/vitest/vitest.mjs", "run", "--root", tree, "test/probe.test.ts"];
      // A failed test is a result too.
      execFile(
        process.execPath,
        words,
        { cwd: tree, env: { ...process.env, NO_COLOR: "1" } },
        (_error, out, err) => resolve(out + err),
      );
    });
});
