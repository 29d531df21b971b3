import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { EDGE } from "../support/installation.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const NAMES = ["Ușa principală", "PIR hol", "Fum depozit", "Hala Nord"];

describeWithBrowser("a site after a walk test", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeAll(async () => {
    page = await site.page("zones");
  });

  const untested = async (): Promise<string[]> =>
    (await site.daemon.get<ZoneView[]>("/site/zones")).flatMap(({ id, testedAt }) =>
      testedAt === null ? id : [],
    );

  test("marks the zones without a walk test in both languages", async () => {
    const zones = page.screen("zones");
    for (const name of NAMES.slice(0, 3)) await zones.tile(name).text("not tested").shown();
    await zones.button("Not tested 3").shown();
    const home = await page.open("status");
    await home.text("No alarm in the trip journal").shown();
    await home.text("No zone tested yet").shown();
    await home.text("3 zones not tested").shown();
    await page.speak("RO");
    await home.text("Încă nicio zonă testată").shown();
    await home.text("3 zone netestate").shown();
    await page.open("zones");
    await zones.tile("PIR hol").text("netestată").shown();
    await zones.button("Netestate 3").shown();
    await page.speak("EN");
    expect(await violationsInAllThemes(page, () => zones.tile("PIR hol").shown(), NAMES)).toEqual([]);
    await page.speak("EN");
  });

  test("marks a zone no longer once it has tripped in one, also after a restart", async () => {
    const walk = await page.open("walk-test");
    await walk.button("Start walk test").click();
    await page
      .dialog(/^Walk test for/)
      .button("Start walk test")
      .click();
    await walk.heading("0 of 3 zones tested").shown();
    for (const zone of ["hall", "front-door"]) {
      await site.daemon.run(["trip", "--zone", zone]);
      await site.daemon.run(["trip", "--zone", zone, "--restore"]);
    }
    await walk.heading("2 of 3 zones tested").shown();
    expect(await untested()).toEqual(["smoke"]);
    await walk.button("End walk test").click();
    await walk.button("End walk test").gone();
    await site.daemon.end("SIGKILL");
    await site.startAgain();
    expect(await untested()).toEqual(["smoke"]);
    const zones = await page.open("zones?filter=untested");
    await zones.tile("Fum depozit").text("not tested").shown();
    await zones.without(zones.tile("PIR hol"));
    const home = await page.open("status");
    await home.text(/^Last walk test \d\d:\d\d$/).shown();
    await home.text("1 zone not tested").shown();
  });

  test("marks a zone again when it gets another sensor", async () => {
    const file = join(site.installation.folder, "site.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("gpio: 27", "gpio: 22"));
    site.daemon.hangUp();
    await eventually("the hall without a test", async () => (await untested()).includes("hall"));
    expect(await untested()).toEqual(["hall", "smoke"]);
  });

  test("has the walk test as the next step of the set-up, in words, until each zone is tested", async () => {
    const guide = await page.open("setup");
    const step = guide.markup("li[aria-current=step]");
    await step.heading("Walk test").shown();
    await step.badge("next step").shown();
    await step.text("1 of 3 zones tested").shown();
    await guide.text(/^\d of \d done$/).shown();
    // One way to it: above the list, and not again in the step.
    await guide.link("Go to Walk test").shown();
    await guide.without(step.link("Go to Walk test"));
    // What is done says its result in one line and is closed.
    await guide.listItem(/^This site done\s*Hala Nord \(hala-nord\)/).shown();
    await guide.text("Create a configuration").hidden();
    await page.speak("RO");
    await step.badge("pasul următor").shown();
    const open = () => step.shown();
    expect(await violationsInAllThemes(page, open, [...NAMES, EDGE.email])).toEqual([]);
    await page.speak("EN");
  });

  test("says at home when the last alarm was, of which zone, and how it ended", async () => {
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const home = await page.open("status");
    await home.link(/^Last alarm \d\d:\d\d #1 Fum depozit · planned$/).shown();
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await site.daemon.run(["interventions", "set", "1", "--status", "done"]);
    await home.link(/^Last alarm \d\d:\d\d #1 Fum depozit · done$/).shown();
    await page.speak("RO");
    await home.link(/^Ultima alarmă: \d\d:\d\d #1 Fum depozit · finalizată$/).click();
    await (await page.arrival(/^interventions\/1$/)).heading(/Fum depozit/).shown();
    await page.speak("EN");
  });
});

/** Forty-two zones, the last three of them at the second objective. */
const MANY = Array.from({ length: 42 }, (_, at) => {
  const id = at < 39 ? 12 : 13;
  return `  - { id: z${at}, name: Zona ${at}, kind: intrusion, objective: { type: obiective/cladiri, id: ${id} }, input: { simulated: true } }\n`;
});

describeWithBrowser("a site with more than forty zones", () => {
  const site = PanelSite.running(
    "",
    `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}] }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord }, { id: 13, name: Magazia } ] }
zones:
${MANY.join("")}`,
  );

  test("has those at rest in a group for each objective, and what is open above", async () => {
    const page = await site.page("zones");
    const zones = page.screen("zones");
    await zones.text(/^Hala Nord 39 zones normal$/).shown();
    const shed = zones.text(/^Magazia 3 zones normal$/);
    await shed.shown();
    await zones.tile("Zona 41").hidden();
    await shed.click();
    await zones.tile("Zona 41").shown();
    await site.daemon.run(["trip", "--zone", "z40"]);
    await zones.text(/^Magazia 2 zones normal$/).shown();
    await zones.tile("Zona 40").shown();
    // A search or a filter shows all that match.
    await zones.field("Search").fill("zona 38");
    await zones.tile("Zona 38").shown();
    await zones.without(shed);
    await zones.field("Search").fill("");
    await page.speak("RO");
    await zones.text(/^Hala Nord 39 de zone normale$/).shown();
    const grouped = () => zones.text(/^Magazia 2 zon/).shown();
    expect(
      await violationsInAllThemes(page, grouped, [
        "Hala Nord",
        "Magazia",
        /Alarmă de efracție: Zona \d+/g,
        /Zona \d+/g,
      ]),
    ).toEqual([]);
    await page.close();
  });

  test("keeps a group as its reader left it when the zones of another objective return to rest", async () => {
    const at = async (...ids: string[]): Promise<void> => {
      for (const id of ids) await site.daemon.run(["trip", "--zone", id]);
    };
    await at("z39", "z40", "z41");
    const page = await site.page("zones");
    const zones = page.screen("zones");
    const hall = zones.text(/^Hala Nord 39 zones normal$/);
    await hall.shown();
    await zones.without(zones.text(/^Magazia/));
    await zones.tile("Zona 38").hidden();
    await hall.click();
    await zones.tile("Zona 38").shown();
    await site.daemon.run(["trip", "--zone", "z41", "--restore"]);
    await zones.text(/^Magazia 1 zone normal$/).shown();
    await zones.tile("Zona 38").shown();
    await page.close();
  });
});
