import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = ["test", "scripts"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes("node_modules"))
    .map((path) => join(folder, path)),
);

const RULES: readonly Rule[] = [
  {
    // A look-up in the whole page can match the previous screen, and an inexact one its neighbour, depending on
    // the speed of the browser.
    what: /\.getBy[A-Z]\w*\(|\.locator\((?!`main\[data-screen=)/,
    folders: ["test/", "scripts/"],
    homes: ["test/support/panel-page.ts"],
    instead: "PanelPage.screen of test/support/panel-page.ts, which looks on one screen alone",
  },
  {
    // So can a script that looks something up by itself.
    what: /\bdocument\s*\.(?:querySelector|getElement)/,
    folders: ["test/"],
    homes: [
      "test/support/accessibility-checks.ts",
      "test/support/foreign-words.ts",
      "test/support/interaction-counter.ts",
      "test/support/panel-addresses.ts",
      "test/support/panel-page.ts",
      // An observer that runs in the page.
      "test/panel/times.test.ts",
    ],
    instead: "evaluate of a part or a screen of test/support/panel-page.ts, which waits for it",
  },
  {
    // What a slow browser shows later, or hides later, is not there yet.
    what: /\bexpect\(\s*await [^;]*(?:\.isShown\(\)|"location\.hash")/,
    folders: ["test/panel/"],
    homes: [],
    instead: "shown, hidden, gone or isAt of test/support/panel-page.ts, which wait",
  },
  {
    what: /from "playwright-core"/,
    folders: ["test/", "scripts/"],
    homes: [
      "test/support/browser.ts",
      "test/support/panel-page.ts",
      "test/support/panel-site.ts",
      "scripts/panel-times.mjs",
      "scripts/take-moving-picture.mjs",
      "scripts/take-screenshots.mjs",
    ],
    instead: "PanelPage of test/support/panel-page.ts",
  },
  {
    what: /new URL\([`"][./]*(?:dist|build)\/|\bROOT, "(?:dist|build)[/"]/i,
    folders: ["test/"],
    homes: ["test/support/built-program.ts"],
    instead: "test/support/built-program.ts, which refuses a program that is older than its sources",
  },
];

interface Rule {
  readonly what: RegExp;
  /** Directories of the rule, and exempt files in them. */
  readonly folders: readonly string[];
  readonly homes: readonly string[];
  readonly instead: string;
}

test("panel look-ups are exact and limited to one screen, and started programs are up to date", () => {
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((path) => violations(path, readFileSync(join(root, path), "utf8")))).toEqual([]);
});

test.each([
  ["test/panel/x.test.ts", 'await page.getByLabel("Kind").selectOption("alarms");'],
  ["test/panel/x.test.ts", 'await page.locator("td").first().waitFor();'],
  ["test/e2e/x.test.ts", 'import { chromium } from "playwright-core";'],
  ["test/support/x.ts", 'await page.getByRole("row").count();'],
  ["scripts/x.mjs", 'await page.locator("nav").waitFor();'],
  ["test/panel/x.test.ts", "page.evaluate('document.querySelectorAll(\".log > li\").length')"],
  ["test/panel/x.test.ts", 'expect(await list.button("Retry").isShown()).toBe(false);'],
  ["test/panel/x.test.ts", 'expect(await page.evaluate<string>("location.hash")).toBe("#/zones");'],
  ["test/cli/x.test.ts", 'join(root, "dist/main.js")'],
  ["test/cli/x.test.ts", 'join(ROOT, "build", "main.js")'],
  ["test/cli/x.test.ts", 'new URL("../../build/main.js", import.meta.url)'],
  ["test/cli/x.test.ts", 'new URL("../../dist/main.js", import.meta.url)'],
])("in %s an inexact look-up or an outdated program is detected: %s", (path, text) => {
  expect(violations(path, text)).toHaveLength(1);
});

test("a look-up on a named screen is not a violation", () => {
  expect(violations("scripts/x.mjs", 'page.locator(`main[data-screen="zones"] td`)')).toEqual([]);
});

/** Each violation as `path: problem`. */
function violations(path: string, text: string): string[] {
  // The examples above are text, not look-ups.
  if (path === "test/meta/look-ups.test.ts") return [];
  return RULES.filter(
    ({ what, folders, homes }) =>
      folders.some((folder) => path.startsWith(folder)) && !homes.includes(path) && what.test(text),
  ).map(({ what, instead }) => `${path}: ${what.source} is banned here; use ${instead}`);
}
