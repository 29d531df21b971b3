import { describe, expect, test } from "vitest";
import { textDiff } from "../../src/config/text-diff.ts";
import { editedConfiguration, siteTextIn, type SiteText } from "../../src/config/site-edits.ts";

const renamed = (text: string, site: SiteText): string =>
  editedConfiguration(text, [{ action: "site", site }]);
const diffOf = (before: string, site: SiteText): string[] =>
  textDiff(before, renamed(before, site))
    .split("\n")
    .filter((line) => /^[-+]/.test(line));

describe("a changed site", () => {
  test("leaves every other line of the file as it is, and its comments", () => {
    const text = `# head
site:
  # the name
  name:   'New site'   # short
  ref: new-site
  timezone: Europe/Bucharest

mqtt:  off
`;
    expect(diffOf(text, { name: "Hala Nord" })).toEqual([
      "-  name:   'New site'   # short",
      "+  name:   Hala Nord   # short",
    ]);
    expect(diffOf(text, { name: "New site", timezone: "Europe/Paris" })).toEqual([
      "-  timezone: Europe/Bucharest",
      "+  timezone: Europe/Paris",
    ]);
    expect(diffOf(text, { locale: "en" })).toEqual(["+  locale: en"]);
  });

  test.each([
    ["nothing", ""],
    ["only a comment", "# later"],
    ["no site", "mqtt: off"],
    ["braces", "site: { ref: a, name: X } # here\nmqtt: off\n"],
    ["braces without a name", "site: { ref: a }\n"],
    ["a section without a name", "site:\n    # why\n    ref: a\nmqtt: off\n"],
    ["a section at the end, without the end of its line", "site:\n  ref: a"],
    ["a name in quotes over two lines", 'site:\n  name: "A\n    B"\n  ref: a\n'],
    ["a name over two lines", "site:\n  name: A\n    B\n  ref: a\n"],
    ["line ends of Windows", "site:\r\n  name: A\r\n  ref: a\r\n"],
  ])("is written into a file with %s", (_what, text) => {
    for (const name of [
      "Hala Nord",
      "a: b # c",
      '"A" \\ {b}, [c]',
      "  x ",
      "yes",
      "12",
      "Ștefan's",
      "- a",
      "é😀",
    ])
      expect(siteTextIn(renamed(text, { name }))).toEqual({ ...siteTextIn(text), name });
  });

  test("is changed together with zones", () => {
    const text = "site: { name: A }\nzones:\n  - { id: a, name: A }\n";
    expect(
      editedConfiguration(text, [
        { action: "delete", id: "a" },
        { action: "site", site: { name: "B" } },
      ]),
    ).toBe("site: { name: B }\nzones: []\n");
  });

  test.each([
    ["invalid YAML", "site: [", /cannot be changed here/],
    ["a site that is an alias", "x: &s { name: A }\nsite: *s\n", /cannot be changed here/],
    ["a name that is an alias", "x: &n A\nsite: { name: *n }\n", /cannot be changed here/],
    ["a name that others use", "site: { name: &n A }\nx: *n\n", /cannot be changed here/],
    ["an empty section", "site:\nmqtt: off\n", /cannot be changed here/],
    ["options in braces without a site", "{ mqtt: off }\n", /cannot be changed here/],
    ["a list", "- a\n", /cannot be changed here/],
  ])("is refused for %s", (_what, text, message) => {
    expect(() => renamed(text, { name: "B" })).toThrow(message);
  });
});
