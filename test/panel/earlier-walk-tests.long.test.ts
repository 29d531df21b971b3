import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { EndedWalkTestView, WalkTestView, ZoneView } from "../../src/site/zone-view.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

const NAMES = ["Ușa principală", "PIR hol", "Fum depozit", "Hala Nord"];
const MINUTE_MS = 60_000;
/** Four looks in each language, on a busy machine. */
const LOOKS_TIMEOUT_MS = 120_000;

describeWithBrowser("a technician with several walk tests", () => {
  const site = PanelSite.running();
  const client = new ControlClient(join(site.installation.folder, "site"));
  const walkTest = (body: object): Promise<WalkTestView> => client.post("/site/walk-test", body);
  let page: PanelPage;
  let walk: Screen;
  beforeAll(async () => {
    page = await site.page("walk-test");
    walk = page.screen("walk-test");
    await walkTest({ minutes: 10 });
  });

  test("reads what to do at each zone, in both languages", async () => {
    await walk.text("Open it and close it again.").shown();
    await walk.text("Walk past the detector.").shown();
    await walk.text("Hold its TEST button, or use a test aerosol.").shown();
    await page.speak("RO");
    await walk.text("Treceți prin fața detectorului.").shown();
    await page.speak("EN");
  });

  test("gives the running one 15 minutes more, as far as it may last", async () => {
    await walk.button("+15 min").click();
    await walk.text(/^2[45]:\d\d left$/).shown();
    const { since, until } = await client.get<WalkTestView>("/site/walk-test");
    expect(Date.parse(until) - Date.parse(since)).toBe(25 * MINUTE_MS);
    await walkTest({ extend: true, minutes: 240 });
    await walk.button("+15 min").gone();
    await walk.button("End walk test").shown();
  });

  test("reads that the counting goes on while the page has lost the daemon", async () => {
    await site.daemon.end("SIGKILL");
    await walk.text("No connection to the daemon. It continues to count trips until the test ends.").shown();
    await site.startAgain();
    await page.staleBar.gone();
    await walk.text(/continues to count/).gone();
    await walk.heading("0 of 3 zones tested").shown();
  });

  test("reads in the report why a zone was not tested", async () => {
    for (const more of [[], ["--restore"]]) await site.daemon.run(["trip", "--zone", "front-door", ...more]);
    await site.daemon.run(["zones", "bypass", "--zone", "smoke", "--reason", "praf", "--minutes", "60"]);
    await walkTest({ end: true });
    await walk.heading("Walk test report no. 1").shown();
    await walk.row(/Fum depozit fire – – ×0 not tested: bypassed/).shown();
    await walk.row(/PIR hol motion – – ×0 not tested$/).shown();
    await walk.row(/Ușa principală intrusion [\d:]{8} [\d:]{8} ×1 tested/).shown();
  });

  test("opens the report of an earlier one, which stays as it was without its zone", async () => {
    await walkTest({ minutes: 10 });
    await walkTest({ end: true });
    await walk.heading("Walk test report no. 2").shown();
    const file = join(site.installation.folder, "site.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^.*id: smoke.*\n/m, ""));
    site.daemon.hangUp();
    await eventually("two zones", async () => (await client.get<ZoneView[]>("/site/zones")).length === 2);
    const list = walk.region("Earlier walk tests");
    await list.row(/Walk test report no\. 1 .* control socket 1 of 3 zones tested/).shown();
    await list.link("Walk test report no. 1").click();
    const report = page.screen("walk-test/1");
    await report.heading("Walk test report no. 1").shown();
    await report.row(/Fum depozit fire – – ×0 not tested: bypassed/).shown();
    const ended = await client.get<EndedWalkTestView[]>("/site/walk-tests");
    await report.text(ended.find(({ number }) => number === 1)?.sha256 ?? "").shown();
    await page.asPrinted(true);
    await eventually("the report alone", async () => !(await report.link("Walk test").isShown()));
    await page.asPrinted(false);
    await report.link("Walk test").click();
    await walk.heading("Walk test report no. 2").shown();
  });

  test(
    "finds both accessible and not clipped in every look",
    async () => {
      const open = async (): Promise<void> => (await page.open("walk-test/1")).markup(".report").shown();
      expect(await violationsInAllThemes(page, open, NAMES)).toEqual([]);
      const openList = async (): Promise<void> =>
        (await page.open("walk-test")).markup("a[href='#/walk-test/1']").shown();
      expect(await violationsInAllThemes(page, openList, NAMES)).toEqual([]);
      expect([site.foreignRequests, site.pageErrors]).toEqual([[], []]);
    },
    LOOKS_TIMEOUT_MS * 2,
  );
});
