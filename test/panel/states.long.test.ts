import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { Screen } from "../support/panel-page.ts";
import {
  CENTRE_ADDRESSES,
  faultsOf,
  type Language,
  mainText,
  NoContent,
  type Route,
  SCREEN_NAMES,
  SITE_ADDRESSES,
  WORDS,
} from "../support/panel-addresses.ts";
import { PanelSite } from "../support/panel-site.ts";

/** Names of the sites, their zones and records, in the language of their people. */
const NAMES = [
  /Zona .* declanșată la [\d.]+ [\d:]+\./g,
  "Alarmă de efracție",
  "Hala Nord",
  "Dispecerat Cluj",
  "Ușa principală",
  "PIR hol",
  "Fum depozit",
  "Str. Fabricii 7",
  // The ids of the zones stand for their names until the page has the zones.
  "front-door",
  /fără declanșare: [\w, -]+/g,
];
const PLACES = Object.values(SITE_ADDRESSES).flat();
const FRAME = `http: { port: 0, hosts: [${PANEL_HOST}] }\nmqtt: off\ngpio: { backend: simulated }\n`;
const LANGUAGES = ["RO", "EN"] as const;
/** Twenty places in four looks, on a busy machine. */
const PLACES_TIMEOUT_MS = 600_000;

/** What comes instead of the content of a screen: from the daemon, from a proxy in front of it, or never. */
const ANSWERS: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  "an internal error": (route) =>
    route.fulfill({
      status: 500,
      headers: { "X-Error-Code": "internal" },
      json: { message: "internal error" },
    }),
  "a refusal of a proxy": (route) => route.fulfill({ status: 403, body: "<html>Forbidden</html>" }),
  "a page of a proxy": (route) => route.fulfill({ status: 200, body: "<html>Sign in to the network</html>" }),
  nothing: () => Promise.resolve(),
};

test("every screen of the route table has its places here", () => {
  expect(SCREEN_NAMES.length).toBeGreaterThan(10);
  expect(Object.keys(SITE_ADDRESSES).toSorted()).toEqual([...SCREEN_NAMES].toSorted());
});

describeWithBrowser("a screen whose content is unavailable", () => {
  const site = PanelSite.running();
  const centre = newCentre();
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    const daemon = new ControlClient(join(site.installation.folder, "site"));
    for (const body of [{ minutes: 2 }, { end: true }]) await daemon.post("/site/walk-test", body);
    await centre.start();
  });
  afterAll(() => centre.stop());

  describe.each(Object.entries(ANSWERS))("but %s", (_name, answer) => {
    test.each(LANGUAGES)(
      "reports it with a way to try again, in %s",
      async (language) => {
        const faults = await faultsWithout(site, PLACES, language, answer);
        expect([...faults, ...(await faultsWithout(centre, CENTRE_ADDRESSES, language, answer))]).toEqual([]);
      },
      PLACES_TIMEOUT_MS,
    );
  });

  test.each(LANGUAGES)(
    "claims nothing while the state of the site is not known, in %s",
    async (language) => {
      const context = await site.context();
      const page = await site.page("more", context);
      await page.speak(language);
      await context.route("**/site/{events,status,zones,walk-test}", (route) =>
        route.fulfill({ status: 502, body: "<html></html>" }),
      );
      const faults: string[] = [];
      for (const place of PLACES) {
        const screen = await page.open(place);
        await page.reload();
        await screen.present();
        await page.banner.markup(".live.lost").shown();
        await screen.complete();
        const text = await mainText(page);
        const { well, noZones, retry } = WORDS[language];
        if (text.includes(well) || text.includes(noZones)) faults.push(`${place}: ${text}`);
        // It has its own content, or says that the daemon does not answer.
        if ((await count(screen, "h1")) !== 1) faults.push(`${place}: not one heading`);
        if (["status", "zones", "walk-test"].includes(place)) await screen.button(retry).shown();
        for (const fault of await faultsOf(page, language, NAMES)) faults.push(`${place}: ${fault}`);
      }
      expect(faults).toEqual([]);
      await context.close();
    },
    PLACES_TIMEOUT_MS,
  );
});

