import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { foreignWords } from "./foreign-words.ts";
import type { PanelPage } from "./panel-page.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The only rule of axe whose result depends on the colours. */
const CONTRAST = ["color-contrast"];

/** WCAG 2.2 AA violations found by axe, as `rule: element`; empty without a violation. */
export async function accessibilityFaults(
  page: PanelPage,
  rules: readonly string[] = ALL_RULES,
): Promise<string[]> {
  // Evaluated from outside the page, so its content policy does not apply.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate<string[]>(`
    axe.run({ runOnly: ${JSON.stringify(rules)} }).then(
      ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)),
    )`);
}

/** Markup of elements that overflow or are clipped; a phone must not scroll sideways, but the lines of a file and the chips of a list do. */
export function clippedParts(page: PanelPage): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll("body *")]
      .filter((part) => {
        const { right, left, width } = part.getBoundingClientRect();
        const style = getComputedStyle(part);
        const isSeen = width > 1 && style.visibility !== "hidden" && !part.closest(".unseen, .skip, thead, .diff > *, .one-row > *");
        const isCut = style.overflowX === "hidden" && part.scrollWidth > part.clientWidth + 1;
        return isSeen && (right > innerWidth + 1 || left < -1 || isCut);
      })
      .map((part) => part.outerHTML.slice(0, 120))`);
}

type Language = "RO" | "EN";
type Colours = "light" | "dark";
/** CSS pixels of a phone and a laptop. */
type Width = 360 | 1100;
/**
 * What axe checks where. Each colour scheme at each width has its contrasts checked once, and each language and width everything
 * else once: contrasts have no language, and the other rules no colours. To run all of it in all eight looks took most of a test.
 */
const LOOKS: readonly (readonly [Language, Colours, Width, readonly string[]])[] = [
  ["RO", "light", 360, ALL_RULES],
  ["RO", "dark", 360, CONTRAST],
  ["RO", "light", 1100, CONTRAST],
  ["EN", "light", 360, []],
  ["EN", "dark", 1100, ALL_RULES],
];

/**
 * Violations of a screen in both languages and colour schemes, on a phone and a laptop, as `language colours
 * width: fault`; words of the other language are violations too.
 * @param open opens the screen after its language is set
 * @param names of the site, which have no language
 */
export async function violationsInAllThemes(
  page: PanelPage,
  open: () => Promise<void>,
  names: readonly (string | RegExp)[] = [],
): Promise<string[]> {
  const faults: string[] = [];
  for (const language of ["RO", "EN"]) {
    await page.speak(language);
    await open();
    for (const [, colours, width, rules] of LOOKS.filter(([spoken]) => spoken === language)) {
      await page.look(colours, width);
      const found = rules.length === 0 ? [] : await accessibilityFaults(page, rules);
      for (const fault of [...found, ...(await clippedParts(page))])
        faults.push(`${language} ${colours} ${width}: ${fault}`);
    }
    for (const fault of await foreignWords(page, language, names)) faults.push(`${language}: ${fault}`);
    await page.press("Escape");
  }
  return faults;
}
