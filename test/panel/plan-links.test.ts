import { beforeAll, expect, test } from "vitest";
import type { JourneyView } from "../../src/site/journey-view.ts";
import type { PlanView } from "../../src/site/plan-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { ApiUser } from "../support/api-user.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

/** The smallest PNG picture: one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const TO_SMOKE = "a[href='#/plan?zone=smoke']";

describeWithBrowser("a zone with a place on the second of two floor plans", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeAll(async () => {
    const user = await ApiUser.signIn(Number(new URL(site.address).port), EDGE);
    for (const name of ["Parter", "Etaj"]) await user.send("POST", `/site/plans?name=${name}`, PICTURE);
    const [ground, upper] = await user.ask<PlanView[]>("GET", "/site/plans");
    await user.ask("PUT", `/site/plans/${ground?.id}`, { pins: [{ zone: "front-door", x: 20, y: 80 }] });
    await user.ask("PUT", `/site/plans/${upper?.id}`, { pins: [{ zone: "smoke", x: 60, y: 30 }] });
    page = await site.page("zones");
  });

  /** The upper floor is shown, with the smoke detector marked and in words. */
  async function isMarked(): Promise<void> {
    const plan = page.screen("plan");
    await plan.pressedButton(/^Etaj/).shown();
    await plan.pressedButton(/^Fum depozit: /).shown();
    await plan.heading("Fum depozit").shown();
  }

  test("is found from its sheet, in both languages; a zone without a place has no such link", async () => {
    await (await page.openZone("Fum depozit")).link("Show on the floor plan").click();
    await isMarked();
    const zones = await page.open("zones");
    const other = await page.openZone("PIR hol");
    await zones.without(other.link("Show on the floor plan"));
    await page.press("Escape");
    await page.speak("RO");
    await (await page.openZone("Fum depozit")).link("Afișare pe plan").click();
    await isMarked();
    await page.speak("EN");
  });

  test("is found from its alarm on Home, although the first floor has an alarm too", async () => {
    for (const zone of ["smoke", "front-door"]) await site.daemon.run(["trip", "--zone", zone]);
    const home = await page.open("status");
    const link = home.markup(TO_SMOKE);
    await link.and(home.link("Show on the floor plan")).click();
    await isMarked();
  });

  test("is found from its intervention, also when that is done", async () => {
    const journeys = await eventually("both interventions", async () => {
      const all = (await site.daemon.get<StatusView>("/site/status")).journeys;
      return all.length === 2 && all.every(({ interventionId }) => interventionId !== null) && all;
    });
    const idOf = ({ interventionId }: JourneyView): number => interventionId ?? 0;
    const [smoke] = journeys.filter(({ zone }) => zone?.id === "smoke").map(idOf);
    for (const status of ["planned", "done"]) {
      const record = await page.open(`interventions/${smoke}`);
      await record.pressedButton(status).shown();
      await record.markup(TO_SMOKE).click();
      await isMarked();
      if (status === "done") break;
      await page.open(`interventions/${smoke}`);
      await record.button("done").click();
      // Its zone is still open.
      await page.openDialog.button("Set to done").click();
      await record.pressedButton("done").shown();
    }
    expect(site.pageErrors).toEqual([]);
  });
});
