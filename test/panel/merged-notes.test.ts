import { expect, test } from "vitest";
import { mergedNotes } from "../../src/panel/merged-notes.ts";

const DOOR = "03:27 Ușa";
const AGAIN = "03:27 Ușa ×2 → 03:31";

test.each([
  [
    "a line below that of the zone, which has tripped again",
    DOOR,
    `${DOOR}\nechipaj trimis`,
    AGAIN,
    `${AGAIN}\nechipaj trimis`,
  ],
  ["a line above it", DOOR, `echipaj trimis\n${DOOR}`, AGAIN, `echipaj trimis\n${AGAIN}`],
  ["a first line", "", "echipaj trimis", DOOR, `${DOOR}\nechipaj trimis`],
  ["the line ends of a browser", DOOR, `${DOOR}\r\na\r\nb`, AGAIN, `${AGAIN}\na\nb`],
  ["paragraphs", DOOR, `${DOOR}\n\na\n\nb`, `${DOOR}\nc`, `${DOOR}\nc\n\na\n\nb`],
  ["a line that was removed", `${DOOR}\ngreșit`, DOOR, `${AGAIN}\ngreșit`, AGAIN],
  ["the line that has changed meanwhile", DOOR, "ușa era închisă", AGAIN, `${AGAIN}\nușa era închisă`],
  [
    "what is stored already",
    DOOR,
    `${DOOR}\nechipaj trimis`,
    `${AGAIN}\nechipaj trimis`,
    `${AGAIN}\nechipaj trimis`,
  ],
  ["all lines", DOOR, "", AGAIN, AGAIN],
])("keeps what others have written of the notes beside %s", (_what, before, mine, now, merged) => {
  expect(mergedNotes(before, mine, now)).toBe(merged);
});

test("leaves notes to the user that do not fit", () => {
  expect(mergedNotes("", "a".repeat(3_000), "b".repeat(1_000))).toBeUndefined();
});
