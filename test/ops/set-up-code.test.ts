import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { SetUpCode } from "../../src/ops/set-up-code.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* What a Raspberry Pi does is in test/systemd/first-boot.test.ts; here is what a container cannot show. */

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

const warnings: string[] = [];
const log = { warn: (event: string) => void warnings.push(event) };

test("a machine without a boot partition keeps no code", () => {
  const code = new SetUpCode(folder, join(folder, "boot"));
  expect(code.create(log)).toMatch(/^[a-z1-9-]{23}$/);
  expect(code.read()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test("a first start that is cut off uses the same code again, and after its use there is none", () => {
  const kept = new SetUpCode(folder, folder).create(log);
  expect(new SetUpCode(folder, folder).create(log)).toBe(kept);
  expect(statSync(join(folder, "set-up-code")).mode & 0o777).toBe(0o600);
  new SetUpCode(folder, folder).forget(log);
  expect(readdirSync(folder)).toEqual([]);
});

test("an empty file, as a power cut may leave, is replaced", () => {
  writeFileSync(join(folder, "set-up-code"), "");
  const code = new SetUpCode(folder, folder);
  expect(code.create(log)).toBe(code.read());
});

test("a data directory that takes no file does not keep the first start from its code", () => {
  const code = new SetUpCode(join(folder, "missing"), folder);
  expect(code.create(log)).toMatch(/^[a-z1-9-]{23}$/);
  expect(warnings).toEqual(["set-up-code-write-failed"]);
});
