import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import { ApiUser } from "../support/api-user.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { reportNow } from "../support/fleet.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const NAMES = [
  "Hala Est",
  "Hala Vest",
  "hala-est",
  "hala-vest",
  "Dispecerat",
  "Poarta de est",
  "Poarta de vest",
];
/** Eight looks, on a busy machine. */
const LOOKS_TIMEOUT_MS = 180_000;

describeWithBrowser("the interventions of one site at a dispatch centre", () => {
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
      "objectives: { obiective/cladiri: [ { id: 1, name: Hala Est }, { id: 2, name: Hala Vest } ] }\n",
    "centre",
  );
  let page: PanelPage;
  beforeAll(async () => {
    const ask = async (path: string, body: object): Promise<unknown> => {
      const { status, value } = await askDaemon(join(centre.installation.folder, "site"), "POST", path, body);
      expect([path, status < 300]).toEqual([path, true]);
      return value;
    };
    for (const [index, side] of ["est", "vest"].entries()) {
      const site = `hala-${side}`;
      const objectiveId = index + 1;
      await ask("/site-reports", {
        ...reportNow(),
        ref: site,
        name: side === "est" ? "Hala Est" : "Hala Vest",
      });
      const { code } = (await ask("/enrolments", {
        site,
        objectives: [`obiective/cladiri/${objectiveId}`],
      })) as EnrolmentCode;
      await ask("/enrolments/claim", { code, site, password: SITE_PASSWORD });
      await ask("/interventii", {
        name: `Poarta de ${side}`,
        objectiveType: "obiective/cladiri",
        objectiveId,
      });
    }
    page = await centre.page("sites");
  });

  test("are one press away in the list of sites and on the page of the site", async () => {
    const sites = page.screen("sites");
    await sites.link("Interventions of Hala Est").click();
    const list = page.screen("interventions");
    await list.link("Poarta de est").shown();
    await list.text("1–1 of 1").shown();
    await list.field("Site").holds("hala-est");
    await list.button("All interventions").click();
    await list.text("1–2 of 2").shown();
    await list.field("Site").holds("");
    await page.open("sites");
    await sites.link("Hala Vest").click();
    const site = await page.arrival(/^sites\/\d+$/);
    await site.link("Interventions").click();
    await list.link("Poarta de vest").shown();
    await list.text("1–1 of 1").shown();
  });

  test("are chosen among the sites that match what is typed, and the address keeps the choice", async () => {
    const list = await page.open("interventions");
    await list.field("Site").fill("Hala V");
    await list.markup("datalist option[value=hala-vest]").present();
    await list.markup("datalist option[value=hala-est]").gone();
    // What is typed is not yet a choice.
    await list.text("1–2 of 2").shown();
    await list.field("Site").fill("hala-vest");
    await list.text("1–1 of 1").shown();
    await list.link("Poarta de vest").shown();
    await page.reload();
    await list.field("Site").holds("hala-vest");
    await list.link("Poarta de vest").shown();
    await list.link("Poarta de est").gone();
    await list.field("Site").fill("");
    await list.text("1–2 of 2").shown();
  });

  test("are those of the site whose name is typed, or of the only one that it matches", async () => {
    const list = await page.open("interventions");
    for (const text of ["Hala Est", "la e"]) {
      await list.field("Site").fill(text);
      await page.press("Enter");
      await list.text("1–1 of 1").shown();
      await list.link("Poarta de est").shown();
      await list.field("Site").holds("hala-est");
      await list.field("Site").fill("");
      await list.text("1–2 of 2").shown();
    }
  });

  test("stay as they are for a site that is not in the list, with what to do, in the language of the user", async () => {
    const list = await page.open("interventions");
    for (const text of ["hala-nord", "Hala"]) {
      await list.field("Site").fill(text);
      await page.press("Enter");
      await list.text("Choose a site from the list.").shown();
      await list.text("1–2 of 2").shown();
    }
    await page.speak("RO");
    await list.text("Alegeți o locație din listă.").shown();
    await page.speak("EN");
    await list.field("Site").fill("hala-vest");
    await list.text("1–1 of 1").shown();
    await list.text("Choose a site from the list.").gone();
    await list.button("All interventions").click();
    await list.text("1–2 of 2").shown();
  });

  test(
    "have a list and a way to it that are accessible in every look",
    async () => {
      const chosen = async (): Promise<void> => {
        const list = await page.open("interventions?site=hala-est");
        await list.link("Poarta de est").shown();
      };
      expect(await violationsInAllThemes(page, chosen, NAMES)).toEqual([]);
      const ways = async (): Promise<void> => {
        await (await page.open("sites")).link("Hala Est").shown();
      };
      expect(await violationsInAllThemes(page, ways, NAMES)).toEqual([]);
      expect(centre.pageErrors).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("name the site that has created them, in the list and in the record", async () => {
    const account = { email: "hala-est@sites.santinela.local", password: SITE_PASSWORD };
    const site = await ApiUser.signIn(centre.port, account);
    const fields = { name: "Contact", objectiveType: "obiective/cladiri", objectiveId: 1 };
    await site.ask("POST", "/interventii", fields);
    const list = await page.open("interventions");
    await list.row(/Contact.*Site: Hala Est/s).shown();
    await list.row(/Poarta de est.*Site:/s).gone();
    await list.link("Contact").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.text("Hala Est (hala-est)").shown();
    expect(centre.pageErrors).toEqual([]);
  });
});
