import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { PanelSite } from "../support/panel-site.ts";

const NOT_UPDATED = /^A part of this screen has not been updated since \d\d:\d\d:\d\d\.$/;

describeWithBrowser("a screen whose last request has failed", () => {
  const site = PanelSite.running();

  test("asks again by itself: a new alarm is shown without another event", async () => {
    const page = await site.page("interventions");
    const list = page.screen("interventions");
    await list.text("No interventions yet. Each alarm creates one.").shown();
    const watching = await site.page("events");
    const requests = await page.failRequests("**/interventii?*");
    await site.daemon.run(["trip", "--zone", "front-door"]);
    // The last event of the trip.
    await watching
      .screen("events")
      .listItem(/Ușa principală: Open.*recorded as an intervention/)
      .shown();
    await requests.failed();
    await list.text(NOT_UPDATED).shown();
    await list.text("No interventions yet. Each alarm creates one.").shown();
    await page.speak("RO");
    await list.text(/^O parte a ecranului nu s-a actualizat de la \d\d:\d\d:\d\d\.$/).shown();
    await page.speak("EN");
    await requests.stop();
    await list.row(/Ușa principală/).shown();
    await list.without(list.text(NOT_UPDATED));
    await page.close();
    await watching.close();
  });

  test("asks again by itself also if it has never had a response", async () => {
    const page = await site.page("status");
    const requests = await page.failRequests("**/interventii?*");
    const list = await page.open("interventions");
    await requests.failed();
    await list.button("Retry").shown();
    await requests.stop();
    await list.row(/Ușa principală/).shown();
    await page.close();
  });

  test("no longer shows a record that another user has deleted", async () => {
    const dataDir = join(site.installation.folder, "site");
    const record = { name: "Ronda", objectiveType: "obiective/cladiri", objectiveId: 12 };
    const { value } = await askDaemon(dataDir, "POST", "/interventii", record);
    const { id } = value as { readonly id: number };
    const page = await site.page(`interventions/${id}`);
    const shown = page.screen(`interventions/${id}`);
    await shown.heading(`#${id} Ronda`).shown();
    expect((await askDaemon(dataDir, "DELETE", `/interventii/${id}`)).status).toBe(204);
    await shown.text(`intervention ${id} does not exist`).shown();
    await shown.heading(`#${id} Ronda`).gone();
  });
});
