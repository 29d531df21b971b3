import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { returnedRelease } from "../../src/ops/returned-release.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let home: string;
beforeEach(() => {
  home = temporaryFolder();
  mkdirSync(join(home, "releases/0.1.0.1/dist"), { recursive: true });
  writeFileSync(join(home, "releases/0.1.0.1/dist/main.js"), "");
  symlinkSync("releases/0.1.0.1", join(home, "current"));
});

const program = (): string => join(home, "current/dist/main.js");

test("the version that did not stay up is read beside the releases", () => {
  writeFileSync(join(home, "returned"), "99.0.0\n");
  expect(returnedRelease(program())).toBe("99.0.0");
});

test("a release that stays up, an empty note and a program outside a package have none", () => {
  expect(returnedRelease(program())).toBeUndefined();
  writeFileSync(join(home, "returned"), "");
  expect(returnedRelease(program())).toBeUndefined();
  writeFileSync(join(home, "releases/returned"), "99.0.0\n");
  expect(returnedRelease(join(home, "releases/0.1.0.1/main.js"))).toBeUndefined();
  expect(returnedRelease(join(home, "nothing"))).toBeUndefined();
});

test("a damaged note does not fill a message", () => {
  writeFileSync(join(home, "returned"), "9".repeat(10_000));
  expect(returnedRelease(program())).toHaveLength(100);
});

test("a dispatch centre that stays with the release that its site has left does not report a return", () => {
  writeFileSync(join(home, "returned"), "0.1.0\n");
  expect(returnedRelease(program())).toBeUndefined();
});
