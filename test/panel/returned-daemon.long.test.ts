import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { PlanView } from "../../src/site/plan-view.ts";
import { ApiUser } from "../support/api-user.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { EDGE } from "../support/installation.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

/** The smallest PNG picture: one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";

describeWithBrowser("a page whose daemon was restarted", () => {
  const site = PanelSite.running(
    "",
    editableSite("id: usa, name: Ușa, kind: intrusion", "id: geam, name: Geam, kind: glass"),
  );
  beforeAll(async () => {
    // Restart with a fixed port, which later restarts keep.
    await site.daemon.end("SIGTERM");
    await site.startAgain();
  });

  test("shows its new options on the screen that is open", async () => {
    const page = await site.page("settings?open=configuration");
    const settings = page.screen("settings");
    await settings.row(/log\.level "info" default/).shown();
    appendFileSync(join(site.installation.folder, "site.yaml"), "log: { level: debug }\n");
    await site.daemon.end("SIGTERM");
    await page.staleBar.shown();
    await site.startAgain();
    await settings.row(/log\.level "debug" .*site\.yaml:\d+:\d+/).shown();
    await page.close();
  });

  test("keeps the form of a zone as it was left, with the focus in its field", async () => {
    const page = await site.page("zones/form?zone=usa");
    const form = page.screen("zones/form");
    await form.field("Name").fill("Ușa mare");
    await site.daemon.end("SIGTERM");
    await page.staleBar.shown();
    const read = await page.holdResponses("**/site/configuration/zones");
    await site.startAgain();
    await read.held();
    read.release();
    await page.staleBar.gone();
    await form.complete();
    await form.field("Name").holds("Ușa mare");
    expect(await form.field("Name").hasFocus()).toBe(true);
    await form.button("Review the change").click();
    await page
      .screen("zones/review")
      .text(/Ușa mare/)
      .shown();
    await page.close();
  });

  test("asks for each list once at its start", async () => {
    const page = await site.page("objectives");
    await page.screen("objectives").text("Hala Nord").shown();
    const stream = await page.holdRequests("**/site/{events,status,zones,walk-test}");
    const list = await page.holdResponses("**/obiective/cladiri?*");
    list.release();
    await page.reload();
    await page.screen("objectives").text("Hala Nord").shown();
    stream();
    await page.banner.badge("live").shown();
    await page.evaluate(TWO_FRAMES);
    await page.screen("objectives").complete();
    expect(list.count()).toBe(1);
    await page.close();
  });

  test("shows the places that another administrator gives the zones on a floor plan", async () => {
    const page = await site.page("plan");
    await page
      .screen("plan")
      .text(/^No floor plan yet/)
      .shown();
    const other = await ApiUser.signIn(site.port, EDGE);
    await other.send("POST", "/site/plans?name=Parter", PICTURE);
    await page.screen("plan").image("Plan: Parter").shown();
    const [plan] = await other.ask<PlanView[]>("GET", "/site/plans");
    await other.ask("PUT", `/site/plans/${plan?.id}`, { pins: [{ zone: "usa", x: 20, y: 80 }] });
    await page
      .screen("plan")
      .button(/^Ușa: /)
      .shown();
    const sheet = await page.open("zones?zone=geam");
    await page.openDialog.text("Geam").shown();
    await other.ask("PUT", `/site/plans/${plan?.id}`, { pins: [{ zone: "geam", x: 20, y: 80 }] });
    await page.openDialog.link("Show on the floor plan").shown();
    await sheet.complete();
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
});
