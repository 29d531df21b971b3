import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import type { PanelPage } from "./panel-page.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** WCAG 2.2 AA as far as a program can see it, as `rule: what stands there`; empty for a page without a fault. */
export async function accessibilityFaults(page: PanelPage): Promise<string[]> {
  // Evaluated from outside the page, so its content policy has no say in it.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate<string[]>(`
    axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(
      ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)),
    )`);
}

/** What is wider than the page or cut off, as the markup of each; a phone does not scroll sideways. */
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
 * The faults of a screen in both languages and colours, on a phone and a laptop, as `language colours width: fault`.
 * @param open brings the screen into view once its language is chosen
 */
export async function faultsInEveryLook(page: PanelPage, open: () => Promise<void>): Promise<string[]> {
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
    await page.press("Escape");
  }
  return faults;
}
