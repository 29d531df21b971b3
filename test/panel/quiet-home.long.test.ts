import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { ZoneHistoryView } from "../../src/site/zone-view.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { editableSite, PanelSite, signIn } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const DAY_MS = 86_400_000;
const LOOKS_TIMEOUT_MS = 120_000;
const VIEWER = { email: "vio@site.example", password: "correct horse battery staple" };

/** A day of the week that is neither today nor beside it, in any time zone: a zone with this schedule is not armed. */
const OTHER_DAY = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][
  new Date(Date.now() + 3 * DAY_MS).getUTCDay()
];

describeWithBrowser("Home while all is well", () => {
  const site = PanelSite.running(
    "",
    editableSite(
      `id: usa, name: Ușa, kind: intrusion, gate: { schedule: "${OTHER_DAY} 10:00-11:00" }`,
      `id: birou, name: Birou, kind: motion, gate: { schedule: "${OTHER_DAY} 10:00-11:00" }`,
    ),
  );
  const move = async (zone: string): Promise<void> => {
    const daemon = new ControlClient(join(site.installation.folder, "site"));
    for (const contact of ["open", "normal"]) await daemon.post("/site/simulate", { zone, contact });
  };
  beforeAll(async () => {
    await site.daemon.addAccount(VIEWER, "viewer");
    await move("birou");
    await move("usa");
  });

  test(
    "tells a viewer what moved last and how many trips there were, as it happens, in both languages",
    async () => {
      const page = await site.signedOutPage();
      await page.open("status");
      await signIn(page, VIEWER.password, VIEWER.email);
      const home = page.screen("status");
      await home.heading("All is well").shown();
      const moved = home.region("Most recent zone changes");
      await moved.markup("li:nth-child(1)").link(/^Ușa/).shown();
      await moved
        .markup("li:nth-child(2)")
        .link(/^Birou/)
        .shown();
      await moved.text("2 trips in the last 24 hours").shown();
      await move("birou");
      await moved
        .markup("li:nth-child(1)")
        .link(/^Birou/)
        .shown();
      await moved.text("3 trips in the last 24 hours").shown();
      await page.speak("RO");
      await home.region("Ultimele schimbări de stare").text("3 declanșări în ultimele 24 de ore").shown();
      const open = (): Promise<void> => home.heading(/^(All is well|Totul este în regulă)$/).shown();
      expect(await violationsInAllThemes(page, open, ["Hala Nord", "Ușa", "Birou"])).toEqual([]);
      await moved.link(/^Birou/).click();
      await page.dialog("Birou").shown();
      expect(site.pageErrors).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("forgets the trips that are a day old, and its clock goes on, although nothing else changes", async () => {
    const context = await site.contextWithTime();
    await context.clock.install();
    const page = await site.page("status", context);
    const moved = page.screen("status").region("Most recent zone changes");
    await moved.text(/^[1-9]\d* trips in the last 24 hours$/).shown();
    const clock = (): Promise<string> => page.menu.text(/^Site time/).words();
    const before = await clock();
    // The stream ends with its silence; what would come after it is held.
    await page.holdRequests("**/site/{events,status,zones,walk-test}");
    await page.changeResponses("**/site/zones/history?hours=24", 1_000, (zones) =>
      (zones as ZoneHistoryView[]).map((zone) => ({ ...zone, trips: [] })),
    );
    await context.clock.fastForward(60_000);
    await moved.text("0 trips in the last 24 hours").shown();
    await eventually("the next minute", async () => (await clock()) !== before);
    await context.close();
  });
});

describeWithBrowser("Home of a site without zones", () => {
  let site: PanelSite;
  let devices: AnnouncingDevices;
  beforeAll(async () => {
    site = new PanelSite(
      "",
      `site: { name: Hala Nord, ref: hala-nord }\nhttp: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }\n` +
        `mqtt: { listen: { port: 0 } }\ngpio: { backend: simulated }\n`,
    );
    await site.start();
    devices = await AnnouncingDevices.at(`mqtt://127.0.0.1:${site.mqttPort}`);
  });
  afterAll(async () => {
    await devices.end();
    await site.stop();
  });

  test(
    "says how many sensors were found, and leads to them",
    async () => {
      const page = await site.page();
      const home = page.screen("status");
      await home.heading("No zones yet").shown();
      await home.link(/^\d+ sensors found$/).shown();
      await page.speak("RO");
      await home.link(/^\d+ (de )?senzori găsiți$/).shown();
      const open = (): Promise<void> => home.link(/^\d+ (sensors found|(de )?senzori găsiți)$/).shown();
      expect(await violationsInAllThemes(page, open, ["Hala Nord"])).toEqual([]);
      await home.link(/^\d+ sensors found$/).click();
      await page.screen("zones/found").heading("Sensors found").shown();
      expect(site.pageErrors).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("ends the search after ten minutes on a page that is left open, and goes on when asked", async () => {
    const context = await site.context();
    await context.clock.install();
    let asked = 0;
    context.on("request", (request) => {
      if (request.url().endsWith("/site/discovered")) asked += 1;
    });
    const page = await site.page("status", context);
    const home = page.screen("status");
    await home.link(/^\d+ sensors found$/).shown();
    await context.clock.fastForward(600_000);
    const over = home.text("The search for sensors ended after ten minutes.");
    await over.shown();
    const before = asked;
    await context.clock.fastForward(60_000);
    await home.button("Search again").shown();
    expect(asked).toBe(before);
    await home.button("Search again").click();
    await over.gone();
    await home.link(/^\d+ sensors found$/).shown();
    expect(asked).toBeGreaterThan(before);
    await page.close();
  });
});
