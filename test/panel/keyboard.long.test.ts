import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

/* A person without a mouse: every step is a key, and after a dialog or a menu the focus is where it was. */

const CONFIGURATION = editableSite(
  "id: usa, name: Ușa, kind: intrusion",
  "id: geam, name: Geam, kind: glass",
);
const TIMEOUT_MS = 120_000;

describeWithBrowser("without a mouse", () => {
  const site = PanelSite.running("", CONFIGURATION);
  let page: PanelPage;
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "usa"]);
    page = await site.page("zones");
  });

  const focused = (part: Part): Promise<unknown> => eventually("the focus", () => part.hasFocus());

  test("a zone is opened, bypassed and closed, and its tile has the focus again", async () => {
    const tile = page.screen("zones").tile("Geam");
    await page.tabTo(tile);
    await page.press("Enter");
    const sheet = page.dialog("Geam");
    const bypass = sheet.button("Bypass…");
    await page.tabTo(bypass);
    await page.press("Enter");
    const question = page.dialog("Bypass Geam");
    await question.shown();
    await page.press("Escape");
    await question.gone();
    await focused(bypass);
    await page.press("Escape");
    await sheet.gone();
    await focused(tile);
  });

  test("the menu of a row is entered, walked around and left by keys", async () => {
    const list = await page.open("interventions");
    const menu = list.button("Actions for #1");
    await page.tabTo(menu);
    await page.press("ArrowDown");
    const edit = list.link("Edit");
    await focused(edit);
    await page.press("ArrowUp");
    await focused(list.button("Status: done"));
    await page.press("ArrowDown");
    await focused(edit);
    await page.press("Escape");
    await edit.gone();
    await focused(menu);
    await page.press("ArrowDown");
    await page.press("End");
    await page.press("Enter");
    // Its zone is still open.
    await page.tabTo(page.openDialog.button("Set to done"));
    await page.press("Enter");
    await list
      .row(/Ușa.*done/)
      .and(list.markup("tbody tr"))
      .shown();
    await page.notice.text(/^#\d+ .*: done$/).shown();
    // The focus that leaves a menu closes it.
    await page.tabTo(menu);
    await page.press("ArrowDown");
    await focused(edit);
    await page.press("Shift+Tab");
    await page.press("Shift+Tab");
    await edit.gone();
  });

  test("a dialog that a menu has opened gives the focus back to the menu", async () => {
    const record = await page.open("interventions/1");
    const menu = record.button("More actions");
    await page.tabTo(menu);
    await page.press("ArrowDown");
    await focused(record.button("Delete…"));
    await page.press("Enter");
    await page.openDialog.shown();
    await page.press("Escape");
    await page.openDialog.gone();
    await focused(menu);
  });

  test(
    "a zone is added from a free line, and others are ordered and deleted",
    async () => {
      await page.open("zones/found");
      const found = page.screen("zones/found");
      await page.tabTo(found.link("GPIO line"));
      await page.press("Enter");
      const form = page.screen("zones/form");
      await page.tabTo(form.field("Name"));
      await page.type("Hol");
      await page.tabTo(form.field("GPIO line (BCM number)"));
      await page.type("22");
      await page.tabTo(form.button("Review the change"));
      await page.press("Enter");
      const review = page.screen("zones/review");
      await review.text(/^\+ +- id: hol$/).shown();
      await page.tabTo(review.field("Your password"));
      await page.type(EDGE.password);
      await page.press("Enter");
      await page.screen("zones/saved").heading("Saved").shown();

      await page.open("zones/edit");
      const edit = page.screen("zones/edit");
      const menu = edit.button("Actions for Hol");
      await page.tabTo(menu);
      await page.press("ArrowDown");
      await focused(edit.link("Edit"));
      for (let count = 0; count < 3; count += 1) await page.press("ArrowDown");
      await focused(edit.button("Move up"));
      await page.press("Enter");
      await edit.text("1 change is not saved yet.").shown();
      // A menu that would move with its row closes.
      await focused(menu);
      await page.press("ArrowDown");
      await focused(edit.link("Edit"));
      await page.press("End");
      await focused(edit.button("Delete"));
      await page.press("Enter");
      await menu.gone();
      await focused(edit.markup("ul.items"));
      expect(site.pageErrors).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
