import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAIN } from "../support/built-program.ts";

/* A program that is started before `npm install` has ended. */

const ROOT = dirname(dirname(MAIN));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "santinela-addon-"));
  cpSync(dirname(MAIN), join(folder, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (name !== "better-sqlite3")
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "a.yaml"), "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

function serve(): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, "dist/main.js"), "serve", "--config", join(folder, "a.yaml")],
    { encoding: "utf8", timeout: 60_000 },
  );
  return { status, output: stdout + stderr };
}

test("a start without the package of the database says that the installation is not complete", () => {
  const { status, output } = serve();
  expect([status, output]).toEqual([
    75,
    expect.stringMatching(/^the Node\.js package better-sqlite3 is not installed\n[^]*npm install/m),
  ]);
});

test.each([
  ["missing", undefined, /is not installed/],
  ["damaged", "half a file", /does not fit this machine and Node\.js \d+\./],
] as const)(
  "a start with a %s add-on of the database names it and its remedy, not the disk",
  (_what, content, text) => {
    const to = join(folder, "node_modules/better-sqlite3");
    for (const part of ["package.json", "lib"])
      cpSync(join(ROOT, "node_modules/better-sqlite3", part), join(to, part), { recursive: true });
    if (content !== undefined) {
      mkdirSync(join(to, "build/Release"), { recursive: true });
      writeFileSync(join(to, "build/Release/better_sqlite3.node"), content);
    }
    const { status, output } = serve();
    expect([status, output]).toEqual([75, expect.stringMatching(text)]);
    expect(output).toContain("npm rebuild better-sqlite3");
    expect(output).not.toMatch(/disk|may write/);
  },
);
