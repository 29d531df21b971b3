import { join } from "node:path";
import { expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { interventionsOf } from "../support/installation.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { accessibilityFaults } from "../support/accessibility-checks.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

/** The browser's clock is five hours ahead. */
const AHEAD = "(() => { const now = Date.now; Date.now = () => now() + 18_000_000; })()";

describeWithBrowser("a technician on site", () => {
  const site = PanelSite.running();

  test("completes a walk test with the keyboard, and nothing is dispatched", async () => {
    const page = await site.page("status");
    await reach(page, page.menu.link("Walk test"));
    await page.press("Enter");
    const walk = page.screen("walk-test");
    await walk.heading("Walk test").shown();
    await reach(page, walk.field("Duration (minutes)"));
    await page.press("ControlOrMeta+a");
    await page.type("5");
    await reach(page, walk.button("Start walk test"));
    await page.press("Enter");
    const question = page.dialog("Walk test for 5 minutes?");
    await question.text(/LIFE SAFETY: no alarm is dispatched from Fum depozit\./).shown();
    expect(await site.daemon.get("/site/walk-test")).toBeNull();
    await reach(page, question.button("Start walk test"));
    await page.press("Enter");
    await walk.heading("0 of 3 zones tested").shown();

    await site.daemon.run(["trip", "--zone", "front-door"]);
    await walk.heading("1 of 3 zones tested").shown();
    await walk
      .listItem(/Ușa principală/)
      .text(/×1$/)
      .shown();

    // A zone still open at the end of the walk test would be reported.
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);

    await page.open("objectives");
    const banner = page.walkBanner;
    await banner.text(/nothing is dispatched/).shown();
    await banner.text(/^[0-5]:\d\d$/).shown();
    await banner.markup("summary").click();
    await banner.text(/LIFE SAFETY: no alarm is dispatched from Fum depozit\./).shown();
    await reach(page, banner.button("End walk test"));
    await page.press("Enter");
    await banner.gone();

    await page.open("walk-test");
    await walk.text("edge@site.example").shown();
    await walk.text(/^\w+ ?,? ?\d+ \w+ \d{4}, [\d:]{8} – .*[\d:]{8} \(Europe\/Bucharest\)$/).shown();
    await walk.badge("1 zone tested").shown();
    await walk.badge("2 zones not tested").shown();
    await walk.row(/Ușa principală intrusion .* ×1 tested/).shown();
    await walk.row(/Fum depozit fire – – ×0 not tested/).shown();
    await walk.button("Print").shown();

    // On paper the report is alone, as a table, with its signatures; in light colours also for a dark page.
    await page.asPrinted(true);
    await page.look("dark", 412);
    await walk.columnHeader("Result").shown();
    await walk.text("Customer").shown();
    for (const other of [walk.button("Print"), walk.button("Start signal test"), page.menu.link("Home")])
      await eventually("a hidden part", async () => !(await other.isShown()));
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("light");
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    const paper = (await page.printed()).toString("latin1");
    expect(paper.match(/\/Type \/Page\b/g)).toHaveLength(1);
    expect(paper).toMatch(/\/MediaBox \[0 0 59[45](\.\d+)? 84[12](\.\d+)?\]/);
    expect(await interventionsOf(site.daemon)).toEqual([]);
  });

  test("keeps a trip that comes before the response to an extension", async () => {
    await site.control.post("/site/walk-test", { minutes: 5 });
    const page = await site.page("walk-test");
    const walk = page.screen("walk-test");
    await walk.heading("0 of 3 zones tested").shown();
    const extended = await page.holdResponses("**/site/walk-test");
    await walk.button("+15 min").click();
    await extended.held();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await walk.heading("1 of 3 zones tested").shown();
    extended.release();
    await walk.without(walk.markup("button:disabled"));
    await walk.heading("1 of 3 zones tested").shown();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await site.control.post("/site/walk-test", { end: true });
    await page.close();
  });

  test("bypasses a zone with a reason and returns it to service", async () => {
    const page = await site.page("zones");
    const sheet = await page.openZone("Fum depozit");
    await sheet.button("Bypass…").click();
    const dialog = page.dialog("Bypass Fum depozit");
    await dialog.text(/LIFE SAFETY: no alarm is dispatched from Fum depozit\./).shown();
    await dialog.field("Reason").fill("renovare");
    await dialog.field("Duration").choose("60");
    await dialog.button("Bypass zone").click();
    await sheet.text(/edge@site.example: renovare/).shown();
    const suppressed = page.lifeSafetyBanner;
    // With its date in the last hour before midnight.
    await suppressed.text(/no alarm is dispatched from Fum depozit \(bypass until .*\d\d:\d\d\)/).shown();
    await sheet.button("Return to service").click();
    await page.notice.text("Fum depozit returned to service").shown();
    await sheet.text(/renovare/).gone();
    await suppressed.gone();
    await sheet.shown();
  });

  test("bypasses a zone until the morning, also by a phone with a wrong clock, and takes it back at once", async () => {
    const page = await site.page("zones");
    await page.evaluate(AHEAD);
    const sheet = await page.openZone("PIR hol");
    await sheet.button("Bypass…").click();
    const dialog = page.dialog("Bypass PIR hol");
    await dialog.field("Reason").fill("pisică");
    await dialog.field("Duration").choose("morning");
    await dialog.button("Bypass zone").click();
    await page.notice.text(/^PIR hol bypassed until .*06:00/).shown();
    await sheet.text(/until .*06:00 · edge@site\.example: pisică/).shown();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.notice.button("Undo").click();
    await page.notice.text("PIR hol returned to service").shown();
    await sheet.text(/pisică/).gone();
  });

  test("sees what is left of a walk test by the clock of the daemon", async () => {
    const page = await site.page("status");
    await page.evaluate(AHEAD);
    await site.control.post("/site/walk-test", { minutes: 10 });
    await page.open("walk-test");
    await page
      .screen("walk-test")
      .text(/^(10:0\d|9:5\d) left$/)
      .shown();
    await site.control.post("/site/walk-test", { end: true });
    await page.close();
  });

  test("extends a walk test once when the button is pressed twice", async () => {
    const page = await site.page("walk-test");
    const daemon = new ControlClient(join(site.installation.folder, "site"));
    await daemon.post("/site/walk-test", { minutes: 10 });
    const walk = page.screen("walk-test");
    await walk.button("+15 min").shown();
    const slow = await page.holdResponses("**/site/walk-test");
    await walk.button("+15 min").doubleClick();
    await slow.held();
    slow.release();
    await walk.button("End walk test").click();
    await walk.button("End walk test").gone();
    // One extension, the question which zones are open, and the end.
    expect(slow.count()).toBe(3);
    await page.close();
  });

  test("runs a signal test and sees each step", async () => {
    const walk = (await site.page("walk-test")).screen("walk-test");
    await walk.button("Start signal test").click();
    await walk.text(/recorded here as #\d+/).shown();
    await walk.badge("test completed").shown();
    // Without a dispatch centre its way ends here; there is no contact.
    expect(await walk.markup(".journey").words()).toMatch(/^Journal\s+stored\s+Record\s+\d\d:\d\d:\d\d$/);
  });

  test("sends one signal test when the button is pressed twice", async () => {
    const before = (await interventionsOf(site.daemon)).length;
    const walk = (await site.page("walk-test")).screen("walk-test");
    await walk.button("Start signal test").doubleClick();
    await walk.badge("test completed").shown();
    expect(await interventionsOf(site.daemon)).toHaveLength(before + 1);
  });

  test("sees the end of a signal test that no event reports", async () => {
    const page = await site.page("walk-test");
    const early = { interventionId: null, state: "waiting", isOver: false };
    // More responses than there are events of one test.
    await page.changeResponses("**/site/signal-test/*", 4, (body) => ({ ...body, ...early }));
    const walk = page.screen("walk-test");
    await walk.button("Start signal test").click();
    await walk.badge("not recorded as an intervention yet").shown();
    await walk.text(/recorded here as #\d+/).shown();
    await walk.badge("test completed").shown();
  });
});

describeWithBrowser("before a walk test", () => {
  const site = PanelSite.running();

  test("a viewer reads that none is running, and who may start one", async () => {
    const viewer = { email: "viewer@site.example", password: "correct horse battery staple" };
    await site.daemon.addAccount(viewer, "viewer");
    const page = await site.signedOutPage();
    await page.open("walk-test");
    await signIn(page, viewer.password, viewer.email);
    await page
      .screen("walk-test")
      .text(/^No walk test is running\. Only an operator/)
      .shown();
    await page.close();
  });

  test("alarms that are not done are named", async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    const page = await site.page("walk-test");
    await page.screen("walk-test").button("Start walk test").click();
    const question = page.dialog("Walk test for 30 minutes?");
    await question.text(/^1 unfinished alarm: .*Ușa principală/).shown();
    await page.close();
  });
});

/** Presses Tab until the part has the focus. */
async function reach(page: PanelPage, part: Part): Promise<void> {
  await part.shown();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await part.hasFocus()) return;
    await page.press("Tab");
  }
  throw new Error("a part of the page cannot be reached with the keyboard");
}
