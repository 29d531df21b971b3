import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import { IN_POSTGRES } from "../support/app.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { reportNow } from "../support/fleet.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";
import { newDatabase } from "../support/postgres.ts";

/*
 * What a dispatcher does on the screens of a centre, as far as it reaches the database. The project `postgres-long` runs this file
 * over PostgreSQL, the project `long` over SQLite: the screens show the same.
 */

const HALLS = [
  { id: 1, site: "hala-est", name: "Hala Est" },
  { id: 2, site: "hala-vest", name: "Hala Vest" },
] as const;
const RECORDS = [
  { name: "Poarta de est", objectiveId: 1, priority: "high", status: "planned", type: "other" },
  { name: "Șantier fără pază", objectiveId: 1, priority: "low", status: "done", type: "inspection" },
  { name: "Poarta de vest", objectiveId: 2, priority: "medium", status: "in_progress", type: "other" },
  { name: "Baterie detector", objectiveId: 2, priority: "low", status: "planned", type: "repair" },
] as const;
const ION = { email: "ion@centre.example", password: "given by word of mouth" } as const;

describeWithBrowser("a dispatcher at the panel of a centre", () => {
  let centre: PanelSite;
  let page: PanelPage;

  beforeAll(async () => {
    const database = IN_POSTGRES ? `database: "${await newDatabase(inject("postgresFolder"))}"\n` : "";
    const listed = HALLS.map(({ id, name }) => `{ id: ${id}, name: ${name} }`).join(", ");
    centre = new PanelSite(
      database,
      `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
        `objectives: { obiective/cladiri: [ ${listed} ] }\n`,
      "centre",
    );
    await centre.start();
    for (const { id, site, name } of HALLS) {
      await ask("POST", "/site-reports", { ...reportNow(), ref: site, name });
      const invitation = { site, objectives: [`obiective/cladiri/${id}`] };
      const { code } = (await ask("POST", "/enrolments", invitation)) as EnrolmentCode;
      await ask("POST", "/enrolments/claim", { code, site, password: SITE_PASSWORD });
    }
    for (const record of RECORDS)
      await ask("POST", "/interventii", { ...record, objectiveType: "obiective/cladiri" });
    page = await centre.page("interventions");
  });
  afterAll(() => centre.stop());

  /** A request of a program on the machine of the centre. */
  async function ask(method: "GET" | "POST" | "PUT", path: string, body?: object): Promise<unknown> {
    const { status, value } = await askDaemon(join(centre.installation.folder, "site"), method, path, body);
    expect([path, status < 300]).toEqual([path, true]);
    return value;
  }

  /** Waits until the list has exactly these, in this order. */
  async function lists(list: Screen, ...names: readonly string[]): Promise<void> {
    await list.text(`1–${names.length} of ${names.length}`).shown();
    for (const name of names) await list.link(name).shown();
    const words = await list.markup("tbody").words();
    expect(names.toSorted((a, b) => words.indexOf(a) - words.indexOf(b))).toEqual(names);
  }

  test("sees the interventions of all sites, and chooses by site, status, priority and text", async () => {
    const list = await page.open("interventions");
    await list.text("1–4 of 4").shown();
    for (const { name } of RECORDS) await list.link(name).shown();
    await list.field("Site").fill("hala-est");
    await list.text("1–2 of 2").shown();
    await list.link("Poarta de vest").gone();
    await list.field("Status").choose("done");
    await lists(list, "Șantier fără pază");
    await page.reload();
    await lists(list, "Șantier fără pază");
    await list.button("All interventions").click();
    await list.text("1–4 of 4").shown();
    await list.field("Priority").choose("low");
    await list.text("1–2 of 2").shown();
    await list.link("Baterie detector").shown();
    await list.button("All interventions").click();
    await list.field("Search").fill("santier");
    await lists(list, "Șantier fără pază");
    await list.field("Search").fill("");
    await list.text("1–4 of 4").shown();
    await list.button("Name").click();
    await list.columnHeader("Name").and(list.markup("[aria-sort=ascending]")).shown();
    await list.complete();
    await lists(list, "Baterie detector", "Poarta de est", "Poarta de vest", "Șantier fără pază");
  });

  test("chooses a site that is offered only after its reference has been typed", async () => {
    await (await page.open("objectives")).text("Hala Est").shown();
    const { held, release } = await page.holdResponses("**/sites?*");
    const list = await page.open("interventions");
    await held();
    await list.text("1–4 of 4").shown();
    await list.field("Site").fill("hala-vest");
    await list.text("1–4 of 4").shown();
    release();
    await list.text("1–2 of 2").shown();
    await list.link("Poarta de vest").shown();
    await list.link("Poarta de est").gone();
  });

  test("edits an intervention, and is notified when another user has changed the same field", async () => {
    const list = await page.open("interventions?q=poarta%20de%20vest");
    await list.link("Poarta de vest").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("Notes").fill("two lines\nof notes");
    await form.field("police").check();
    await form.button("Save").click();
    await record.markup(".facts").text("two lines of notes").shown();
    await record.listItem(/changed intervention.*two lines/).shown();
    const path = `/interventii/${record.address.split("/")[1]}`;
    expect(await ask("GET", path)).toMatchObject({ notes: "two lines\nof notes", police: true });

    await record.link("Edit").click();
    await form.field("Notes").holds("two lines\nof notes");
    const name = "Poarta de vest, iar";
    await ask("PUT", path, { name, notes: "theirs" });
    await form.field("Name").fill("Poarta de nord");
    await form.button("Save").click();
    await form.text(/^Changed in the meantime: Name\. Nothing was saved\./).shown();
    expect(await ask("GET", path)).toMatchObject({ name, notes: "theirs" });
    await form.link("Cancel").click();
    await record.complete();
  });

  test("deletes an intervention, which leaves the list", async () => {
    const list = await page.open("interventions?q=baterie");
    await list.link("Baterie detector").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.button("More actions").click();
    await record.button("Delete…").click();
    await page.openDialog.button("Delete").click();
    await page.notice.text(/^Intervention #\d+ deleted$/).shown();
    await list.without(list.link("Baterie detector"));
  });

  test("sees the state and history of a site, and removes one that no longer exists", async () => {
    const former = { ...reportNow(), ref: "hala-sud", name: "Hala Sud", level: "fault" };
    await ask("POST", "/site-reports", former);
    const sites = await page.open("sites");
    await sites.row(/Hala Est.*All is well/s).shown();
    await sites.row(/Hala Sud.*Fault/s).shown();
    await sites.field("Search").fill("sud");
    await sites.row(/Hala Est.*All is well/s).gone();
    await sites.link("Hala Sud").click();
    const site = await page.arrival(/^sites\/\d+$/);
    await site.row(/First report: Fault/).shown();
    await site.button("Remove from the list").click();
    await page.openDialog.button("Remove").click();
    await page.notice.text("Hala Sud was removed from the list.").shown();
    await sites.field("Search").fill("");
    await sites.row(/Hala Vest/).shown();
    await sites.link("Hala Sud").gone();
  });

  test("adds an account, which signs in, and disables it", async () => {
    const settings = await page.open("settings?open=accounts");
    await settings.text("Add account").click();
    await settings.field("E-mail address").fill(ION.email);
    await settings.field("Initial password").fill(ION.password);
    await settings.field("Role").choose("viewer");
    await settings.field("Your current password").fill(EDGE.password);
    await settings.button("Add").click();
    await page.notice.text(`Account ${ION.email} added`).shown();
    const theirs = await centre.signedOutPage();
    await theirs.openFirst();
    await signIn(theirs, ION.password, ION.email);
    await theirs.screen("first-password").heading("Set a new password").shown();
    await settings.button(`Disable ${ION.email}`).click();
    const dialog = page.dialog(`Disable: ${ION.email}`);
    await dialog.field("Your current password").fill(EDGE.password);
    await dialog.button("Disable").click();
    await settings.row(/ion@centre\.example .*disabled/).shown();
    await theirs.close();
    const again = await centre.signedOutPage();
    await again.openFirst();
    await signIn(again, ION.password, ION.email);
    await again
      .screen("sign-in")
      .text(/^email or password is wrong/)
      .shown();
    await again.close();
  });

  test("finds all of that in the event log, by text too", async () => {
    const log = await page.open("events");
    for (const entry of [
      new RegExp(`${EDGE.email} added account ${ION.email}`),
      new RegExp(`${EDGE.email} disabled account ${ION.email}`),
      new RegExp(`${EDGE.email} deleted intervention`),
      /Site hala-vest was enrolled/,
    ])
      await log.listItem(entry).shown();
    const found = await page.open("events?q=hala-vest");
    await found.listItem(/Site hala-vest was enrolled/).shown();
    await found.listItem(/added account/).gone();
    expect(centre.pageErrors).toEqual([]);
  });
});
