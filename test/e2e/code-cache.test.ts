import { execFile } from "node:child_process";
import { cpSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { MAIN } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/* A cache that does not belong to the program must cost time and nothing else. */
describe("a program with code caches", () => {
  let folder: string;
  let program: string;
  beforeEach(() => {
    folder = temporaryFolder();
    program = join(folder, "dist", "program");
    cpSync(dirname(MAIN), dirname(program), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  });

  const caches = (): string[] =>
    readdirSync(program).flatMap((name) => (name.endsWith(".cache") ? [join(program, name)] : []));
  const version = async (): Promise<string> =>
    (await run(process.execPath, [join(folder, "dist", "main.js"), "version"])).stdout.trim();

  test("is built with one for each part", () => {
    const parts = readdirSync(program).filter((name) => /-[\w-]{8}\.js$/.test(name));
    expect(caches()).toHaveLength(parts.length);
  });

  test("runs when they are damaged", async () => {
    for (const path of caches()) {
      const bytes = readFileSync(path);
      // In the compiled form, behind all headers.
      bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 64);
      writeFileSync(path, bytes);
    }
    expect(await version()).toBe(VERSION);
  });

  test("runs when they are cut off", async () => {
    for (const path of caches()) writeFileSync(path, readFileSync(path).subarray(0, 6));
    expect(await version()).toBe(VERSION);
  });

  test("runs a part that was changed after they were made", async () => {
    // V8 itself notices only another length.
    const other = VERSION.replaceAll(/\d/g, "9");
    for (const name of readdirSync(program).filter((name) => name.endsWith(".js"))) {
      const path = join(program, name);
      const text = readFileSync(path, "utf8");
      writeFileSync(path, text.replace(`VERSION = "${VERSION}"`, `VERSION = "${other}"`));
    }
    expect(await version()).toBe(other);
  });

  test("ignores those of a Node.js with other options", async () => {
    const words = ["--max-old-space-size=128", join(folder, "dist", "main.js"), "version"];
    expect((await run(process.execPath, words)).stdout.trim()).toBe(VERSION);
  });
});
