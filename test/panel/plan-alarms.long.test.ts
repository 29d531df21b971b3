import { beforeAll, expect, test } from "vitest";
import type { PlanView } from "../../src/site/plan-view.ts";
import { ApiUser } from "../support/api-user.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, interventionsOf } from "../support/installation.ts";
import type { Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

/** The smallest PNG picture: one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

describeWithBrowser("a floor plan during a burglary", () => {
  const site = PanelSite.running();
  beforeAll(async () => {
    const user = await ApiUser.signIn(site.port, EDGE);
    await user.send("POST", "/site/plans?name=Parter", PICTURE);
    const [plan] = await user.ask<PlanView[]>("GET", "/site/plans");
    const pins = ["front-door", "hall", "smoke"].map((zone, at) => ({ zone, x: 20 + 20 * at, y: 50 }));
    await user.ask("PUT", `/site/plans/${plan?.id}`, { pins });
  });

  test("shows each zone that takes part in it until it is done, also once all are closed again and tested", async () => {
    const page = await site.page("status");
    // The alarms do not wait for a large picture on a slow link.
    const picture = await page.holdRequests("**/picture");
    const plan = await page.open("plan");
    const alarm = (name: RegExp): Part => plan.button(name).and(plan.markup(".pin.s-alarm"));
    for (const zone of ["front-door", "hall"]) {
      await site.daemon.run(["trip", "--zone", zone]);
      await site.daemon.run(["trip", "--zone", zone, "--restore"]);
    }
    await alarm(/^Ușa principală: Closed, unfinished alarm$/).shown();
    picture();
    await plan.image("Plan: Parter").shown();
    await alarm(/^PIR hol: No motion, unfinished alarm$/).click();
    await page
      .screen("plan/1")
      .listItem(/^Contact/)
      .shown();
    await page.screen("plan/1").link("Intervention #1").shown();
    await page.screen("plan/1").button("Fum depozit: No fire").shown();
    expect(await interventionsOf(site.daemon)).toHaveLength(1);
    await site.control.post("/site/walk-test", { minutes: 10 });
    for (const contact of ["open", "normal"])
      await site.control.post("/site/simulate", { zone: "hall", contact });
    await page.walkBanner.shown();
    const other = await site.page("plan");
    await other.walkBanner.shown();
    await other.screen("plan").button("PIR hol: No motion, unfinished alarm").shown();
    await site.daemon.run(["interventions", "set", "1", "--status", "done"]);
    await other.screen("plan").button("PIR hol: Tested").shown();
    await other.screen("plan").button("Ușa principală: Closed").shown();
    await eventually("no zone in an alarm", async () => {
      const { alarmZones } = await site.daemon.get<{ alarmZones: unknown[] }>("/site/status");
      return alarmZones.length === 0;
    });
    expect(site.pageErrors).toEqual([]);
  });
});
