import { expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

const ZONES = 200;
const nameOf = (number: number): string => `Zona ${String(number).padStart(3, "0")}`;
const LISTED = Array.from(
  { length: ZONES },
  (_none, number) =>
    `  - { id: z${number}, name: ${nameOf(number)}, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n`,
);

/** In the page: counts how often a time is written. A tile with the time of its state does so each time it is drawn. */
const COUNT_TIMES = `
  globalThis.times = 0;
  const write = Date.prototype.toISOString;
  Date.prototype.toISOString = function () { globalThis.times += 1; return write.call(this); };`;

describeWithBrowser("the tiles of a site with two hundred zones", () => {
  const site = PanelSite.running(
    "",
    `site: { name: Hala Nord, ref: hala-nord }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\nmqtt: off\n` +
      `gpio: { backend: simulated }\nobjectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\nzones:\n${LISTED.join("")}`,
  );

  test("are grouped for a viewer too, who may not read the names of the objectives and does not ask for them", async () => {
    const viewer = { email: "viewer@site.example", password: "correct horse battery staple" };
    await site.daemon.addAccount(viewer, "viewer");
    const page = await site.signedOutPage();
    await page.open("zones");
    await signIn(page, viewer.password, viewer.email);
    await page.screen("zones").markup("[data-objective] > summary:has-text('building 1')").present();
    await page.screen("zones").complete();
    expect(JSON.stringify(await site.control.get("/site/journal?limit=20"))).not.toContain("forbidden");
    await page.close();
  });

  test("are not all drawn again when one zone opens and the state of the site changes with it", async () => {
    const context = await site.context();
    await context.addInitScript(COUNT_TIMES);
    const page = await site.page("zones", context);
    const zones = page.screen("zones");
    const tiles = (): Promise<number> => zones.evaluate("part.querySelectorAll('.tile').length");
    const times = (): Promise<number> => page.evaluate("globalThis.times");
    await eventually("all tiles", async () => (await tiles()) === ZONES);
    await zones.complete();
    // Each of them has the time since when it is at rest.
    expect(await times()).toBeGreaterThan(ZONES);
    await page.evaluate("globalThis.times = 0");
    await site.daemon.run(["trip", "--zone", "z7"]);
    await zones.tile(nameOf(7)).text("Open").shown();
    await page.menu.text("1 unfinished alarm").present();
    await zones.complete();
    expect(await times()).toBeLessThan(ZONES);
    await context.close();
  });

  test("show how long a zone is open, although nothing else changes", async () => {
    const context = await site.contextWithTime();
    await context.clock.install();
    const page = await site.page("zones", context);
    const tile = page.screen("zones").tile(nameOf(9));
    await site.daemon.run(["trip", "--zone", "z9"]);
    await tile.text("now").shown();
    // The stream ends with its silence; what would come after it is held.
    await page.holdRequests("**/site/{events,status,zones,walk-test}");
    await context.clock.fastForward(180_000);
    await tile.text("3 min").shown();
    await context.close();
  });
});
