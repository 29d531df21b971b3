import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, interventionsOf } from "../support/installation.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

/* An operator's whole round by keys alone. After each key the focus is on something that is in the page, on the screen and marked. */

const CONFIGURATION = editableSite("id: usa, name: Ușa, kind: intrusion", "id: fum, name: Fum, kind: fire");
const TIMEOUT_MS = 240_000;
const TABS_MAX = 80;

/** Where the focus is: what is wrong with it, empty if nothing. */
const FOCUS = `(() => {
  const on = document.activeElement;
  if (!on || on === document.body) return "lost";
  const { left, top, width, height } = on.getBoundingClientRect();
  // The content as a whole gets the focus when its screen opens; a reader begins there, and there is nothing to mark.
  if (on.id === "content") return "";
  const name = on.tagName + " " + (on.getAttribute("aria-label") || on.textContent || on.name || "").trim().slice(0, 40);
  if (width === 0 || height === 0 || getComputedStyle(on).visibility === "hidden") return "not visible: " + name;
  if (top + height <= 0 || top >= innerHeight || left + width <= 0 || left >= innerWidth) return "off the screen: " + name;
  const marks = [on, on.parentElement].map((one) => getComputedStyle(one));
  const isMarked = marks.some(({ outlineStyle, outlineWidth, boxShadow }) =>
    (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || /0px 0px 0px [2-9]/.test(boxShadow));
  return isMarked ? "" : "not marked: " + name;
})()`;

describeWithBrowser("an operator without a mouse", () => {
  const site = PanelSite.running("", CONFIGURATION);

  test(
    "signs in, changes and tests zones, reads the log, changes the language and signs out",
    async () => {
      const page = await site.signedOutPage();
      const keys = new Keys(page);
      await page.open("zones");
      const form = page.screen("sign-in");
      await keys.write(form.input("email"), EDGE.email);
      await keys.write(form.input("password"), EDGE.password);
      await keys.press("Enter");

      // A zone gets another name.
      const zones = page.screen("zones");
      await zones.tile("Fum").shown();
      await keys.on(zones.link("Edit"));
      const edit = page.screen("zones/edit");
      await keys.to(edit.button("Actions for Ușa"));
      await keys.press("ArrowDown");
      await keys.press("Enter");
      const zone = page.screen("zones/form");
      await keys.to(zone.field("Name"));
      await keys.press("End");
      await page.type(" mare");
      await keys.on(zone.button("Review the change"));
      const review = page.screen("zones/review");
      await keys.write(review.field("Your password"), EDGE.password);
      await keys.press("Enter");
      await page.screen("zones/saved").heading("Saved").shown();
      await keys.check("saving a zone");

      // A test trip: the sheet, its question, and back to the tile.
      await keys.on(page.menu.link("Zones"));
      await keys.on(zones.tile("Ușa mare"));
      const sheet = page.dialog("Ușa mare");
      await keys.on(sheet.button("Test trip…"));
      await keys.press("Escape");
      await page.dialog(/^Test trip/).gone();
      await keys.at(sheet.button("Test trip…"));
      await keys.press("Enter");
      await keys.on(page.dialog(/^Test trip/).button("Trip zone"));
      await eventually("its intervention", async () => (await interventionsOf(site.daemon)).length === 1);
      await page.dialog(/^Test trip/).gone();
      await keys.check("a test trip");
      await keys.press("Escape");
      await sheet.gone();
      await keys.at(zones.tile("Ușa mare"));

      // A walk test, with the question about life safety refused once.
      await keys.on(page.menu.link("Walk test"));
      const walk = page.screen("walk-test");
      await keys.on(walk.button("Start walk test"), "Space");
      const question = page.openDialog;
      await question.shown();
      await keys.press("Escape");
      await question.gone();
      await keys.at(walk.button("Start walk test"));
      await keys.press("Space");
      await keys.on(question.button("Start walk test"), "Space");
      await walk.heading("0 of 2 zones tested").shown();
      await keys.check("the start of a walk test");
      await keys.on(walk.button("End walk test"));
      await walk.badge("2 zones not tested").shown();
      await keys.check("the end of a walk test");

      await keys.on(page.menu.link("Log"));
      await page.screen("events").heading("Event log").shown();
      await keys.check("opening the log");

      const user = page.banner.markup(".menu > button");
      await keys.on(user);
      await keys.on(page.banner.button("RO"));
      await page.screen("events").heading("Jurnal de evenimente").shown();
      await keys.check("the change of the language");
      await keys.press("Escape");
      await keys.at(user);
      await keys.press("Enter");
      await keys.on(page.banner.button("Deconectare"));
      await page.screen("sign-in").heading("Autentificare").shown();
      await keys.check("the sign-out");
      expect(keys.problems).toEqual([]);
      expect(site.pageErrors).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** A keyboard, and what was wrong with the focus after its keys. */
class Keys {
  readonly #page: PanelPage;
  readonly problems: string[] = [];

  constructor(page: PanelPage) {
    this.#page = page;
  }

  /** Tab until a part has the focus; each stop on the way is checked. */
  async to(part: Part): Promise<void> {
    await part.shown();
    for (let count = 0; count < TABS_MAX; count += 1) {
      if (await part.hasFocus()) return;
      await this.#page.press("Tab");
      const problem = await this.#problem();
      // The browser's own bars are between the last part and the first.
      if (problem !== "" && problem !== "lost") this.problems.push(`Tab: ${problem}`);
    }
    throw new Error(`no focus after ${TABS_MAX} times Tab`);
  }

  /** Reaches a part and presses it. */
  async on(part: Part, key: "Enter" | "Space" = "Enter"): Promise<void> {
    await this.to(part);
    await this.#page.press(key);
  }

  async write(field: Part, text: string): Promise<void> {
    await this.to(field);
    await this.#page.type(text);
  }

  async press(key: string): Promise<void> {
    await this.#page.press(key);
    await this.check(key);
  }

  /** Waits until a part has the focus again, after a dialog or menu has closed. */
  async at(part: Part): Promise<void> {
    await eventually("the focus to return", () => part.hasFocus());
  }

  /** Waits until the focus is where a person sees it; a screen may still be opening. @param after what was done */
  async check(after: string): Promise<void> {
    let problem = "";
    await eventually("a focus", async () => (problem = await this.#problem()) === "").catch(() => {
      this.problems.push(`after ${after}: ${problem}`);
    });
  }

  #problem(): Promise<string> {
    return this.#page.evaluate<string>(FOCUS);
  }
}
