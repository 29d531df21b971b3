import { expect, test } from "vitest";
import { withCurrentNames } from "../../src/cli/deprecated-names.ts";

test.each([
  [
    "zones import-check a.jsonl",
    "zones replay a.jsonl",
    /zones import-check is deprecated: use santinela zones replay/,
  ],
  ["keys forget", "keys revoke-previous", /use santinela keys revoke-previous/],
  ["objectives pull --accept-loss", "objectives pull --accept-removals", /--accept-removals/],
  ["--no-input init --questions", "--no-input init --template", /--template/],
])("%s is accepted with a warning", (given, current, warning) => {
  const lines: string[] = [];
  expect(withCurrentNames(given.split(" "), (line) => lines.push(line))).toEqual(current.split(" "));
  expect(lines).toEqual([expect.stringMatching(warning)]);
});

test("current names cause no warning", () => {
  const lines: string[] = [];
  expect(withCurrentNames(["zones", "replay", "import-check"], (line) => lines.push(line))).toContain(
    "import-check",
  );
  expect(lines).toEqual([]);
});
