import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";
import type { TimelineEntry } from "../../src/site/timeline-view.ts";

/** More entries than a page of the log and than a reading of a filter. */
const CHANGES = 320;
/** A monitoring gap that ended before the clock was set. */
const GAP: TimelineEntry = {
  at: "2026-01-01T00:05:00.000Z",
  event: "blind-interval",
  who: "santinela",
  from: "itself",
  subject: "gpio-unavailable",
  detail: {
    from: "2026-01-01T00:01:00.000Z",
    to: "2026-01-01T00:02:00.000Z",
    reason: "the daemon did not run",
    isDated: false,
  },
};

describeWithBrowser("the event log of a busy site", () => {
  const site = PanelSite.running();
  beforeAll(async () => {
    await site.bypassBriefly("hall");
    for (let n = 0; n < CHANGES / 2; n += 1) await site.bypassBriefly("front-door");
  });

  test("keeps the older pages that were read when something happens, and counts it above", async () => {
    const page = await site.page("events");
    const log = page.screen("events");
    const shown = (): Promise<number> => log.evaluate("part.querySelectorAll('.log > li').length");
    await log.button("Older entries").click();
    await eventually("two pages", async () => (await shown()) > 150);
    const before = await shown();
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await site.bypassBriefly("smoke");
    await log.button(/^[12] new events?$/).shown();
    await eventually("both", async () => log.button("2 new events").isShown());
    expect(await shown()).toBe(before);
    await log.button("2 new events").click();
    await eventually("the new entries", async () => (await log.words()).includes("Fum depozit"));
    expect(await shown()).toBe(before + 2);
    await page.close();
  });

  test("does not append older entries behind newer ones that were not read", async () => {
    const page = await site.page("events");
    const log = page.screen("events");
    const shown = (): Promise<number> => log.evaluate("part.querySelectorAll('.log > li').length");
    const older = await page.holdResponses("**/site/journal?*after=*");
    await log.button("Older entries").click();
    await older.held();
    for (let n = 0; n < 60; n += 1) await site.bypassBriefly("smoke");
    await log.button("100 new events").click();
    await eventually("the new entries alone", async () => !(await log.words()).includes("Ușa principală"));
    const before = await shown();
    older.release();
    await log.complete();
    // A page has a hundred; the last of the new entries may come meanwhile.
    expect(await shown()).toBeLessThan(before + 50);
    expect(await log.words()).not.toContain("Ușa principală");
    await page.close();
  });

  test("finds an entry further back than what was read, by text and by the link of its zone", async () => {
    const page = await site.page("events?q=PIR");
    const found = page.screen("events");
    await eventually("the first entries", async () => (await found.words()).includes("PIR hol"));
    await page.close();
    const zones = await site.page("zones");
    const sheet = await zones.openZone("PIR hol");
    await sheet.link("History in the event log").click();
    const log = await zones.arrival(/^events$/);
    await log.pressedButton("PIR hol").shown();
    await eventually("the zone alone", async () => /PIR hol[^]*PIR hol/.test(await log.words()));
    expect(await log.words()).not.toContain("Ușa principală");
    await zones.close();
  });

  test("finds entries by the words of their sentences, after a change of the language by those of the other one", async () => {
    const page = await site.page("events?q=signed in");
    const log = page.screen("events");
    await log.text(/edge@site\.example signed in/).shown();
    await page.speak("RO");
    await log.text("Niciun eveniment încărcat nu corespunde filtrelor.").shown();
    await log.field("Căutare").fill("s-a autentificat");
    await log.text(/edge@site\.example s-a autentificat/).shown();
    await page.speak("EN");
    await log.text("No loaded entry matches the filters.").shown();
    await page.close();
  });

  test("says of a monitoring gap that its times are not of a set clock, in both languages", async () => {
    const page = await site.signedOutPage();
    await page.changeResponses("**/site/journal?*", 1_000, (entries) => [
      GAP,
      ...(entries as readonly TimelineEntry[]),
    ]);
    await page.open("events");
    await signIn(page);
    const log = page.screen("events");
    await log.listItem(/Zones were not monitored for a time.*, clock not set · the daemon/).shown();
    await page.speak("RO");
    await log.listItem(/Întrerupere a monitorizării zonelor.*, ceas nesincronizat · serviciul/).shown();
    await page.speak("EN");
    await page.close();
  });

  test("folds the movement of a disarmed zone, opens it, and shows what is stored of an entry", async () => {
    await site.control.post("/site/walk-test", { minutes: 10 });
    for (let n = 0; n < 4; n += 1) {
      await site.daemon.run(["trip", "--zone", "front-door"]);
      await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    }
    const page = await site.page("events");
    const log = page.screen("events");
    const times = log.button(/^4 times since /);
    await times.shown();
    await times.click();
    await log.markup(".log > li:nth-child(3) > button.plain").click();
    await log.text("zone front-door").shown();
    await page.speak("RO");
    await log.button(/^de 4 ori de la /).shown();
    const open = async (): Promise<void> => (await page.open("events")).markup(".log").shown();
    expect(await violationsInAllThemes(page, open, [/Ușa principală|PIR hol|Fum depozit|probă/g])).toEqual(
      [],
    );
    await page.close();
  });

  test("has one row for a trip and its record, with a link to it", async () => {
    await site.control.post("/site/walk-test", { end: true });
    await site.daemon.run(["trip", "--zone", "hall"]);
    await eventually("the record", async () =>
      (await site.control.get<TimelineEntry[]>("/site/journal?limit=5")).some(
        ({ event }) => event === "intervention-created",
      ),
    );
    const page = await site.page("events");
    const log = page.screen("events");
    const row = log.listItem(/PIR hol.*#\d+.*recorded as an intervention/s);
    await row.shown();
    expect(await log.words()).not.toContain("created intervention");
    await row.link(/^#\d+$/).shown();
    await row.button(/^Details/).click();
    await log.text(/intervention-created/).shown();
    await log.button("records").click();
    await log.listItem(/created intervention #\d+/).shown();
    await page.close();
  });
});
