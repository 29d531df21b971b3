import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { RULES } from "../simulation/rules.ts";
import { BUILD } from "../support/built-program.ts";
import { FULL_SYNC, removeRules, type RemovedRule } from "../support/removed-rules.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* The long tests that remove rules run rarely. A renamed variable is found here. */

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

function copied({ file }: RemovedRule): string {
  const copy = join(folder, file);
  mkdirSync(dirname(copy), { recursive: true });
  cpSync(join(BUILD, file), copy);
  return copy;
}

test.each(
  [FULL_SYNC, ...Object.values<RemovedRule>(RULES)].map((rule) => [rule.file, rule.rule, rule] as const),
)("the built %s has exactly one %j", (_file, _text, rule) => {
  const copy = copied(rule);
  removeRules(folder, [rule]);
  expect(readFileSync(copy, "utf8")).not.toBe(readFileSync(join(BUILD, rule.file), "utf8"));
});

test.each(["nothing", `${FULL_SYNC.rule} ${FULL_SYNC.rule}`])("a file with %j is rejected", (text) => {
  writeFileSync(copied(FULL_SYNC), text);
  expect(() => removeRules(folder, [FULL_SYNC])).toThrow(/does not have exactly one/);
});
