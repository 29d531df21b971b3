import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import { deadCentre, PanelSite } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/accessibility-checks.ts";

describeWithBrowser("an alarm that the dispatch centre does not know of", () => {
  const site = PanelSite.running(deadCentre("phone: 0264 555 012", "undeliveredS: 5"));

  test("is reported, with the telephone of the centre", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const card = home.listItem(/Fum depozit.*Contact.*Journal.*Record.*Centre/);
    await card.shown();
    await card.text("The dispatch centre has NOT received this alarm yet.").shown();
    expect(await card.link("Call 0264 555 012").attribute("href")).toBe("tel:0264555012");
    await card.button("Send now").shown();
    const headline = home.markup(".hero");
    await headline.text("The dispatch centre has NOT received 1 alarm").shown();
    expect(await headline.link("Call 0264 555 012").attribute("href")).toBe("tel:0264555012");
    const { journeys } = await site.daemon.get<StatusView>("/site/status");
    expect(journeys).toMatchObject([
      { interventionId: 1, centre: { isUndelivered: true, upstreamId: null } },
    ]);
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    await page.look("dark", 360);
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
  });

  test("is reported on its own screen too, to which the headline leads", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    // An upgrade in the meantime has other scripts.
    const gone = await page.failRequests("**/queued-text*");
    await home.button("Send now").click();
    await gone.failed();
    await page.notice.text("1 record queued").shown();
    await gone.stop();
    await page.reload();
    await home.link("Open intervention #1").click();
    const one = page.screen("interventions/1");
    await one.text("The dispatch centre has NOT received this alarm yet.").shown();
    expect(await one.link("Call 0264 555 012").attribute("href")).toBe("tel:0264555012");
    await one.button("Send now").click();
    await page.notice
      .text("Not sent. The server of the dispatch centre refuses the connection. Call the dispatch centre.")
      .shown();
    await page.speak("RO");
    await one.text("Dispeceratul NU a primit încă această alarmă.").shown();
    // What became of the trip must not be read as an arrival.
    await one.text("înregistrată ca intervenție").shown();
    await page.speak("EN");
    await one.text("recorded as an intervention").shown();
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
  });

  test("is explained at the side by the cause of the lost link, with what to do", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    for (const [language, cause, remedy] of [
      [
        "EN",
        "The server of the dispatch centre refuses the connection.",
        "check the port in upstream.baseUrl",
      ],
      ["RO", "Serverul dispeceratului respinge conexiunea.", "verificați portul din upstream.baseUrl"],
    ] as const) {
      await page.speak(language);
      const card = home.markup("[data-link=down]");
      await card.text(cause).shown();
      expect(await card.markup("[data-cause=refused]").words()).toContain(remedy);
      // The technician's words stay in brackets.
      await card.text(/ECONNREFUSED 127\.0\.0\.1:9/).shown();
      await (await page.open("sync")).text(cause).shown();
      await page.open("status");
    }
    await page.speak("EN");
  });

  test("is in the list with the next attempt to send it", async () => {
    const page = await site.page("interventions");
    const list = page.screen("interventions");
    await list.row(/Fum depozit.*attempt \d+\s*at \d\d:\d\d:\d\d/).shown();
    await page.speak("RO");
    await list.row(/Fum depozit.*încercarea \d+\s*la \d\d:\d\d:\d\d/).shown();
    await page.speak("EN");
    await page.look("light", 360);
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
  });

  test("gives the focus back to its tile after the sheet and its dialog", async () => {
    const page = await site.page("zones");
    const tile = page.screen("zones").tile("PIR hol");
    const sheet = await page.openZone("PIR hol");
    await sheet.button("Bypass…").click();
    await page.dialog("Bypass PIR hol").shown();
    await page.press("Escape");
    await page.dialog("Bypass PIR hol").gone();
    await eventually("the focus on the button", () => sheet.button("Bypass…").hasFocus());
    await page.press("Escape");
    await sheet.gone();
    await eventually("the focus on the tile", () => tile.hasFocus());
  });

  test("says that it is offline when it is opened without the daemon", async () => {
    // Browsers allow it only on the device itself or over TLS.
    const page = await site.pageOnDevice();
    await page.openFirst();
    await eventually("the worker", () => page.evaluate("navigator.serviceWorker.ready.then(() => true)"));
    const manifest = await page
      .headLink("manifest")
      .evaluate<{ name: string }>("fetch(part.href).then((found) => found.json())");
    expect(manifest.name).toBe("Santinela");
    await site.daemon.end("SIGTERM");
    await page.reload();
    await page.offlineTitle("Santinela is offline").shown();
    await site.startAgain();
  });

  test("is dark if the user chose so, also after a reload", async () => {
    const page = await site.page("status");
    await page.userMenu();
    await page.banner.button("Dark").click();
    const theme = (): Promise<string> => page.evaluate("document.documentElement.dataset.theme");
    await eventually("the dark theme", async () => (await theme()) === "dark");
    await page.reload();
    await page.screen("status").heading("Fire alarm").shown();
    expect(await theme()).toBe("dark");
  });
});

describeWithBrowser("an alarm that has arrived", () => {
  const elsewhere = Installation.temporary(afterAll);
  let site: PanelSite;
  let centre: DaemonProcess;
  beforeAll(async () => {
    const started = await startCentre(
      elsewhere,
      "objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }\n",
    );
    ({ centre } = started);
    site = new PanelSite(upstreamYaml(started.port));
    await site.start();
  });
  afterAll(() => site.stop());

  test("shows its number at the centre and what the centre has", async () => {
    const page = await site.page("status");
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const card = page
      .screen("status")
      .listItem(/Fum depozit.*Contact.*Journal.*Record.*Centre\s?\d\d:\d\d:\d\d/);
    await card.text(/^ID \d+ at the dispatch centre$/).shown();
    await card.text(/^Dispatch centre: planned, \d+ crews?$/).shown();
    await card.text(/has NOT received/).gone();
    const list = await page.open("interventions");
    await list.row(/Fum depozit.*ID \d+/).shown();
    await page.speak("RO");
    await list.row(/Fum depozit.*nr\. \d+/).shown();
    const { journeys } = await site.daemon.get<StatusView>("/site/status");
    expect(journeys).toMatchObject([
      { interventionId: 1, isAlarm: true, isJournaled: true, zone: { id: "smoke", kind: "fire" } },
    ]);
    expect(journeys[0]?.centre).toMatchObject({
      isUndelivered: false,
      attempts: 0,
      arrivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test("waits again as soon as a later trip has not arrived", async () => {
    await centre.end("SIGTERM");
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const page = await site.page("status");
    const card = page.screen("status").listItem(/Fum depozit.*Contact.*Journal.*Record.*Centre/);
    await card.text(/^(?:trip waiting|attempt \d+)$/).shown();
    await eventually("the warning", async () => {
      const { journeys } = await site.daemon.get<StatusView>("/site/status");
      return journeys[0]?.centre?.tripWaitingSince !== null;
    });
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
  });
});
