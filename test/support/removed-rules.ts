import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Tests that remove a rule from a copy of the program, to show that they would detect its absence. Decision 0066 says why they change
 * the compiled text. `test/meta/removed-rules.test.ts` checks each text with every change of the program.
 */

export interface RemovedRule {
  /** Below the folder of the compiled modules. */
  readonly file: string;
  /** A text that occurs exactly once. */
  readonly rule: string;
  readonly instead: string;
}

/** Commits are flushed to the disk. */
export const FULL_SYNC: RemovedRule = {
  file: "store/database.js",
  rule: '["synchronous", "FULL", 2]',
  instead: '["synchronous", "NORMAL", 1]',
};

/** @throws Error if a text does not occur exactly once: the test would show nothing */
export function removeRules(modules: string, rules: readonly RemovedRule[]): void {
  for (const { file, rule, instead } of rules) {
    const path = join(modules, file);
    const [before, after, ...more] = readFileSync(path, "utf8").split(rule);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${file} does not have exactly one ${JSON.stringify(rule)}`);
    writeFileSync(path, before + instead + after);
  }
}
