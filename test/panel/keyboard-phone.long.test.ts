import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

const TIMEOUT_MS = 240_000;
/** More than the stops of the longest screen here. */
const TABS_MAX = 120;
const ZONES = Array.from({ length: 14 }, (_none, at) => `id: z${at}, name: Contact ${at}, kind: intrusion`);

/** The part with the focus: its name, and what covers its middle; empty names for none. */
const FOCUS = `(() => {
  const on = document.activeElement;
  if (!on || on === document.body || on.id === "content") return { name: "", cover: "" };
  const name = (on.getAttribute("aria-label") || on.textContent || on.name || "").trim().slice(0, 40);
  const { left, top, width, height } = on.getBoundingClientRect();
  const over = document.elementFromPoint(left + width / 2, top + height / 2);
  const isSeen = over !== null && (on.contains(over) || over.contains(on));
  return { name, cover: isSeen ? "" : over?.outerHTML.slice(0, 60) ?? "the edge of the window" };
})()`;

/** Moves through the screen and back. @returns the parts that had the focus, and those that were covered meanwhile */
async function tabThrough(page: PanelPage): Promise<{ seen: Set<string>; faults: string[] }> {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const key of ["Tab", "Shift+Tab"])
    for (let count = 0; count < TABS_MAX; count += 1) {
      await page.press(key);
      const { name, cover } = await page.evaluate<{ name: string; cover: string }>(FOCUS);
      // After the last part the browser's own bars have the focus.
      if (name === "" && count > 0) break;
      seen.add(name);
      if (cover !== "") faults.push(`${key}, ${name}: ${cover}`);
    }
  return { seen, faults };
}

describeWithBrowser("a keyboard at a phone", () => {
  const site = PanelSite.running("", editableSite(...ZONES));
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "z1"]);
  });

  test.each(["zones", "zones/edit", "zones/form?zone=z1", "interventions", "api"])(
    "moves through %s, and the bars at the bottom cover nothing that has the focus",
    async (place) => {
      const page = await site.page(place);
      await page.look("light", 360);
      await page.screen(place.replace(/[?].*/, "")).complete();
      const { seen, faults } = await tabThrough(page);
      expect(seen.size).toBeGreaterThan(10);
      expect(faults).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "moves through a form while an error is shown, which covers nothing that has the focus",
    async () => {
      const page = await site.page("settings?open=accounts");
      await page.look("light", 360);
      const settings = page.screen("settings");
      await settings.complete();
      await page.failRequests("**/site/log-level");
      await settings.button(/debug logging/i).click();
      await page.notice.button("Close").shown();
      const { seen, faults } = await tabThrough(page);
      expect(seen).toContain("Close");
      expect(seen.size).toBeGreaterThan(10);
      expect(faults).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );
});
