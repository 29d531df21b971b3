import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changed, ABLATIONS } from "../../scripts/bench/contenders/ablation.ts";
import { BUILD } from "../support/built-program.ts";

// The code that the benchmark removes from a copy of the built program must exist, or it would measure the
// product against itself.
test.each(ABLATIONS.map((one) => [one.name, one] as const))(
  "%s finds the code that it removes in the built program",
  (_name, { changes }) => {
    for (const { file, text, instead } of changes) {
      const built = readFileSync(join(BUILD, file), "utf8");
      expect(changed(built, text, instead)).not.toBe(built);
    }
  },
);

test("a text that is found twice, or not at all, is rejected", () => {
  expect(() => changed("a b a", "a", "")).toThrow(/exactly one "a"/);
  expect(() => changed("b", "a", "")).toThrow(/exactly one "a"/);
});
