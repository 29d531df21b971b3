import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { HistoryView } from "../../src/site/timeline-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import type { PanelPage, Part, Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/accessibility-checks.ts";

/* The screen of an intervention that has arrived at the dispatch centre, while its zone is open and afterwards. */

describeWithBrowser("an intervention whose zone is still open", () => {
  const elsewhere = Installation.temporary(afterAll);
  let site: PanelSite;
  let page: PanelPage;
  let record: Screen;
  beforeAll(async () => {
    const { port } = await startCentre(
      elsewhere,
      "objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }\n",
    );
    site = new PanelSite(upstreamYaml(port));
    await site.start();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("interventions");
    await page
      .screen("interventions")
      .link(/Alarmă de efracție/)
      .click();
    record = page.screen("interventions/1");
    // Afterwards the dispatch centre changes it only for a test.
    await record.text(/as #\d+/).shown();
  });
  afterAll(() => site.stop());

  const question = (): Part => page.dialog("Set intervention #1 to done?");
  const stillOpen = (): Part => question().text("The contact of Ușa principală is still open.");
  const isNow = (name: string): Promise<void> => record.pressedButton(name).shown();

  test("is closed on its screen after a confirmation that names the zone", async () => {
    await record.button("done").click();
    await stillOpen().shown();
    await question()
      .text("Still armed: Ușa principală. A new intervention may follow while a contact stays open.")
      .shown();
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    await page.press("Escape");
    await question().gone();
    await isNow("planned");
    // Only closing is asked about.
    await record.button("in progress").click();
    await isNow("in progress");
    await record.button("done").click();
    await stillOpen().shown();
    // As a further trip does while the question is asked.
    const notes = "a doua declanșare";
    await askDaemon(join(site.installation.folder, "site"), "PUT", "/interventii/1", { notes });
    await record.markup(".facts").text(notes).shown();
    await question().button("Set to done").click();
    await isNow("done");
    await record.button("in progress").click();
    await isNow("in progress");
  });

  test("is closed in the list after the same confirmation, in either language", async () => {
    const list = await page.open("interventions");
    const close = async (menu: string, status: string): Promise<void> => {
      await list.button(menu).click();
      await list.button(status).click();
    };
    await page.speak("RO");
    await close("Acțiuni pentru #1", "Stare: finalizată");
    const asked = page.dialog("Finalizați intervenția #1?");
    await asked.text("Contactul zonei Ușa principală este încă deschis.").shown();
    await asked.button("Anulare").click();
    await asked.gone();
    await list.row(/Alarmă de efracție.*în desfășurare/).shown();
    await page.speak("EN");
    await close("Actions for #1", "Status: done");
    await stillOpen().shown();
    // The question stays when the row leaves the page, such as by a change of another user.
    await page.evaluate("location.hash = '#/interventions?status=planned'");
    await list.link(/Alarmă de efracție/).gone();
    await question().button("Set to done").click();
    await page.notice.text(/^#1 Alarmă de efracție.*: done$/).shown();
    await page.open("interventions");
    await list.row(/Alarmă de efracție.*done/).shown();
    await close("Actions for #1", "Status: in progress");
    await list.row(/Alarmă de efracție.*in progress/).shown();
  });

  test("is closed by its form after the same confirmation, and without one once the zone is normal", async () => {
    const form = await page.open("interventions/1/edit");
    await form.field("Status").choose("done");
    await form.button("Save").click();
    await stillOpen().shown();
    await question().button("Cancel").click();
    await question().gone();
    await form.field("Status").holds("done");
    await form.button("Save").click();
    await question().button("Set to done").click();
    await page.arrival(/^interventions\/1$/);
    await isNow("done");
    await record.button("in progress").click();
    await isNow("in progress");
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await record.button("done").click();
    await isNow("done");
    await page.openDialog.gone();
  });

  test("shows its delivery to the centre when it is done, and how long it took", async () => {
    await page.open("interventions/1");
    await page.reload();
    await isNow("done");
    await record.listItem(/^Contact\s?\d\d:\d\d:\d\d$/).shown();
    await record.listItem(/^Centre\s?\d\d:\d\d:\d\d$/).shown();
    await record.text(/^Reached the dispatch centre (\d+\.\d s|.+ minutes?) after the trip\.$/).shown();
    const region = record.markup(".log");
    await region.text(/^The dispatch centre has received intervention #1/).shown();
    await region.text(/^Written to the trip journal/).shown();
    await page.speak("RO");
    await record.text(/^A ajuns la dispecerat la (\d+,\d s|.+ minute?) după declanșare\.$/).shown();
    await page.speak("EN");
    const { journey, zones, setThere } = await site.daemon.get<HistoryView>("/site/interventions/1/history");
    expect({ journey, zones, setThere }).toMatchObject({
      journey: {
        interventionId: 1,
        isAlarm: true,
        status: "done",
        zone: { id: "front-door", kind: "intrusion" },
        centre: { phase: "linked", arrivedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      },
      zones: ["front-door"],
      setThere: [],
    });
  });

  test("marks what the dispatch centre has set, and when, until it is changed here", async () => {
    const centre = join(elsewhere.folder, "centre");
    const own = join(site.installation.folder, "site");
    // Of a record that this site has just changed, the centre may still return earlier values.
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const fresh = await page.open("interventions/2");
    await fresh.text(/as #\d+/).shown();
    const { sync } = await site.daemon.get<HistoryView>("/site/interventions/2/history");
    const changed = await askDaemon(centre, "PUT", `/interventii/${sync?.upstreamId}`, {
      crews: 7,
      status: "in_progress",
      priority: "low",
    });
    expect(changed.status).toBe(200);
    await eventually("the change of the dispatcher", async () => {
      await askDaemon(own, "POST", "/site/sync/now");
      return (await site.daemon.get<Intervention>("/interventii/2")).crews === 7;
    });
    const tagged = (): Promise<string[]> =>
      fresh.evaluate<string[]>(
        "[...part.querySelectorAll('.facts .badge')].map((one) => one.closest('div').querySelector('dt').innerText)",
      );
    const tag = /^dispatch centre, \d\d:\d\d:\d\d$/;
    await fresh.markup("section:has(.journey) > p .badge").text(tag).shown();
    await fresh.markup(".facts div:has(dt:text-is('Crews')) .badge").text(tag).shown();
    await fresh.markup(".facts div:has(dt:text-is('Priority')) .badge").text(tag).shown();
    await fresh.complete();
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    await page.look("dark", 360);
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    expect(await tagged()).toEqual(["Priority", "Crews"]);
    expect((await askDaemon(own, "PUT", "/interventii/2", { crews: 2 })).status).toBe(200);
    await eventually("one tag in the details", async () => (await tagged()).join() === "Priority");
    const { setThere } = await site.daemon.get<HistoryView>("/site/interventions/2/history");
    expect(setThere.map(({ field }) => field).toSorted()).toEqual(["priority", "status"]);
    expect(site.pageErrors).toEqual([]);
  });

  test("is closed in the list beside another one, after a question for each", async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await page.look("light", 1280);
    const list = await page.open("interventions");
    await list.button("Actions for #3").shown();
    const histories = await page.holdResponses("**/interventions/*/history");
    for (const id of [2, 3]) {
      await list.button(`Actions for #${id}`).click();
      await list.button("Status: done").click();
    }
    await eventually("two questions to the daemon", () => histories.count() === 2);
    histories.release();
    await page.openDialog.button("Set to done").click();
    await page.openDialog.button("Set to done").click();
    for (const id of [2, 3])
      await eventually(`#${id} to be done`, async () => {
        return (await site.daemon.get<Intervention>(`/interventii/${id}`)).status === "done";
      });
    expect(site.pageErrors).toEqual([]);
  });
});
