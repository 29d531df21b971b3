import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";
import { formatConditionMessage, type Condition } from "../../src/domain/condition.ts";
import type { PanelPage } from "../support/panel-page.ts";

describeWithBrowser("the status screen", () => {
  const site = PanelSite.running();

  test("shows a fire alarm in both languages until its intervention is done", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await home.heading("All is well").shown();
    expect(await home.region("All is well").attribute("aria-live")).toBe("polite");
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const summary = home.region("Fire alarm");
    // Its name once, and since when; the zone that is open is the one that is named.
    await summary.text(/^Fum depozit · since \d\d:\d\d$/).shown();
    // A screen reader is interrupted.
    expect(await summary.attribute("aria-live")).toBe("assertive");
    await summary.link("Open intervention #1").click();
    await (await page.arrival(/^interventions\/\d+$/)).heading(/Fum depozit/).shown();

    await page.open("status");
    await page.speak("RO");
    // Named after the record that it leads to: an opening is what a contact does.
    await home.region("Alarmă de incendiu").link("Intervenția #1").shown();
    await page.speak("EN");
    const raised = () => home.heading(/^(Fire alarm|Alarmă de incendiu)$/).shown();
    // The name of the intervention is in the language of the site.
    const faults = await violationsInAllThemes(page, raised, [/Alarmă de incendiu(?=: )/g]);
    expect(faults).toEqual([]);

    await page.speak("EN");
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await site.daemon.run(["interventions", "set", "1", "--status", "done"]);
    await home.heading("All is well").shown();
    expect(await home.region("All is well").attribute("aria-live")).toBe("polite");
  });

  test("says since when the centre is offline, once the daemon calls the link a fault", async () => {
    const context = await site.context();
    const page = await pageWith(context, LINK_DOWN);
    const home = page.screen("status");
    await home.heading(/^Centre offline since .*\d\d:\d\d/).shown();
    await home.listItem(/Dispatch centre unreachable/).shown();
    await page.speak("RO");
    await home.heading(/^Dispecerat indisponibil de la .*\d\d:\d\d/).shown();
    await context.close();
  });

  test("shows the times in the text of a condition in the time zone of the site, in both languages", async () => {
    const context = await site.context();
    const page = await pageWith(context, LIST_UNREAD);
    const home = page.screen("status");
    await home.text(/The mirror of 20\/11\/2026, 05:27:00 stays in use\./).shown();
    await page.speak("RO");
    await home
      .text(
        "Lista de obiective a dispeceratului (clădiri) nu poate fi citită: conexiune închisă fără răspuns. Rămâne activă lista actualizată la 20.11.2026, 05:27:00. Se reîncearcă automat.",
      )
      .shown();
    await context.close();
  });

  /** Home of a site on which only this condition is open. */
  async function pageWith(
    context: Awaited<ReturnType<typeof site.context>>,
    condition: Condition,
  ): Promise<PanelPage> {
    // Without a stream the page polls, and its responses can be those of ten minutes later.
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    const page = await site.signedOutPage(context);
    const items = [{ about: "condition", id: condition.code, name: condition.title }];
    const reasons = [{ code: "condition-error", level: "fault", count: 1, items }];
    const headline = { level: "fault", text: `fault: 1 error (${condition.title})`, planned: 0, reasons };
    await page.changeResponses("**/site/status", 1_000, (body) => ({
      ...body,
      headline,
      conditions: [condition],
    }));
    await page.open("status");
    await signIn(page);
    return page;
  }
});

const OPEN = { subject: "", severity: "error", since: "2026-11-20T03:27:00.000Z" } as const;
const LINK_DOWN: Condition = {
  ...OPEN,
  code: "upstream-unreachable",
  title: "Dispatch centre unreachable",
  text: "",
  values: { centre: "https://centre.example", what: "cannot be reached", answer: "ECONNREFUSED" },
};
const LIST = {
  type: "obiective/cladiri",
  what: "cannot be read: connection closed without a response",
  fallback: "The mirror of 2026-11-20T03:27:00.000Z stays in use.",
  remedy: "It is retried automatically.",
};
const LIST_UNREAD: Condition = {
  ...OPEN,
  code: "objectives-mirror-stale",
  title: "Objective list of the dispatch centre out of date",
  text: formatConditionMessage("objectives-mirror-stale", LIST),
  values: LIST,
};