describeWithBrowser("a screen without anything to show", () => {
  const site = PanelSite.running("", `site: { name: Hala Nord, ref: hala-nord }\n${FRAME}zones: []\n`);
  const centre = newCentre();
  beforeAll(async () => {
    await centre.start();
  });
  afterAll(() => centre.stop());

  /** Where nothing would be shown; elsewhere the screen is a form, a list of its own, or has no such record. */
  const EMPTY_AT_SITE = ["status", "zones", "interventions", "plan", "walk-test", "objectives", "sync"];

  test.each(LANGUAGES)(
    "says what belongs there and how to go on, in %s",
    async (language) => {
      const faults = await faultsWhenEmpty(site, PLACES, language);
      expect([...faults, ...(await faultsWhenEmpty(centre, CENTRE_ADDRESSES, language))]).toEqual([]);
    },
    PLACES_TIMEOUT_MS,
  );

  test("does not say that a site without zones is well", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await home.heading("No zones yet").shown();
    await home.link("Add the first zone").shown();
    expect(await mainText(page)).not.toContain(WORDS.EN.well);
    for (const place of EMPTY_AT_SITE.slice(1)) await (await page.open(place)).markup(".empty p").shown();
    await page.open("interventions?q=nothing");
    const list = page.screen("interventions");
    await list.text("No intervention matches the filters.").shown();
    await list.markup(".empty button").click();
    await list.text("No interventions yet. Each alarm creates one.").shown();
    await page.open("events?q=nothing-of-this-name");
    const log = page.screen("events");
    await log.button("All entries").click();
    await log.markup("ol.log").shown();
  });
});

function newCentre(): PanelSite {
  const yaml = `site: { ref: centre, name: Dispecerat Cluj }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n`;
  return new PanelSite("", yaml, "centre");
}

/** The faults of the places while no content arrives, and of the way back. */
async function faultsWithout(
  site: PanelSite,
  places: readonly string[],
  language: Language,
  answer: (route: Route) => Promise<void>,
): Promise<string[]> {
  const context = await site.context();
  const isSilent = answer === ANSWERS["nothing"];
  if (isSilent) await context.clock.install();
  const page = await site.page("more", context);
  await page.speak(language);
  // The scripts of the screens are loaded: only their content is missing.
  for (const place of places) await (await page.open(place)).complete();
  const content = await NoContent.in(context);
  const faults: string[] = [];
  for (const place of places) {
    await (await page.open("more")).complete();
    content.begin(answer);
    const screen = await page.open(place);
    await content.settled(page, screen, isSilent);
    const { alerts, retries, headings } = await stateOf(screen, language);
    if (alerts !== retries) faults.push(`${place}: an error without a way on`);
    if (headings !== 1) faults.push(`${place}: not one heading`);
    for (const fault of await faultsOf(page, language, NAMES)) faults.push(`${place}: ${fault}`);
    content.end();
    await screen.evaluate(
      "part.querySelectorAll('.s-fault[role=alert] button').forEach((button) => button.click())",
    );
    if (!isMissing(place))
      await eventually(`the content of ${place}`, async () => (await stateOf(screen, language)).alerts === 0);
    if (await page.evaluate("document.activeElement === null")) faults.push(`${place}: the focus is lost`);
  }
  await context.close();
  return faults;
}

/** Whether the record of the address does not exist, so that it stays an error. */
function isMissing(place: string): boolean {
  return place === "sites/1";
}

async function faultsWhenEmpty(
  site: PanelSite,
  places: readonly string[],
  language: Language,
): Promise<string[]> {
  const context = await site.context();
  const page = await site.page("more", context);
  await page.speak(language);
  const faults: string[] = [];
  for (const place of places) {
    const screen = await page.open(place);
    await screen.complete();
    const waysOn = "a[href], button, form, summary";
    if ((await count(screen, waysOn)) === 0) faults.push(`${place}: no way on`);
    if ((await count(screen, "h1")) !== 1) faults.push(`${place}: not one heading`);
    for (const fault of await faultsOf(page, language, NAMES)) faults.push(`${place}: ${fault}`);
  }
  await context.close();
  return faults;
}

function count(screen: Screen, selector: string): Promise<number> {
  return screen.evaluate<number>(`part.querySelectorAll(${JSON.stringify(selector)}).length`);
}

/** How many errors the screen shows, how many of them have a button to try again, and its headings of the first level. */
function stateOf(
  screen: Screen,
  language: Language,
): Promise<{ readonly alerts: number; readonly retries: number; readonly headings: number }> {
  return screen.evaluate(`(() => {
    const alerts = [...part.querySelectorAll(".s-fault[role=alert]")];
    const canRetry = (alert) => [...alert.querySelectorAll("button")].some((button) =>
      button.textContent === ${JSON.stringify(WORDS[language].retry)});
    const headings = part.querySelectorAll("h1").length;
    return { alerts: alerts.length, retries: alerts.filter(canRetry).length, headings };
  })()`);
}
