import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Intervention } from "../../src/generated/types.ts";
import type { PlanView } from "../../src/site/plan-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const CONFIGURATION = editableSite(
  "id: usa, name: Ușa, kind: intrusion",
  "id: geam, name: Geam, kind: glass",
);
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">
  <path d="M10 10h380v280h-380z" fill="none" stroke="black" stroke-width="4"/></svg>`;
const QUESTION = "Leave without saving?";
const LOOKS_TIMEOUT_MS = 120_000;

describeWithBrowser("what is entered and not saved", () => {
  const site = PanelSite.running("", CONFIGURATION);
  let page: PanelPage;
  beforeEach(async () => {
    page = await site.page();
    await page.screen("status").complete();
  });
  afterEach(async () => {
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  /** Answers the question of the panel. */
  const answer = async (button: "Keep editing" | "Discard changes"): Promise<void> => {
    const question = page.dialog(QUESTION);
    await question.button(button).click();
    await question.gone();
  };
  const opened = async (address: string): Promise<Screen> => {
    const screen = await page.open(address);
    await screen.complete();
    return screen;
  };

  test("of an intervention stays after the menu, Back and a reload, until it is discarded", async () => {
    await opened("interventions");
    await page.screen("interventions").link("New intervention").click();
    const form = page.screen("interventions/new");
    await form.complete();
    await form.field("Name").fill("Verificarea sirenei");
    await page.follow("Zones");
    // Enter discards nothing.
    await eventually("the focus on the harmless button", () =>
      page.dialog(QUESTION).button("Keep editing").hasFocus(),
    );
    await answer("Keep editing");
    await page.back();
    await answer("Keep editing");
    expect(await page.isAskedOn("reload", false)).toBe(true);
    await form.field("Name").holds("Verificarea sirenei");
    await page.isAt("#/interventions/new");
    await page.back();
    await answer("Discard changes");
    await page.screen("interventions").complete();
    // Where the form was, by the history of the tab.
    await page.isAt("#/interventions");
    expect(await page.isAskedOn("reload", true)).toBe(false);
  });

  test("of an intervention is asked about once after its list was opened again at the same address", async () => {
    await opened("interventions");
    // As by a bookmark: the browser reports no change of the address.
    const list = await opened("interventions");
    await list.field("Search").fill("sirena");
    await page.isAt("#/interventions?q=sirena");
    await list.link("New intervention").click();
    const form = page.screen("interventions/new");
    await form.complete();
    await form.field("Name").fill("Verificarea sirenei");
    await page.back();
    await answer("Keep editing");
    await page.isAt("#/interventions/new");
    await eventually("the form without a question", async () => form.field("Name").hasFocus());
    await form.field("Name").holds("Verificarea sirenei");
    await page.back();
    await answer("Discard changes");
    await page.isAt("#/interventions?q=sirena");
  });

  test("is not asked about where nothing was changed, or when it was saved or cancelled", async () => {
    const form = await opened("interventions/new");
    await form.field("Name").fill("Verificarea sirenei");
    await form.field("Name").fill("");
    await page.follow("Zones");
    await page.screen("zones").complete();
    const again = await opened("interventions/new");
    await again.field("Name").fill("Verificarea sirenei");
    await again.link("Cancel").click();
    const list = page.screen("interventions");
    await list.complete();
    const last = await opened("interventions/new");
    await last.field("Name").fill("Verificarea sirenei");
    await last.button("Save").click();
    const saved = await page.arrival(/^interventions\/\d+$/);
    await saved.complete();
    await page.follow("Zones");
    await page.screen("zones").complete();
    expect(await page.isAskedOn("close", true)).toBe(false);
  });

  test("of a zone stays while its change is reviewed, and is asked about elsewhere", async () => {
    const form = await opened("zones/form?zone=usa");
    await form.field("Name").fill("Ușa mare");
    await form.button("Review the change").click();
    const review = page.screen("zones/review");
    await review.text(/^\+.*name: Ușa mare/).shown();
    await page.back();
    await form.field("Name").holds("Ușa mare");
    expect(await page.isAskedOn("reload", false)).toBe(true);
    await form.link("Back").click();
    await answer("Keep editing");
    await page.follow("Home");
    await answer("Discard changes");
    await page.screen("status").complete();
    await (await opened("zones/form?zone=usa")).field("Name").holds("Ușa");
  });

  test("of a new zone is what was entered, not what the panel proposes", async () => {
    const found = await opened("zones/found");
    await found.link("Simulated zone").click();
    const form = page.screen("zones/form");
    // The only building of the site.
    await form.input("objective").holds("obiective/cladiri 12");
    await form.link("Back").click();
    await found.link("Simulated zone").click();
    await form.field("Name").fill("Poarta");
    await form.link("Back").click();
    await answer("Discard changes");
    await found.complete();
  });

  test("of the list of zones is asked about when the zones are left, and not while it is saved", async () => {
    const edit = await opened("zones/edit");
    await edit.button("Actions for Geam").click();
    await edit.button("Disable").click();
    await page.press("Escape");
    await edit.link("Add a zone").click();
    await page.screen("zones/found").complete();
    await page.follow("Home");
    await answer("Keep editing");
    await page.back();
    await edit.button("Review the change").click();
    const review = page.screen("zones/review");
    const slow = await page.holdResponses("**/site/configuration/apply");
    await review.field("Your password").fill(EDGE.password);
    await review.button("Save").click();
    await slow.held();
    await page.follow("Home");
    await page.screen("status").complete();
    slow.release();
    await page.notice.text("Saved").shown();
    expect(await page.isAskedOn("reload", true)).toBe(false);
  });

  test("of the site stays while its change is reviewed, and is asked about elsewhere", async () => {
    const settings = await opened("settings?open=site");
    await settings.field("Site name").fill("Hala Sud");
    await settings.button("Review the change").click();
    const review = page.screen("zones/review");
    await review.text(/^\+.*Hala Sud/).shown();
    await review.link("Back").and(review.markup("[aria-label]")).click();
    await settings.field("Site name").holds("Hala Sud");
    await page.userMenu();
    await page.banner.button("Sign out").click();
    await answer("Discard changes");
    await page.screen("sign-in").field("Password").shown();
  });

  test("of a floor plan is asked about: a new one, and the place of a zone", async () => {
    writeFileSync(join(site.installation.folder, "plan.svg"), DRAWING);
    const form = await opened("plan/new");
    await form.input("name").fill("Parter");
    await page.follow("Home");
    await answer("Keep editing");
    await form.input("picture").setFile(join(site.installation.folder, "plan.svg"));
    await form.button("Upload plan").click();
    const editor = page.screen("plan/1/edit");
    await editor.button("Ușa").click();
    await page.follow("Home");
    await answer("Keep editing");
    expect(await page.isAskedOn("reload", false)).toBe(true);
    await editor.button("Save").click();
    await page.screen("plan/1").button("Ușa: Closed").shown();
    await page.follow("Home");
    await page.screen("status").complete();
  });

  test("of an intervention while it is saved stays and is saved next, also what another user has changed", async () => {
    const form = await opened("interventions/new");
    await form.field("Name").fill("Verificarea centralei");
    for (const [before, pattern, after] of [
      [undefined, "**/interventii", "la ora 9"],
      [{ crews: 3 }, "**/interventii/*", "la ora 10"],
    ] as const) {
      const [known] = await recordsNamed("Verificarea centralei");
      if (before) await site.control.put(`/interventii/${known?.id}`, before);
      const slow = await page.holdResponses(pattern);
      await form.button("Save").click();
      await slow.held();
      await form.markup("form[aria-busy=true]").shown();
      await form.field("Notes").fill(after);
      slow.release();
      await page.notice.text("Saved, without what you have entered since. Save again.").shown();
      await form.field("Notes").holds(after);
      await form.field("Description").fill(`înainte ${after}`);
    }
    await eventually("the second save", async () => (await recordsNamed("Verificarea centralei"))[0]?.notes);
    expect(await recordsNamed("Verificarea centralei")).toMatchObject([
      { notes: "la ora 9", description: "înainte la ora 9", crews: 3 },
    ]);
    await form.button("Save").click();
    const saved = await page.arrival(/^interventions\/\d+$/);
    await saved.complete();
    expect(await recordsNamed("Verificarea centralei")).toMatchObject([
      { notes: "la ora 10", description: "înainte la ora 10", crews: 3 },
    ]);
  });

  test("of an intervention stays when another user deletes it, and the form reports it", async () => {
    const one = { name: "Verificarea sirenei", objectiveType: "obiective/cladiri", objectiveId: 12 };
    const record = await site.control.post<Intervention>("/interventii", one);
    const form = await opened(`interventions/${record.id}/edit`);
    await form.field("Notes").fill("sirena din spate");
    await site.control.delete(`/interventii/${record.id}`);
    await form.text(`intervention ${record.id} does not exist`).shown();
    await form.field("Notes").holds("sirena din spate");
  });

  test("of a floor plan while it is saved stays and is saved next", async () => {
    const editor = await opened("plan/1/edit");
    const slow = await page.holdResponses("**/site/plans/1");
    await editor.button(/^Ușa: 50 %/).click();
    await page.press("ArrowRight");
    await editor.button("Save").click();
    await slow.held();
    await editor.button(/^Ușa: 51 %/).click();
    await page.press("ArrowRight");
    slow.release();
    await page.notice.text("Saved, without what you have entered since. Save again.").shown();
    await editor.button(/^Ușa: 52 %/).shown();
    await editor.button("Save").click();
    await page.screen("plan/1").button("Ușa: Closed").shown();
    expect(await site.daemon.get<PlanView[]>("/site/plans")).toMatchObject([
      { pins: [{ zone: "usa", x: 52, y: 50 }] },
    ]);
  });

  const recordsNamed = async (name: string): Promise<Intervention[]> =>
    (await site.daemon.get<Intervention[]>("/interventii")).filter((one) => one.name === name);

  test(
    "is asked about in the language of the user, with the focus back in the screen",
    async () => {
      const form = await opened("interventions/new");
      await form.field("Name").fill("Verificarea sirenei");
      const again = async (): Promise<void> => {
        await page.menu.markup('a[href="#/zones"]').click();
        await page.openDialog.shown();
      };
      await page.speak("RO");
      await again();
      await page.openDialog.button("Continuare editare").click();
      await page.dialog("Părăsiți ecranul fără salvare?").gone();
      await eventually("the focus in the page", () =>
        page.evaluate<boolean>("document.activeElement !== document.body"),
      );
      expect(await violationsInAllThemes(page, again, ["Verificarea sirenei", "Hala Nord"])).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );
});
