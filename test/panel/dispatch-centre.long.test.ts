import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { reportNow } from "../support/fleet.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";
import { accessibilityFaults, violationsInAllThemes } from "../support/accessibility-checks.ts";

const DISPATCHER = { email: "ion@centre.example", password: "another long password" };
const NAMES = ["Depozit Sud", "Sediu central", "Hala Nord", "Dispecerat", "Hol", "Alarmă de incendiu: Fum"];

describeWithBrowser("the panel of a dispatch centre", () => {
  let centre: PanelSite;
  beforeAll(async () => {
    centre = new PanelSite(
      "",
      `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
        "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord, address: Str. Fabricii 7 } ] }\n",
      "centre",
    );
    await centre.start();
    const dataDir = join(centre.installation.folder, "site");
    for (const report of [
      reportNow(),
      {
        ...reportNow(),
        ref: "depozit",
        name: "Depozit Sud",
        level: "alarm",
        reasons: [
          { code: "alarm-unfinished", count: 1, names: ["Alarmă de incendiu: Fum"] },
          { code: "zone-open", count: 3 },
        ],
        faults: [{ zone: "Hol", fault: "supervision" }],
      },
      {
        ...reportNow(),
        ref: "sediu",
        name: "Sediu central",
        level: "fault",
        conditions: ["upstream-unreachable"],
        faults: [{ zone: "Hol", fault: "tamper" }],
        backlog: { records: 3, oldestS: 900 },
      },
    ])
      expect((await askDaemon(dataDir, "POST", "/site-reports", report)).status).toBe(204);
  });
  afterAll(() => centre.stop());

  test("has sites by trouble with their history, and no zones", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.row(/Depozit Sud.*ALARM/s).shown();
    await sites.row(/Sediu central.*Fault.*Hol: Tamper.*3 records queued, the oldest for 15 min/s).shown();
    await page.menu.link("Zones").gone();
    await page.menu.link("Sync").gone();
    const listed = (): Promise<void> => sites.row(/Depozit Sud/).shown();
    expect(await violationsInAllThemes(page, listed, NAMES)).toEqual([]);
    await sites.field("Search").fill("sediu");
    await sites.row(/Depozit Sud/).gone();
    await sites.link("Sediu central").click();
    const site = page.screen("sites/3");
    await site.row(/First report: Fault/).shown();
    expect(await violationsInAllThemes(page, () => site.markup("tbody tr").shown(), NAMES)).toEqual([]);
    await page.speak("RO");
    // Figures as the language writes them.
    await site.text(/^-?[\d.]+,\d s$/).shown();
    await site.text("21.504 MB").shown();
    await page.speak("EN");
    await site.text("21,504 MB").shown();
    await page.close();
    expect(centre.pageErrors).toEqual([]);
  });

  test("shows what a site reports while the screen is open", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.row(/Hala Nord.*All is well/s).shown();
    const dataDir = join(centre.installation.folder, "site");
    const report = (level: string) => askDaemon(dataDir, "POST", "/site-reports", { ...reportNow(), level });
    expect((await report("fault")).status).toBe(204);
    await sites.row(/Hala Nord.*Fault/s).shown();
    await sites.link("Hala Nord").click();
    const site = await page.arrival(/^sites\/\d+$/);
    await site.badge("Fault").shown();
    expect((await report("well")).status).toBe(204);
    await site.badge("All is well").shown();
    await page.close();
  });

  test("names why a site has an alarm before the faults of its zones, in the words of the headline", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    const alarm =
      "1 unfinished alarm: Alarmă de incendiu: Fum · 3 zones open while armed · Hol: Not reporting";
    await sites
      .row(/Depozit Sud/)
      .text(alarm)
      .shown();
    await page.speak("RO");
    await sites
      .row(/Depozit Sud/)
      .text(/^1 alarmă nefinalizată: Alarmă de incendiu: Fum · /)
      .shown();
    await page.close();
  });

  test("shows the state of a site without breaking a word, in both languages and at every width of a laptop", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    /** States with more lines than words. */
    const badges = `[...part.querySelectorAll("td .badge")]`;
    const broken = `${badges}.filter((badge) =>
      Math.round((badge.getBoundingClientRect().height - 4) / 20) > badge.textContent.trim().split(" ").length)
      .map((badge) => badge.textContent)`;
    for (const language of ["RO", "EN"])
      for (const width of [768, 1100, 1280]) {
        await page.look("dark", width);
        await page.speak(language);
        await sites.row(/Sediu central.*(Deranjament|Fault)/s).shown();
        expect(await sites.evaluate<number>(`${badges}.length`)).toBeGreaterThan(1);
        expect([language, width, await sites.evaluate<string[]>(broken)]).toEqual([language, width, []]);
      }
    await page.close();
  });

  test("gives a site a one-time code, which enrols it once, and revokes its access", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.text("Create a one-time code").click();
    await sites.field("Reference").fill("hala-est");
    await sites.button("Create the code").click();
    const shown = await sites.text(/^sudo santinela enrol \S+ --centre http/).words();
    const [, , , code] = shown.split(" ");
    await sites.row(/hala-est.*Code not used yet.*Hala Nord/s).shown();
    const invited = () => sites.row(/hala-est/s).shown();
    expect(
      await violationsInAllThemes(page, invited, [
        ...NAMES,
        "hala-est",
        /sudo santinela enrol .*/g,
        /\S+#enrol=\S+/g,
      ]),
    ).toEqual([]);
    const dataDir = join(centre.installation.folder, "site");
    const claim = { code, site: "hala-est", password: SITE_PASSWORD };
    const claimed = await askDaemon(dataDir, "POST", "/enrolments/claim", claim);
    expect([claimed.status, claimed.value]).toMatchObject([201, { objectives: ["obiective/cladiri/1"] }]);

    // The screen on which the code was created follows.
    await sites.row(/hala-est.*Enrolled/s).shown();
    // A second code would take the account from the device that has it.
    await sites.button("Create the code").click();
    const question = page.dialog("Another code for hala-est?");
    await question.text(/the current one can no longer sign in/).shown();
    await question.button("Cancel").click();
    await sites.row(/hala-est.*Enrolled/s).shown();
    await page.speak("RO");
    await sites.button("Creare cod").click();
    await page.openDialog.text(/cel actual nu se mai poate autentifica/).shown();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.openDialog.button("Anulare").click();
    await page.speak("EN");

    const again = await centre.page("sites");
    const now = again.screen("sites");
    await now.row(/hala-est.*Enrolled/s).shown();
    await now.button("Revoke hala-est").click();
    await again.openDialog.button("Revoke").click();
    await now.row(/hala-est.*Revoked/s).shown();
    await now.button("Revoke hala-est").gone();
    // A code for the same site lets a device in again, unless it is withdrawn too.
    const invitation = { site: "hala-est", objectives: ["obiective/cladiri/1"] };
    const second = await askDaemon(dataDir, "POST", "/enrolments", invitation);
    await again.open("status");
    await again.open("sites");
    await now.button("Revoke hala-est").click();
    await again.openDialog.button("Revoke").click();
    await now.button("Revoke hala-est").gone();
    const late = { ...claim, code: (second.value as EnrolmentCode).code };
    expect(await askDaemon(dataDir, "POST", "/enrolments/claim", late)).toMatchObject({ status: 403 });
    expect(centre.pageErrors).toEqual([]);
  });

  test("lists the access of many sites page by page, and asks about an enrolled one on any page", async () => {
    const dataDir = join(centre.installation.folder, "site");
    const invite = async (site: string): Promise<string> => {
      const body = { site, objectives: ["obiective/cladiri/1"] };
      return ((await askDaemon(dataDir, "POST", "/enrolments", body)).value as EnrolmentCode).code;
    };
    for (let number = 10; number < 60; number += 1) await invite(`site-${number}`);
    const claim = { code: await invite("site-60"), site: "site-60", password: SITE_PASSWORD };
    expect((await askDaemon(dataDir, "POST", "/enrolments/claim", claim)).status).toBe(201);
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.row(/site-10.*Code not used yet/s).shown();
    await sites.row(/site-60/).gone();
    await sites.text("Create a one-time code").click();
    await sites.field("Reference").fill("site-60");
    await sites.button("Create the code").click();
    await page.dialog("Another code for site-60?").button("Cancel").click();
    await sites.button("Next").click();
    await sites.row(/site-60.*Enrolled/s).shown();
    await sites.row(/site-10/).gone();
    await page.close();
    // Enrolled without a report it would need attention.
    expect((await askDaemon(dataDir, "DELETE", "/enrolments/site-60")).status).toBe(204);
    expect(centre.pageErrors).toEqual([]);
  });

  test("removes a site that no longer exists after a question, for administrators only", async () => {
    const dataDir = join(centre.installation.folder, "site");
    const former = { ...reportNow(), ref: "hala-sud", name: "Hala Sud" };
    expect((await askDaemon(dataDir, "POST", "/site-reports", former)).status).toBe(204);
    await centre.daemon.addAccount(DISPATCHER, "operator");
    const theirs = await centre.signedOutPage();
    await theirs.open("sites");
    await signIn(theirs, DISPATCHER.password, DISPATCHER.email);
    await theirs.screen("sites").link("Hala Sud").click();
    const seen = await theirs.arrival(/^sites\/\d+$/);
    await seen.text("10 minutes").shown();
    await seen.row(/First report: All is well/).shown();
    await seen.button("Remove from the list").gone();
    await theirs.close();

    const page = await centre.page("sites");
    await page.screen("sites").link("Hala Sud").click();
    const site = await page.arrival(/^sites\/\d+$/);
    const names = [...NAMES, "Hala Sud"];
    const asked = async (): Promise<void> => {
      await site.markup("button.danger").click();
      await page.openDialog.shown();
    };
    expect(await violationsInAllThemes(page, asked, names)).toEqual([]);
    await site.button("Remove from the list").click();
    await page.openDialog.button("Cancel").click();
    await site.button("Remove from the list").click();
    await page.openDialog.text(/its account stay: if the site reports again/).shown();
    await page.openDialog.button("Remove").click();
    const list = await page.arrival(/^sites$/);
    await page.notice.text("Hala Sud was removed from the list.").shown();
    await list.row(/Depozit Sud/).shown();
    await list.link("Hala Sud").gone();
    await page.close();
    expect(centre.pageErrors).toEqual([]);
  });

  test("names on Home the site that has a fault, and leads to it", async () => {
    const page = await centre.page("status");
    const home = page.screen("status");
    await home.heading("1 site with a fault").shown();
    await home
      .listItem(/1 site with a fault.*Sediu central/s)
      .link("Sites")
      .click();
    const sites = page.screen("sites");
    await sites.row(/Sediu central.*Fault/s).shown();
    await sites.row(/Depozit Sud/).gone();
    await page.close();
    expect(centre.pageErrors).toEqual([]);
  });

  test("says on Home which enrolled site has not reported yet, and what to do", async () => {
    const dataDir = join(centre.installation.folder, "site");
    const invitation = { site: "hala-vest", objectives: ["obiective/cladiri/1"] };
    const { value } = await askDaemon(dataDir, "POST", "/enrolments", invitation);
    const { code } = value as EnrolmentCode;
    const claim = { code, site: "hala-vest", password: SITE_PASSWORD };
    expect((await askDaemon(dataDir, "POST", "/enrolments/claim", claim)).status).toBe(201);
    const page = await centre.page("status");
    const home = page.screen("status");
    await home.text(/1 enrolled site without a report: hala-vest/).shown();
    const card = home.listItem(/1 enrolled site without a report.*hala-vest.*revoke its access/s);
    await card.shown();
    expect(
      await violationsInAllThemes(page, () => home.markup('a[href="#/sites"]').shown(), [
        ...NAMES,
        "hala-vest",
      ]),
    ).toEqual([]);
    await card.link("Sites").click();
    await page
      .screen("sites")
      .row(/hala-vest.*Enrolled/s)
      .shown();
    expect((await askDaemon(dataDir, "DELETE", "/enrolments/hala-vest")).status).toBe(204);
    const after = await centre.page("status");
    await after.screen("status").heading("1 site with a fault").shown();
    const corrected = { ...reportNow(), ref: "sediu", name: "Sediu central" };
    expect((await askDaemon(dataDir, "POST", "/site-reports", corrected)).status).toBe(204);
    await after.screen("status").text("No unfinished interventions").shown();
    expect(centre.pageErrors).toEqual([]);
  });

  test("names the objective of an alarm, because sites have zones of the same name", async () => {
    const dataDir = join(centre.installation.folder, "site");
    const alarm = {
      name: "Alarmă: Hol",
      objectiveType: "obiective/cladiri",
      objectiveId: 1,
      dateStart: "2026-01-15T02:00:00",
      status: "planned",
      priority: "high",
      type: "other",
    };
    const made = await askDaemon(dataDir, "POST", "/interventii", alarm);
    expect(made.status).toBe(201);
    // A newer one that is less urgent comes after it.
    const visit = { ...alarm, name: "Vizită", priority: "low" };
    expect((await askDaemon(dataDir, "POST", "/interventii", visit)).status).toBe(201);
    const { value } = await askDaemon(dataDir, "GET", "/site/status");
    expect((value as StatusView).journeys.map(({ interventionId }) => interventionId)).toEqual([1, 2]);
    const page = await centre.page("status");
    await page
      .screen("status")
      .listItem(/Alarmă: Hol.*Hala Nord · Str. Fabricii 7 · #1.*Start.*Record/s)
      .shown();
    const list = await page.open("interventions");
    await list.row(/Alarmă: Hol.*Hala Nord.*planned/s).shown();
    await list.link("Alarmă: Hol").click();
    await page.screen("interventions/1").text("Str. Fabricii 7").shown();
    expect(centre.pageErrors).toEqual([]);
  });

  test("says that it did not run, and nothing of zones", async () => {
    await centre.daemon.end("SIGTERM");
    await centre.startAgain();
    const page = await centre.page("events");
    const log = page.screen("events");
    await log.text(/^The dispatch centre was not running for a time/).shown();
    await page.speak("RO");
    await log.text(/^de la [\d:]+, până la [\d:]+, motiv: serviciul nu a funcționat · serviciul$/).shown();
  });
});

describeWithBrowser("the panel of a new dispatch centre", () => {
  let centre: PanelSite;
  beforeAll(async () => {
    const yaml = `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n`;
    const objectives = "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\n";
    centre = new PanelSite("", yaml + objectives, "centre");
    await centre.start();
  });
  afterAll(() => centre.stop());

  test("has a backup and its configuration in the settings, without what belongs to a site", async () => {
    const page = await centre.page("settings?open=backup.configuration");
    const settings = page.screen("settings");
    const saved = await page.downloaded(() => settings.button("Download backup").click());
    expect(saved.suggestedFilename()).toBe("centre.db");
    await settings.row(/site\.ref "centre"/).shown();
    await settings.link("Earlier configurations").gone();
    await settings.link("Set-up").gone();
    const api = await page.open("api");
    await api.heading("/enrolments").shown();
    await api.heading("/site/backup").shown();
    for (const name of ["zones", "plans", "walk-test"]) await api.heading(`/site/${name}`).gone();
    await page.close();
    expect(centre.pageErrors).toEqual([]);
  });

  test("begins on Home with the first one-time code, and does not say that all is well", async () => {
    const page = await centre.page("status");
    const home = page.screen("status");
    await page.speak("RO");
    await home.heading("Încă nicio locație înrolată").shown();
    await page.speak("EN");
    await home.heading("No site is enrolled yet").shown();
    const begin = home.link("Create a one-time code");
    expect(await violationsInAllThemes(page, () => home.markup("a.button").shown(), NAMES)).toEqual([]);
    await begin.click();
    await (await page.arrival(/^sites$/)).field("Reference").fill("hala-nord");
    expect(centre.pageErrors).toEqual([]);
  });
});
