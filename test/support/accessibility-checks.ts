import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { foreignWords } from "./foreign-words.ts";
import type { PanelPage } from "./panel-page.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** WCAG 2.2 AA violations found by axe, as `rule: element`; empty without a violation. */
export async function accessibilityFaults(page: PanelPage): Promise<string[]> {
  // Evaluated from outside the page, so its content policy does not apply.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate<string[]>(`
    axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(
      ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)),
    )`);
}

/** Markup of elements that overflow or are clipped; a phone must not scroll sideways. */
export function clippedParts(page: PanelPage): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll("body *")]
      .filter((part) => {
        const { right, left, width } = part.getBoundingClientRect();
        const style = getComputedStyle(part);
        const isSeen = width > 1 && style.visibility !== "hidden" && !part.closest(".unseen, .skip, thead");
        const isCut = style.overflowX === "hidden" && part.scrollWidth > part.clientWidth + 1;
        return isSeen && (right > innerWidth + 1 || left < -1 || isCut);
      })
      .map((part) => part.outerHTML.slice(0, 120))`);
}

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
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [360, 1100]) {
        await page.look(colorScheme, width);
        for (const fault of [...(await accessibilityFaults(page)), ...(await clippedParts(page))])
          faults.push(`${language} ${colorScheme} ${width}: ${fault}`);
      }
    for (const fault of await foreignWords(page, language, names)) faults.push(`${language}: ${fault}`);
    await page.press("Escape");
  }
  return faults;
}
