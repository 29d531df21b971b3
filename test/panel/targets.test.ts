import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { reportNow } from "../support/fleet.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { deadCentre, PanelSite } from "../support/panel-site.ts";
import { join } from "node:path";

/**
 * What a finger can miss: controls below 44 pixels, without links within a sentence, boxes whose label is large enough, and what
 * only the keyboard reaches.
 */
const CONTROLS = `[...part.ownerDocument.querySelectorAll("a[href], button, select, summary, textarea, input")]
  .filter((one) => one.checkVisibility() && !one.closest(".skip, .unseen, .log, ol.guide small"))`;
const MISSED = `${CONTROLS}
  .map((one) => one.matches("[type=checkbox], [type=radio]") ? one.closest("label") ?? one : one)
  .filter((one) => one.getBoundingClientRect().height < 43.5)
  .map((one) => one.outerHTML.slice(0, 100))`;

/** The controls that a finger can miss, on each of the screens. */
async function missedOn(page: PanelPage, places: readonly string[]): Promise<string[]> {
  await page.look("light", 390);
  const missed: string[] = [];
  for (const place of places) {
    const screen = await page.open(place);
    expect(await screen.evaluate<number>(`${CONTROLS}.length`), place).toBeGreaterThan(3);
    for (const part of await screen.evaluate<string[]>(MISSED)) missed.push(`${place}: ${part}`);
  }
  return missed;
}

describeWithBrowser("a finger on a phone", () => {
  const site = PanelSite.running(deadCentre());
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n`,
    "centre",
  );
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await askDaemon(join(centre.installation.folder, "site"), "POST", "/site-reports", reportNow());
  });

  test("hits what it aims at on the screens of a site", async () => {
    const page = await site.page("status");
    const places = [
      "status",
      "zones",
      "interventions",
      "interventions/1",
      "interventions/1/edit",
      "events",
      "plan",
      "walk-test",
      "objectives",
      "sync",
      "settings?open=site.centre.accounts.backup.restore.configuration",
      "api",
      "more",
    ];
    expect(await missedOn(page, places)).toEqual([]);
    await page.close();
  });

  test("hits what it aims at on the screens of a dispatch centre, and the way back has an arrow", async () => {
    const page = await centre.page("sites");
    expect(await missedOn(page, ["sites", "sites/1", "sites/99"])).toEqual([]);
    const back = page.screen("sites/99").link("Sites");
    await back.markup("svg").shown();
    await back.click();
    await page.screen("sites").link("Hala Nord").click();
    await page.screen("sites/1").link("Sites").markup("svg").shown();
    await page.close();
  });

  test("ticks the box beside a word: the next box is farther away than the word", async () => {
    const page = await site.page("interventions/1/edit");
    await page.look("light", 390);
    const form = page.screen("interventions/1/edit");
    await form.input("police").shown();
    const gaps = await form.evaluate<{ readonly own: number; readonly next: number }>(`(() => {
      const [police, ambulance] = part.querySelectorAll("fieldset .check");
      const range = document.createRange();
      range.selectNodeContents(police.lastChild);
      const word = range.getBoundingClientRect();
      const box = (label) => label.querySelector("input").getBoundingClientRect();
      return { own: word.left - box(police).right, next: box(ambulance).left - word.right };
    })()`);
    expect(gaps.next).toBeGreaterThan(gaps.own * 1.5);
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
});
