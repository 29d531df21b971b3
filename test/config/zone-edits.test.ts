import { describe, expect, test } from "vitest";
import { textDiff } from "../../src/config/text-diff.ts";
import { editedText, zonesIn, type ZoneEdit } from "../../src/config/zone-edits.ts";

const ZONE = {
  id: "c",
  name: "C",
  kind: "motion",
  objective: { type: "obiective/cladiri", id: 1 },
  input: { gpio: 3 },
};
const FILE = `# head
site:   { name: "X",   ref: x }
zones: # all of them
  # first
  - { id: a, name: A, kind: motion, objective: { type: obiective/cladiri, id: 1 }, input: { mqtt: t, open: [1, 2] } }

  # second
  - id: b
    name:   'B' # short
    input: {mqtt: "b/+", open: [false]}
    # inside
    confirmMs:    200

# after
mqtt: off   # none
`;
const diffOf = (before: string, edits: readonly ZoneEdit[]): string[] =>
  textDiff(before, editedText(before, edits))
    .split("\n")
    .filter((line) => /^[-+]/.test(line));

describe("a changed zone", () => {
  test("leaves every other line of the file as it is", () => {
    const zone = zonesIn(FILE)[0] ?? {};
    expect(diffOf(FILE, [{ action: "change", id: "a", zone: { ...zone, name: "Ă" } }])).toHaveLength(2);
    expect(diffOf(FILE, [{ action: "add", zone: ZONE }])).toEqual([
      "+  - id: c",
      "+    name: C",
      "+    kind: motion",
      "+    objective: { type: obiective/cladiri, id: 1 }",
      "+    input: { gpio: 3 }",
    ]);
    expect(diffOf(FILE, [{ action: "disable", id: "b" }])).toContain("+    disabled: true");
  });

  test("keeps its comments, and takes them along", () => {
    const moved = editedText(FILE, [{ action: "order", ids: ["b", "a"] }]);
    expect(moved.indexOf("# second")).toBeLessThan(moved.indexOf("# first"));
    const b = { ...zonesIn(FILE)[1], confirmMs: 300 };
    const changed = editedText(FILE, [{ action: "change", id: "b", zone: b }]);
    expect(changed).toContain("# second\n  - id: b\n");
    expect(changed).toContain("# short\n");
    expect(changed).toContain("# inside\n    confirmMs: 300\n");
  });

  const ENDS: readonly [what: string, end: string][] = [
    ["an option", "    kind: fire\n    # below\n"],
    ["an option with a comment", "    kind: fire # own\n    # below\n\n    # and more\n"],
    ["a section line by line", "    input:\n      gpio: 3 # own\n      # inside\n    # below\n"],
    ["a section line by line, and nothing for its options", "    input:\n      gpio: 3\n    # below\n"],
    ["a section in braces", "    input: { gpio: 3 } # own\n    # below\n"],
    ["a list", "    codes:\n      - 1\n    # below\n"],
    ["a text of several lines", "    description: |\n      one\n      two\n\n    # below\n"],
  ];
  test.each(ENDS)("keeps the comments below %s in their place, however often it is saved", (_what, end) => {
    const b = `  # in front of b\n  - id: b\n${end}`;
    const file = `zones:\n  - id: a\n${end}${b}  - { id: c, name: C } # own\n    # below\n# after\nmqtt: off\n`;
    for (const text of [file, file.replaceAll("\n", "\r\n")])
      for (const id of ["a", "b", "c"]) {
        const disabled = editedText(text, [{ action: "disable", id }]);
        expect(textDiff(text, disabled).match(/^[-+].*/gm)).toHaveLength(id === "c" ? 2 : 1);
        expect(editedText(disabled, [{ action: "enable", id }])).toBe(text);
      }
    const moved = editedText(file, [{ action: "order", ids: ["b", "a", "c"] }]);
    expect(moved).toBe(file.replace(`  - id: a\n${end}${b}`, `${b}  - id: a\n${end}`));
  });

  test.each([
    ["nothing", ""],
    ["no list", "mqtt: off\n"],
    ["no end of the last line", "mqtt: off"],
    ["an empty list", "zones: []\nmqtt: off\n"],
    ["an empty option", "zones:\nmqtt: off\n"],
    ["a list without blanks", "zones:\n- id: a\n  name: A\nmqtt: off\n"],
    ["a list in brackets", "zones: [{ id: a, name: A }]\nmqtt: off"],
  ])("is added to a file with %s", (_what, text) => {
    const after = editedText(text, [{ action: "add", zone: ZONE }]);
    expect(zonesIn(after)).toEqual([...zonesIn(text), ZONE]);
    expect(after.includes("mqtt: off")).toBe(text.includes("mqtt: off"));
  });

  test("may be the last one to be deleted, and be added again", () => {
    const none = editedText(FILE, [
      { action: "delete", id: "a" },
      { action: "delete", id: "b" },
    ]);
    expect(none).toContain("zones: []\n");
    expect(zonesIn(editedText(none, [{ action: "add", zone: ZONE }]))).toEqual([ZONE]);
  });

  test.each([
    ["an unknown zone", FILE, { action: "delete", id: "z" }, /unknown zone "z"/],
    ["an order without all zones", FILE, { action: "order", ids: ["a"] }, /all zones/],
    ["invalid YAML", "zones: [", { action: "add", zone: ZONE }, /cannot be changed here/],
    ["a zone that is an alias", "x: &z { id: a }\nzones:\n  - *z\n", { action: "delete", id: "a" }, /alias/],
    [
      "a copy of a zone that uses an alias",
      "x: &i { gpio: 1 }\nzones:\n  - { id: a, input: *i }\n",
      { action: "copy", id: "a", newId: "b", name: "B" },
      /the zone uses an alias/,
    ],
    ["options in braces", "{ zones: [] }", { action: "add", zone: ZONE }, /braces/],
    [
      "a lost anchor",
      "zones:\n  - id: a\n    input: &i { gpio: 1 }\n  - id: b\n    input: *i\n",
      { action: "delete", id: "a" },
      /cannot be changed/,
    ],
  ] as const)("is refused for %s", (_what, text, edit, message) => {
    expect(() => editedText(text, [edit as ZoneEdit])).toThrow(message);
  });
});
