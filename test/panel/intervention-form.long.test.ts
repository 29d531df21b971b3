import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

const SITE = `site: { name: Hala Nord, ref: hala-nord, timezone: Europe/Bucharest }
http: { port: 0, hosts: [${PANEL_HOST}] }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Arhiva }, { id: 12, name: Hala Nord }, { id: 13, name: Magazia } ],
  obiective/persoane: [ { id: 12, name: Maria Popa } ] }
`;

const NO_RESPONSE = "The daemon is not responding. Try again.";

describeWithBrowser("the form of an intervention", () => {
  const site = PanelSite.running("", SITE);
  let page: PanelPage;
  beforeAll(async () => {
    page = await site.page("interventions");
  });

  async function filled(name: string): Promise<Screen> {
    const form = await page.open("interventions/new");
    await form.field("Name").fill(name);
    await form.option("Hala Nord (12)").present();
    await form.field("Objective").choose("12");
    return form;
  }

  /** Waits until the list has exactly one intervention of this name. */
  async function isOnce(name: string): Promise<void> {
    const list = await page.open(`interventions?q=${name}`);
    await list.text("1–1 of 1").shown();
  }

  /** Waits until no intervention has this name. */
  async function isNowhere(name: string): Promise<void> {
    const list = await page.open(`interventions?q=${name}`);
    await list.complete();
    await list.row(new RegExp(name)).gone();
  }

  test("has a date with an offset in the time of the site, as all of the page, and saves it unchanged", async () => {
    const dateStart = "2025-07-23T21:30:15Z";
    const one = { name: "ronda", dateStart, objectiveType: "obiective/cladiri", objectiveId: 12 };
    const { id } = await site.control.post<Intervention>("/interventii", one);
    const record = await page.open(`interventions/${id}`);
    await record.complete();
    expect(await record.words()).toContain("24/07/2025, 00:30");
    expect(await record.words()).not.toContain("21:30");
    await record.link("Edit").click();
    const form = page.screen(`interventions/${id}/edit`);
    await form.complete();
    expect(await form.field("Start").value()).toBe("2025-07-24T00:30");
    await form.field("Notes").fill("poarta din spate");
    await form.button("Save").click();
    await page.arrival([`interventions/${id}`]);
    expect(await site.daemon.get<Intervention>(`/interventii/${id}`)).toMatchObject({
      dateStart,
      notes: "poarta din spate",
    });
  });

  test("begins now, in the time of the site, unless its user changes that", async () => {
    const minute = (): string =>
      new Date().toLocaleString("sv-SE", { timeZone: "Europe/Bucharest" }).slice(0, 16).replace(" ", "T");
    const before = minute();
    const form = await filled("acum");
    const start = await form.field("Start").value();
    expect([before, minute()]).toContain(start);
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    expect(await site.daemon.get<Intervention>(pathOf(record))).toMatchObject({
      dateStart: start,
      dateEnd: null,
    });
  });

  test("creates one intervention when Save is pressed twice", async () => {
    const form = await filled("dublu");
    await form.button("Save").doubleClick();
    await page.arrival(/^interventions\/\d+$/);
    await isOnce("dublu");
  });

  test("creates one intervention when the response is lost and Save is pressed again", async () => {
    const form = await filled("pierdut");
    await page.loseNextResponse("**/interventii");
    await form.button("Save").click();
    await form.text(NO_RESPONSE).shown();
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/pierdut$/).shown();
    await isOnce("pierdut");
  });

  test("creates one also when the user has changed it after a lost response, with the change", async () => {
    const form = await filled("prima");
    await page.loseNextResponse("**/interventii");
    await form.button("Save").click();
    await form.text(NO_RESPONSE).shown();
    await form.field("Name").fill("corectat");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/corectat$/).shown();
    await record.text("Hala Nord (building 12)").shown();
    await isOnce("corectat");
    await isNowhere("prima");
  });

  test("creates the corrected one when the daemon has refused the first", async () => {
    const form = await filled("respins");
    await page.refuseNextRequest("**/interventii", "the name is taken");
    await form.button("Save").click();
    await form.text("the name is taken").shown();
    await form.field("Name").fill("acceptat");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/acceptat$/).shown();
    await isOnce("acceptat");
    await isNowhere("respins");
  });

  test("never creates what the user has changed after an attempt that stored nothing", async () => {
    const form = await filled("nestocat");
    await page.blockNextRequest("**/interventii", 503);
    await form.button("Save").click();
    await form.text(NO_RESPONSE).shown();
    await form.field("Name").fill("stocat");
    await form.field("Objective").choose("13");
    // Only a record created with the former input would have to be changed.
    await page.blockNextRequest("**/interventii/*", 503);
    await form.button("Save").click();
    await page.arrival(/^interventions\/\d+$/);
    await isNowhere("nestocat");
    const list = await page.open("interventions?q=stocat");
    await list.text("1–1 of 1").shown();
    await list.row(/Magazia/).shown();
  });

  test.each(["al doilea", "primul"])(
    "saves what is entered after a lost response, and its change too: %s",
    async (last) => {
      const form = await filled(`primul nume, apoi ${last}`);
      await page.loseNextResponse("**/interventii");
      await form.button("Save").click();
      await form.text(NO_RESPONSE).shown();
      await form.field("Name").fill(`al doilea nume, apoi ${last}`);
      const isLost = await page.loseNextResponse("**/interventii/*");
      await form.button("Save").click();
      await isLost();
      await form.text(NO_RESPONSE).shown();
      await form.field("Name").fill(`${last} nume, apoi ${last}`);
      await form.button("Save").click();
      const record = await page.arrival(/^interventions\/\d+$/);
      await record.heading(new RegExp(`${last} nume, apoi ${last}$`)).shown();
      await isOnce(`nume, apoi ${last}`);
    },
  );

  test("creates one when a proxy refuses to repeat what is stored", async () => {
    const form = await filled("refuzat");
    await page.loseNextResponse("**/interventii");
    await form.button("Save").click();
    await form.text(NO_RESPONSE).shown();
    await page.blockNextRequest("**/interventii", 403);
    await form.button("Save").click();
    await form.text("Your account may not do this.").shown();
    await form.button("Save").click();
    await page.arrival(/^interventions\/\d+$/);
    await isOnce("refuzat");
  });

  test("keeps the chosen objective while the user searches for another", async () => {
    const form = await filled("căutare");
    await form.field("Objective").choose("13");
    await form.field("Find objective").fill("arhiva");
    await form.complete();
    await form.option("Hala Nord (12)").gone();
    await form.field("Objective").holds("13");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.text("Magazia (building 13)").shown();
    // The same when it is changed later.
    await record.link("Edit").click();
    const edit = await page.arrival(/^interventions\/\d+\/edit$/);
    await edit.option("Arhiva (1)").present();
    await edit.field("Objective").choose("1");
    await edit.field("Find objective").fill("hala");
    await edit.option("Magazia (13)").gone();
    await edit.field("Objective").holds("1");
    await edit.button("Save").click();
    await record.text("Arhiva (building 1)").shown();
  });

  test("says why there is no objective to choose", async () => {
    const form = await page.open("interventions/new");
    await form.field("Objective type").choose("obiective/bunuri");
    await form.text(/^No objectives of this type\. They come from the dispatch centre/).shown();
    await form.field("Objective type").choose("obiective/cladiri");
    await form.field("Find objective").fill("hale");
    await form.text("No objective matches.").shown();
    await page.speak("RO");
    await form.text("Niciun obiectiv găsit.").shown();
    await page.speak("EN");
    await form.field("Find objective").fill("");
    await form.option("Hala Nord (12)").present();
    await form.text("No objective matches.").gone();
  });

  test("says that a search finds no objective, although one is chosen", async () => {
    const own = await site.page("status");
    const form = await own.open("interventions/new");
    await form.option("Hala Nord (12)").present();
    await form.field("Objective").choose("12");
    await form.field("Find objective").fill("hale");
    await form.text("No objective matches.").shown();
    await form.field("Objective").holds("12");
    await own.close();
  });

  test("requires that the user chooses one of several objectives", async () => {
    const objectives = await page.holdResponses("**/obiective/cladiri?*");
    const form = await page.open("interventions/new");
    await form.field("Name").fill("nealese");
    await form.field("Find objective").fill("hala");
    await form.button("Save").click();
    await objectives.held();
    objectives.release();
    await form.option("Hala Nord (12)").present();
    await form.option("Arhiva (1)").gone();
    await form.field("Objective").holds("");
    await form.button("Save").click();
    await eventually("the field to be pointed at", () => form.field("Objective").hasFocus());
    await form.field("Objective").choose("12");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.text("Hala Nord (building 12)").shown();
    await isOnce("nealese");
  });

  test("names the objective of a record before the list of objectives arrives", async () => {
    const form = await filled("numit");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.text("Hala Nord (building 12)").shown();
    const objectives = await page.holdResponses("**/obiective/cladiri?_end=50*");
    await record.link("Edit").click();
    const edit = await page.arrival(/^interventions\/\d+\/edit$/);
    await objectives.held();
    await edit.option("Hala Nord (12)").present();
    objectives.release();
  });

  test("leaves a user who has gone elsewhere where they are when the response to Save arrives", async () => {
    const form = await filled("plecat");
    const saved = await page.holdResponses("**/interventii");
    await form.button("Save").click();
    await saved.held();
    await page.evaluate("location.hash = '#/zones'");
    await page.openDialog.button("Discard changes").click();
    const zones = page.screen("zones");
    await zones.complete();
    saved.release();
    // A later response: the earlier one has been used by then.
    await page.evaluate(
      "fetch('./site/setup').then(() => new Promise((resolve) => requestAnimationFrame(resolve)))",
    );
    await page.isAt("#/zones");
    await isOnce("plecat");
  });

  test("asks for a list when the user pauses, not for each letter", async () => {
    const list = await page.open("interventions");
    const searches = await page.holdResponses("**/interventii?*q=*");
    await list.field("Search").click();
    await page.type("intervenție la poartă");
    await searches.held();
    expect(searches.count()).toBeLessThan(10);
    searches.release();
    await list.text("No intervention matches the filters.").shown();
    // The text of an empty list appears only with the response.
    const all = await page.holdResponses("**/interventii?*");
    await list.markup(".empty").button("All interventions").click();
    await all.held();
    await list.text("No interventions yet. Each alarm creates one.").gone();
    all.release();
    await list.link("dublu").shown();
  });

  test("does not save when Enter is pressed in the search for an objective", async () => {
    const form = await filled("enter");
    await form.field("Find objective").fill("hala");
    await page.press("Enter");
    await form.field("Name").fill("enter-salvat");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/enter-salvat$/).shown();
    await isOnce("enter");
  });

  test("does not offer the objectives of another type while those of the chosen one are awaited", async () => {
    const form = await filled("tip");
    const persons = await page.holdResponses("**/obiective/persoane?*");
    await form.field("Objective type").choose("obiective/persoane");
    await persons.held();
    await form.option("Hala Nord (12)").gone();
    // Without an objective nothing is sent.
    await form.button("Save").click();
    persons.release();
    await form.option("Maria Popa (12)").present();
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.text("Maria Popa (person 12)").shown();
    await isOnce("tip");
  });

  test.each([
    ["EN", "Start", "End", "Description", "Save", "The end is before the start."],
    ["RO", "Început", "Sfârșit", "Descriere", "Salvare", "Sfârșitul este înainte de început."],
  ])(
    "says beside the field that the end is before the start, in %s",
    async (language, start, end, text, save, said) => {
      const name = `invers-${language}`;
      await filledIn(language, name);
      const form = page.screen("interventions/new");
      await form.field(text).fill("poarta din spate");
      await form.field(start).fill("2026-11-26T10:00");
      await form.field(end).fill("2026-11-26T09:00");
      await form.button(save).click();
      await isRefusedAt(form, end, said);
      // Nothing that was entered is lost, and nothing was sent.
      await form.field(text).holds("poarta din spate");
      await form.field(end).holds("2026-11-26T09:00");
      await form.field(end).fill("2026-11-26T11:00");
      await form.text(said).gone();
      await form.button(save).click();
      await page.arrival(/^interventions\/\d+$/);
      await page.speak("EN");
      await isOnce(name);
    },
  );

  test.each([
    ["EN", "Start", "End", "Save", "Not a complete date with time. Complete it or clear the field."],
    ["RO", "Început", "Sfârșit", "Salvare", "Dată sau oră incompletă. Completați câmpul sau goliți-l."],
  ])("says beside the field that a date cannot be read, in %s", async (language, start, end, save, said) => {
    const name = `incomplet-${language}`;
    await filledIn(language, name);
    const form = page.screen("interventions/new");
    for (const label of [end, start]) {
      await form.field(label).fill("");
      await form.field(label).click();
      await page.type("12");
      await form.button(save).click();
      await isRefusedAt(form, label, said);
      await form.field(label).fill("");
      await form.text(said).gone();
    }
    await form.button(save).click();
    await page.arrival(/^interventions\/\d+$/);
    await page.speak("EN");
    await isOnce(name);
  });

  test("shows beside the field what only the daemon can compare", async () => {
    // In winter the site is two hours ahead of UTC.
    const name = "decalaj";
    const body = {
      name,
      objectiveType: "obiective/cladiri",
      objectiveId: 12,
      dateStart: "2026-11-26T10:00:00Z",
    };
    await page.evaluate(`fetch("./interventii", { method: "POST", body: ${JSON.stringify(JSON.stringify(body))},
      headers: { "Content-Type": "application/json", Authorization: "Bearer " + sessionStorage.getItem("santinela.token") } })
      .then(({ status }) => { if (status !== 201) throw new Error(String(status)); })`);
    await page.open(`interventions?q=${name}`);
    await page.screen("interventions").link(name).click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("End").fill("2026-11-26T11:00");
    await form.button("Save").click();
    const said = /^dateEnd \(2026-11-26T11:00\) is before dateStart \(2026-11-26T10:00:00Z\)$/;
    await isRefusedAt(form, "End", said);
    await form.field("End").fill("2026-11-26T13:00");
    await form.text(said).gone();
    await form.button("Save").click();
    await record.heading(/decalaj$/).shown();
  });

  function pathOf({ address }: Screen): string {
    return `/${address.replace("interventions", "interventii")}`;
  }

  /** Changes a record as a trip or another user does. */
  async function changeElsewhere(record: Screen, body: object): Promise<void> {
    await askDaemon(join(site.installation.folder, "site"), "PUT", pathOf(record), body);
  }

  async function edited(name: string): Promise<readonly [record: Screen, form: Screen]> {
    await (await filled(name)).button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await changeElsewhere(record, { notes: "03:27 Ușa" });
    await record.text("03:27 Ușa").shown();
    await record.link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("Notes").holds("03:27 Ușa");
    return [record, form];
  }

  test("saves notes beside those of further trips", async () => {
    const [record, form] = await edited("note");
    await changeElsewhere(record, { notes: "03:27 Ușa ×2\n03:31 Geam" });
    await form.field("Notes").fill("03:27 Ușa\nechipaj trimis\nproprietar sunat");
    const saved = await page.holdResponses(`**${pathOf(record)}`);
    await form.button("Save").click();
    await saved.held();
    // What is entered meanwhile is saved the same way.
    await form.field("Notes").fill("03:27 Ușa\nechipaj sosit");
    saved.release();
    await page.notice.text(/without what you have entered since/).shown();
    await form.button("Save").click();
    await record.present();
    const stored = await site.daemon.get<Intervention>(pathOf(record));
    expect(stored.notes).toBe("03:27 Ușa ×2\n03:31 Geam\nechipaj sosit");
  });

  test("corrects what was saved without a response, also of a record that has changed since", async () => {
    const [record, form] = await edited("corectura");
    await form.field("Status").choose("in_progress");
    await form.field("Priority").choose("high");
    await form.field("Notes").fill("03:27 Ușa\nechipaj trimis");
    const isLost = await page.loseNextResponse(`**${pathOf(record)}`, "PUT");
    await form.button("Save").click();
    await isLost();
    await form.text(NO_RESPONSE).shown();
    await changeElsewhere(record, { notes: "03:27 Ușa ×2\nechipaj trimis" });
    await form.field("Status").choose("done");
    await form.field("Priority").choose("medium");
    await form.field("Notes").fill("03:27 Ușa\nechipaj sosit");
    await form.button("Save").click();
    await record.present();
    const stored = await site.daemon.get<Intervention>(pathOf(record));
    expect(stored).toMatchObject({
      status: "done",
      priority: "medium",
      notes: "03:27 Ușa ×2\nechipaj sosit",
    });
  });

  test.each([
    ["EN", "Save", "Changed again in the meantime. Nothing was saved. Save again."],
    ["RO", "Salvare", "S-a modificat din nou între timp. Nu s-a salvat nimic. Salvați din nou."],
  ])("saves notes although trips come while it saves, in %s", async (language, save, said) => {
    const [record, form] = await edited(`rafală-${language}`);
    await page.speak(language);
    let trips = 1;
    const trip = async (): Promise<void> => {
      trips += 1;
      await changeElsewhere(record, { notes: `03:27 Ușa ×${trips}` });
    };
    await form.input("notes").fill("03:27 Ușa\nechipaj trimis");
    await page.beforeNextRequests("PUT", `**${pathOf(record)}`, [trip, trip, trip, trip, trip, trip, trip]);
    await form.button(save).click();
    await form.text(said).shown();
    await form.button(save).click();
    await record.present();
    const stored = await site.daemon.get<Intervention>(pathOf(record));
    expect(stored.notes).toBe("03:27 Ușa ×8\nechipaj trimis");
    await page.speak("EN");
  });

  test.each([
    ["EN", "Save", /^Changed in the meantime: Status: in progress\./],
    ["RO", "Salvare", /^S-a modificat între timp: Stare: în desfășurare\./],
  ])("says what others have changed, and saves the second time, in %s", async (language, save, said) => {
    const [record, form] = await edited(`ambii-${language}`);
    await page.speak(language);
    await form.input("status").choose("done");
    await changeElsewhere(record, { status: "in_progress", priority: "high", notes: "03:27 Ușa ×2" });
    await form.input("notes").fill("03:27 Ușa\nalarmă falsă");
    await form.button(save).click();
    await form.text(said).shown();
    await form.input("notes").holds("03:27 Ușa\nalarmă falsă");
    await form.button(save).click();
    await record.present();
    const stored = await site.daemon.get<Intervention>(pathOf(record));
    expect(stored).toMatchObject({ status: "done", priority: "high", notes: "03:27 Ușa ×2\nalarmă falsă" });
    await page.speak("EN");
  });

  async function filledIn(language: string, name: string): Promise<void> {
    await filled(name);
    await page.speak(language);
  }

  /** Waits until the message is part of the description of the field, and the field has the focus. */
  async function isRefusedAt(form: Screen, label: string, said: string | RegExp): Promise<void> {
    await form.text(said).shown();
    const field = form.field(label);
    await form
      .text(said)
      .and(form.markup(`[id="${await field.attribute("aria-describedby")}"]`))
      .shown();
    await eventually(`an invalid ${label}`, async () => (await field.attribute("aria-invalid")) === "true");
    await eventually(`the focus on ${label}`, () => field.hasFocus());
  }
});
