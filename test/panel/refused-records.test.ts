import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { upstreamYaml } from "../support/installation.ts";
import { json } from "../support/nonconforming-centre.ts";
import type { PanelPage, Part, Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/* A dispatch centre that accepts one record, refuses those with few crews, and always asks to wait for another. */

/** Eight looks, on a busy machine. */
const LOOKS_TIMEOUT_MS = 180_000;
const NAMES = [
  "Sosită",
  "Respinsă",
  "Reîncercată",
  "Abandonată",
  "Așteaptă",
  "Hala Nord",
  // The response of the centre is in its own language.
  /Echipaje insuficiente \(\d\)/g,
];

describeWithBrowser("records at a strict dispatch centre", () => {
  const centre = new InMemoryCentre();
  let leastCrews = 2;
  let site: PanelSite;
  let page: PanelPage;
  beforeAll(async () => {
    centre.instead = ({ method, path, body }) => {
      if (path.startsWith("/obiective")) return json(200, []);
      if (method !== "POST") return undefined;
      const { name, crews } = JSON.parse(body) as { readonly name: string; readonly crews: number };
      if (name === "Așteaptă") return json(409, { error: "Conflict", message: "later", statusCode: 409 });
      const message = `Echipaje insuficiente (${leastCrews})`;
      return name !== "Sosită" && crews < leastCrews
        ? json(400, { error: "Bad Request", message, statusCode: 400 })
        : undefined;
    };
    const port = Number(new URL(await centre.start()).port);
    site = new PanelSite(upstreamYaml(port));
    await site.start();
    for (const name of ["Sosită", "Respinsă", "Reîncercată", "Abandonată", "Așteaptă"]) {
      const body = { name, objectiveType: "obiective/cladiri", objectiveId: 12 };
      const dataDir = join(site.installation.folder, "site");
      expect((await askDaemon(dataDir, "POST", "/interventii", body)).status).toBe(201);
    }
    page = await site.page("interventions");
  });
  afterAll(async () => {
    await site.stop();
    await centre.stop();
  });

  async function opened(name: string): Promise<Screen> {
    const list = await page.open(`interventions?q=${encodeURIComponent(name)}`);
    await list.link(name).click();
    return page.arrival(/^interventions\/\d+$/);
  }

  /** What says that a record needs a user. */
  const refusal = (record: Screen): Part => record.markup("section:has(h2:text-is('Needs attention'))");

  test("are found in the list by how far they have come, and the address keeps it", async () => {
    const list = await page.open("interventions");
    for (const [group, name, range] of [
      ["arrived", "Sosită", "1–1 of 1"],
      ["attention", "Respinsă", "1–3 of 3"],
      ["waiting", "Așteaptă", "1–1 of 1"],
    ] as const) {
      await list.field("Dispatch centre").choose(group);
      await list.text(range).shown();
      await list.link(name).shown();
    }
    await page.reload();
    await list.field("Dispatch centre").holds("waiting");
    await list.link("Așteaptă").shown();
    await list.link("Sosită").gone();
    await list.button("All interventions").click();
    await list.field("Dispatch centre").holds("");
    await list.text("1–5 of 5").shown();
  });

  test(
    "show the response of the centre and the actions, in every look",
    async () => {
      const record = await opened("Respinsă");
      const card = refusal(record);
      await card.badge("rejected by the dispatch centre").shown();
      await card.text(/^Last response: .*Echipaje insuficiente \(2\)$/).shown();
      const shown = (): Promise<void> => record.markup("section.card button.danger").shown();
      expect(await violationsInAllThemes(page, shown, NAMES)).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("are counted after an attempt to send everything, whose failure is an error", async () => {
    const sync = await page.open("sync");
    await sync.button("Sync now").click();
    await page.notice.text(/^Not sent\. Answered 409: later\./).shown();
    await sync.heading("3 records need attention").shown();
  });

  test("are sent again at once, and shown with the next response", async () => {
    const record = await opened("Reîncercată");
    await refusal(record).shown();
    leastCrews = 3;
    await refusal(record).button("Retry").click();
    await page.notice.text(/^Not sent\. Answered 400: Echipaje insuficiente \(3\)\./).shown();
    await refusal(record)
      .text(/Echipaje insuficiente \(3\)$/)
      .shown();
  });

  test("arrive after an edit that the centre accepts", async () => {
    const record = await opened("Respinsă");
    await refusal(record).link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("Crews").fill("3");
    await form.button("Save").click();
    await record.text(/as #\d+/).shown();
    await record.without(refusal(record));
  });

  test("are given up after a confirmation, and stay here", async () => {
    const record = await opened("Abandonată");
    await refusal(record).button("Stop sending…").click();
    const asked = page.dialog(/^Stop sending #\d+\?$/);
    await asked.text(/Echipaje insuficiente \(\d\)$/).shown();
    await asked.button("Stop sending").click();
    await page.notice.text(/^#\d+ will not be sent; the local record is kept$/).shown();
    await record.without(refusal(record));
    await record.heading(/^#\d+ Abandonată$/).shown();
    await record.badge("not sent").shown();
    await record.without(record.badge("synced"));
    const list = await page.open("interventions?sync=attention");
    await list.markup(".filter-chips").button("All interventions").shown();
    await list.without(list.link("Abandonată"));
  });

  test("are in the event log with what the centre did and answered, in both languages and at the terminal", async () => {
    const { stdout } = await santinela(["events", "--config", join(site.installation.folder, "site.yaml")], {
      cwd: site.installation.folder,
    });
    expect(stdout).toMatch(/The dispatch centre rejected intervention #2 - answered 400: Echipaje/);
    const log = await page.open("events?q=Echipaje%20insuficiente%20(2)");
    await eventually("the entry", async () => /rejected intervention #2/.test(await log.words()));
    expect(await log.words()).toContain("reason: answered 400: Echipaje insuficiente (2)");
    expect(await log.words()).not.toContain("changed the same");
    await page.speak("RO");
    await eventually("the entry", async () => /a respins intervenția #2/.test(await log.words()));
    expect(await log.words()).toContain("motiv: răspuns 400: Echipaje insuficiente (2)");
    await page.speak("EN");
  });

  test("and a field that both sides have changed is there with both values and the one that was kept", async () => {
    const dataDir = join(site.installation.folder, "site");
    const row = [...centre.rows.values()].find(({ name }) => name === "Sosită");
    centre.edit(row?.id ?? 0, { crews: 9 });
    expect((await askDaemon(dataDir, "PUT", "/interventii/1", { crews: 4 })).status).toBe(200);
    const sameData = await page.open("events?q=same%20data");
    const kept = "Crews: “9” of the dispatch centre kept, not “4”";
    await eventually("the entry", async () => (await sameData.words()).includes(kept));
    await page.speak("RO");
    const keptInRomanian = "Echipaje: s-a păstrat „9” de la dispecerat, nu „4”";
    const same = await page.open("events?q=aceleași%20date");
    await eventually("the entry", async () => (await same.words()).includes(keptInRomanian));
    await page.speak("EN");
    expect(site.pageErrors).toEqual([]);
  });
});
