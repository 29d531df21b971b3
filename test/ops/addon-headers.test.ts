import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { addonWarning } from "../../src/ops/host.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the database add-on", () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

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

  test.each([19, 20, 21])("compiled locally with Node.js 24.%i causes a warning with a remedy", (minor) => {
    compiledAgainst(24, minor);
    expect(addonWarning(folder)).toMatch(new RegExp(`24\\.${minor}.*npm rebuild`));
  });

  test.each([
    [20, 19],
    [22, 20],
    [24, 18],
    [24, 22],
  ])("compiled with Node.js %i.%i causes no warning", (major, minor) => {
    compiledAgainst(major, minor);
    expect(addonWarning(folder)).toBeUndefined();
  });

  test("installed as a prebuilt binary causes no warning", () => {
    expect(addonWarning(folder)).toBeUndefined();
  });
});
