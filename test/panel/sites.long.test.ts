import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SiteReport } from "../../src/domain/site-report.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import { pause } from "../support/installation.ts";
import type { Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/** Two dozen reports of a site that works may be late on a busy machine. */
const SILENT_S = 12;
const REPORT_EVERY_MS = 500;
const NAMES = [
  "Hala Nord",
  "Depozit Sud",
  "Sediu Est",
  "Dispecerat",
  "Incendiu: Fum depozit",
  /Locația nu mai comunică[^\n]*/g,
];

describeWithBrowser("a dispatcher who looks at all sites", () => {
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Dispecerat, locale: ro }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
      `fleet: { silentS: ${SILENT_S} }\nobjectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\n`,
    "centre",
  );
  const ask = (method: "GET" | "POST", path: string, body?: unknown) =>
    askDaemon(join(centre.installation.folder, "site"), method, path, body);
  const report = async (fields: Partial<SiteReport>): Promise<void> => {
    expect((await ask("POST", "/site-reports", { ...reportNow(), ...fields })).status).toBe(204);
  };
  const end = new AbortController();
  let reporting = Promise.resolve();

  /** Two sites that report as long as the tests run. */
  async function keepReporting(): Promise<void> {
    while (!end.signal.aborted) {
      await report({});
      await report({
        ref: "sud",
        name: "Depozit Sud",
        level: "alarm",
        reasons: [{ code: "alarm-unfinished", count: 3 }],
        alarm: { name: "Incendiu: Fum depozit", ageS: 840 },
        unfinished: 4,
      });
      await pause(REPORT_EVERY_MS);
    }
  }

  beforeAll(async () => {
    await report({ ref: "est", name: "Sediu Est", backlog: { records: 3, oldestS: 900 } });
    reporting = keepReporting();
    await eventually("the silence", async () => {
      const { value } = await ask("GET", "/sites?silent=1");
      return (value as unknown[]).length === 1;
    });
    const done = {
      name: "Revizie",
      objectiveType: "obiective/cladiri",
      objectiveId: 1,
      dateStart: "2026-01-15T02:00:00",
      status: "done",
      priority: "low",
      type: "inspection",
    };
    expect((await ask("POST", "/interventii", done)).status).toBe(201);
  });
  afterAll(async () => {
    end.abort();
    await reporting;
  });

  const allRows = async (sites: Screen): Promise<void> => {
    for (const name of ["Depozit Sud", "Sediu Est", "Hala Nord"]) await sites.row(new RegExp(name)).shown();
  };

  test("sees the share of each level and of silent sites, and filters by the legend, also after a reload", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await allRows(sites);
    await sites.image("1 in alarm, 1 with a fault, 1 OK, 1 silent").shown();
    await sites.pressedButton("All 3").shown();
    await sites.button("1 in alarm").click();
    await sites.row(/Sediu Est/).gone();
    await sites.button("1 silent").click();
    await sites.row(/Depozit Sud/).gone();
    await sites.row(/Sediu Est/).shown();
    await page.reload();
    await sites.pressedButton("1 silent").shown();
    await sites.row(/Sediu Est/).shown();
    await sites.without(sites.row(/Depozit Sud/));
    await page.speak("RO");
    await sites.image("1 în alarmă, 1 cu deranjament, 1 în regulă, 1 nu mai comunică").shown();
    await sites.button("Toate 3").click();
    await allRows(sites);
    expect(await violationsInAllThemes(page, () => sites.row(/Sediu Est/).shown(), NAMES)).toEqual([]);
    expect(centre.pageErrors).toEqual([]);
    await page.close();
  });

  test("reads that the backlog of a silent site is not known, in both languages", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.row(/Sediu Est.*silent since.*queued records: \?/s).shown();
    // What is wrong, where and for how long, before how many there are.
    await sites.row(/Depozit Sud.*Incendiu: Fum depozit, 14 min · 3 unfinished alarms.*4/s).shown();
    await page.speak("RO");
    await sites.row(/Sediu Est.*nu mai comunică de la.*înregistrări în așteptare: \?/s).shown();
    await page.close();
  });

  test("opens a site with its unfinished interventions, that of its silence among them", async () => {
    const page = await centre.page("sites");
    await page.screen("sites").link("Sediu Est").click();
    const site = await page.arrival(/^sites\/\d+$/);
    await site.heading("Unfinished interventions: Hala Nord").shown();
    await site.row(/Sediu Est.*planned.*medium/s).shown();
    await site.without(site.row(/Revizie/));
    const open = (): Promise<void> => site.row(/Sediu Est.*(planned|planificată)/s).shown();
    expect(await violationsInAllThemes(page, open, NAMES)).toEqual([]);
    await site.link(/Sediu Est$/).click();
    await page.arrival(/^interventions\/\d+$/);
    expect(centre.pageErrors).toEqual([]);
    await page.close();
  });
});
