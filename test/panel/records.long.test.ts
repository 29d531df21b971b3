import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { deadCentre, PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("records in the panel", () => {
  const site = PanelSite.running(deadCentre());
  let page: PanelPage;
  beforeAll(async () => {
    page = await site.page("interventions");
  });

  /** @returns the screen of the new intervention */
  async function create(name: string): Promise<Screen> {
    const form = await page.open("interventions/new");
    await form.field("Name").fill(name);
    await form.field("Find objective").fill("HALA");
    await form.complete();
    await form.option("Hala Nord (12)").present();
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(new RegExp(`^#\\d+ ${name}$`)).shown();
    return record;
  }

  /** Changes an intervention without the panel. */
  async function change({ address }: Screen, fields: object): Promise<void> {
    const path = address.replace("interventions", "/interventii");
    const { status } = await askDaemon(join(site.installation.folder, "site"), "PUT", path, fields);
    expect(status).toBe(200);
  }

  test("an intervention is created, set in progress, edited and deleted", async () => {
    const record = await create("Ușă forțată");
    await record.text("Hala Nord (building 12)").shown();
    await record.button("in progress").click();
    await record.pressedButton("in progress").shown();
    await record.link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("Start").fill("2026-11-20T23:30");
    await form.field("police").check();
    await form.field("Notes").fill("two lines\nof notes");
    await form.button("Save").click();
    const facts = record.markup(".facts");
    await facts.text("20/11/2026, 23:30").shown();
    await facts.text("two lines of notes").shown();
    await facts.text("Hala Nord (building 12)").shown();
    await record.listItem(/changed intervention.*two lines/).shown();
    await record.button("More actions").click();
    await record.button("Delete…").click();
    await page
      .dialog(/^Delete intervention #\d+\?$/)
      .button("Delete")
      .click();
    await page.notice.text(/^Intervention #\d+ deleted$/).shown();
    const list = page.screen("interventions");
    await list.without(list.link("Ușă forțată"));
  });

  test("a condition is shown in the language of the user", async () => {
    await create("Ușă trântită");
    const status = await page.open("status");
    const english = /the dispatch centre http:\/\/127\.0\.0\.1:9 cannot be reached: .*ECONNREFUSED/;
    await status.markup(".conditions").text(english).shown();
    await page.speak("RO");
    const romanian = /^Dispeceratul http:\/\/127\.0\.0\.1:9 este indisponibil \(.*ECONNREFUSED/;
    await status.markup(".conditions").text(romanian).shown();
    const sync = await page.open("sync");
    await sync.text(romanian).shown();
    await page.speak("EN");
    await sync.text(english).shown();
  });

  test("a newer change by another user is not overwritten", async () => {
    const record = await create("Patrulare");
    await record.link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("Name").holds("Patrulare");
    const other = await site.signedOutPage(await site.context());
    const theirs = await other.open(record.address);
    await signIn(other);
    await theirs.button("done").click();
    await theirs.pressedButton("done").shown();
    await other.close();
    await form.field("Name").fill("Patrulare dublă");
    await form.button("Save").click();
    await record.heading(/Patrulare dublă$/).shown();
    await record.pressedButton("done").shown();
    // What both have changed is left to the user.
    await record.link("Edit").click();
    await form.field("Name").holds("Patrulare dublă");
    await change(record, { name: "Patrulare nocturnă" });
    await form.field("Name").fill("Patrulare triplă");
    await form.button("Save").click();
    await form.text(/^Changed in the meantime: Name\. Nothing was saved\./).shown();
    await form.field("Name").holds("Patrulare triplă");
    await form.link("Cancel").click();
    await record.heading(/Patrulare nocturnă$/).shown();
  });

  test("a slow response is awaited although further events arrive", async () => {
    const record = await create("Rond");
    const slow = await page.holdResponses(`**/${record.address.replace("interventions", "interventii")}`);
    await change(record, { notes: "prima" });
    await slow.held();
    await change(record, { notes: "a doua" });
    await record.listItem(/changed intervention.*a doua/).shown();
    expect(slow.count()).toBe(1);
    slow.release();
    await record.markup(".facts").text("a doua").shown();
  });

  test("the list keeps its filter when Back returns to it", async () => {
    await create("Baterie detector");
    const list = await page.open("interventions?q=baterie");
    await list.field("Search").holds("baterie");
    await list.link("Baterie detector").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.link("Interventions").click();
    await list.field("Search").holds("baterie");
    await list.text("1–1 of 1").shown();
  });

  test("the list is sorted by the rank of the priority", async () => {
    for (const priority of ["low", "high", "medium"]) {
      const form = await page.open("interventions/new");
      await form.field("Name").fill(`Rang ${priority}`);
      await form.field("Priority").choose(priority);
      await form.complete();
      await form.button("Save").click();
      await page.arrival(/^interventions\/\d+$/);
    }
    const list = await page.open("interventions?q=rang");
    await list.text("1–3 of 3").shown();
    await list.button("Priority").click();
    await list.columnHeader("Priority").and(list.markup("[aria-sort=descending]")).shown();
    await list.complete();
    expect(await list.markup("tbody").words()).toMatch(/Rang high[^]*Rang medium[^]*Rang low/);
  });

  test("the list is filtered, searched without diacritics, and sorted", async () => {
    await create("Șantier fără pază");
    const last = await create("Alarmă hol");
    await last.link("Interventions").click();
    const list = page.screen("interventions");
    await list.field("Search").fill("santier");
    await list.text("1–1 of 1").shown();
    await list.link("Șantier fără pază").shown();
    await list.field("Search").fill("");
    await list.button("Name").click();
    await list.columnHeader("Name").and(list.markup("[aria-sort=ascending]")).shown();
    await list.field("Status").choose("done");
    await list.text("1–1 of 1").shown();
    await list.field("Status").choose("");
  });

  test("the list shows the interventions of a month or of a range of days, and the address keeps it", async () => {
    const day = (monthsAgo: number): string => {
      // Today in the time zone of the site, as at midnight UTC.
      const now = new Date(new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Bucharest" }));
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 15))
        .toISOString()
        .slice(0, 10);
    };
    const dataDir = join(site.installation.folder, "site");
    for (const monthsAgo of [0, 1, 5]) {
      const record = { name: `Lunar ${monthsAgo}`, objectiveType: "obiective/cladiri", objectiveId: 12 };
      const body = { ...record, dateStart: `${day(monthsAgo)}T12:00:00`, status: "done" };
      expect((await askDaemon(dataDir, "POST", "/interventii", body)).status).toBe(201);
    }
    const list = await page.open("interventions?q=lunar");
    await list.text("1–3 of 3").shown();
    await list.field("Period").choose("last-month");
    await list.text("1–1 of 1").shown();
    await list.link("Lunar 1").shown();
    await list.field("Period").choose("month");
    await list.link("Lunar 0").shown();
    await list.link("Lunar 1").gone();
    await list.field("Period").choose("range");
    await list.text("1–3 of 3").shown();
    await list.field("From").fill(day(5));
    await list.field("To").fill(day(5));
    await list.link("Lunar 5").shown();
    await list.text("1–1 of 1").shown();
    await page.reload();
    await list.text("1–1 of 1").shown();
    await list.link("Lunar 5").shown();
    await list.button("All interventions").click();
    await list.field("Period").choose("");
    await list.link("Lunar 0").shown();
  });

  test("the list begins with what is unfinished, by its priority, and of each the newest first", async () => {
    for (const [name, status, priority] of [
      ["Întâi foc", "planned", "high"],
      ["Întâi plan", "planned", "medium"],
      ["Întâi lucru", "in_progress", "medium"],
      ["Întâi gata", "done", "high"],
      ["Întâi nou", "planned", "medium"],
      ["Întâi ușor", "in_progress", "low"],
    ] as const) {
      const form = await page.open("interventions/new");
      await form.field("Name").fill(name);
      await form.field("Status").choose(status);
      await form.field("Priority").choose(priority);
      await form.complete();
      await form.button("Save").click();
      await page.arrival(/^interventions\/\d+$/);
    }
    const list = await page.open("interventions?q=%C3%AEnt%C3%A2i");
    await list.text("1–6 of 6").shown();
    await list.columnHeader("Status").and(list.markup("[aria-sort=descending]")).shown();
    expect(await list.markup("tbody").words()).toMatch(/foc[^]*nou[^]*lucru[^]*plan[^]*ușor[^]*gata/);
    await list.button("Status").click();
    await list.columnHeader("Status").and(list.markup("[aria-sort=ascending]")).shown();
    await list.complete();
    expect(await list.markup("tbody").words()).toMatch(/gata[^]*ușor[^]*nou[^]*lucru[^]*plan[^]*foc/);
  });

  test("the queue shows unsent records with the reason", async () => {
    await page.follow("Sync");
    const sync = page.screen("sync");
    await sync.row(/^#2 to be sent/).shown();
    await sync.button("Sync now").click();
    await page.notice
      .text("Not sent. The server of the dispatch centre refuses the connection. Call the dispatch centre.")
      .shown();
    await sync.badge("Link to the dispatch centre: DOWN").shown();
    await sync.image(/^Up for .*, down for /).shown();
    await sync.button("30 days").click();
    await sync.image(/^Longest wait of an unsent record|^\d+ records? queued/).shown();
  });

  test("objectives list the zones that use them", async () => {
    await page.follow("Objectives");
    const objectives = page.screen("objectives");
    await objectives.row(/Hala Nord.*Str. Fabricii 7.*Ușa principală/).shown();
    await objectives.button("Persons").click();
    await objectives.text(/^No objectives of this type\. /).shown();
  });

  test("objectives are listed again after they were loaded from the dispatch centre", async () => {
    await page.changeResponses("**/obiective/cladiri?*", 1, (body) =>
      (body as object[]).map((one) => ({ ...one, name: "Hala Veche" })),
    );
    const objectives = await page.open("objectives?type=");
    await objectives.row(/Hala Veche/).shown();
    await objectives.button("Load now").click();
    await objectives.row(/Hala Nord/).shown();
  });

  test("a language whose texts do not arrive is not chosen, and a notice reports it", async () => {
    const other = await site.page("status", await site.context());
    const texts = await other.failRequests("**/ro*.js");
    await other.userMenu();
    await other.banner.button("RO").click();
    await texts.failed();
    await other.notice.text("The daemon is not responding. Try again.").shown();
    await other.banner.pressedButton("EN").shown();
    await other.close();
  });

  test("the event log is updated live and can be downloaded", async () => {
    await page.follow("Log");
    const log = page.screen("events");
    await log.button("alarms").click();
    await log.text("No loaded entry matches the filters.").shown();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await log.listItem(/Ușa principală: Open.*recorded as an intervention/).shown();
    const saved = await page.downloaded(() => log.button("JSON").click());
    expect(saved.suggestedFilename()).toMatch(/^hala-nord-events-\d{4}-\d\d-\d\d\.json$/);
    const entries = JSON.parse(readFileSync(await saved.path(), "utf8")) as TimelineEntry[];
    // What is filtered is exported.
    expect(new Set(entries.map(({ event }) => event))).toEqual(new Set(["trip"]));
    await log.button("all").click();
    const whole = await page.downloaded(() => log.button("JSON").click());
    const all = JSON.parse(readFileSync(await whole.path(), "utf8")) as TimelineEntry[];
    expect(all.map(({ event }) => event)).toContain("intervention-deleted");
  });

  test("no request went to another host", () => {
    expect(site.foreignRequests).toEqual([]);
    expect(site.pageErrors).toEqual([]);
  });
});

describeWithBrowser("a list with a record that waits for the dispatch centre", () => {
  const site = PanelSite.running(deadCentre());

  test("has it in a row of two lines on a laptop, with its next attempt", async () => {
    const record = { name: "Rondă", objectiveType: "obiective/cladiri", objectiveId: 12 };
    await site.control.post("/interventii", record);
    const page = await site.page("interventions");
    await page.look("light", 1280);
    const row = page.screen("interventions").markup("tbody tr");
    for (const [language, text] of [
      ["RO", /^la \d/],
      ["EN", /^at \d/],
    ] as const) {
      await page.speak(language);
      await row.text(text).shown();
      expect(await row.evaluate<number>("part.offsetHeight"), language).toBeLessThanOrEqual(50);
    }
  });
});
