import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addonWarning } from "../../src/ops/addon-headers.ts";

describe("the database's add-on", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "santinela-addon-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function compiledAgainst(major: number, minor: number): void {
    mkdirSync(join(folder, "build"));
    mkdirSync(join(folder, "node/include/node"), { recursive: true });
    writeFileSync(
      join(folder, "build/config.gypi"),
      `# Do not edit.\n{ "variables": { "nodedir": "${folder}/node" } }\n`,
    );
    writeFileSync(
      join(folder, "node/include/node/node_version.h"),
      `#define NODE_MAJOR_VERSION ${major}\n#define NODE_MINOR_VERSION ${minor}\n`,
    );
  }

  test.each([19, 20, 21])(
    "that was compiled here with Node.js 24.%i is warned of, with the way out",
    (minor) => {
      compiledAgainst(24, minor);
      expect(addonWarning(folder)).toMatch(new RegExp(`24\\.${minor}.*npm rebuild`));
    },
  );

  test.each([
    [20, 19],
    [22, 20],
    [24, 18],
    [24, 22],
  ])("that was compiled with Node.js %i.%i is not", (major, minor) => {
    compiledAgainst(major, minor);
    expect(addonWarning(folder)).toBeUndefined();
  });

  test("that came ready-made is not either", () => {
    expect(addonWarning(folder)).toBeUndefined();
  });
});
