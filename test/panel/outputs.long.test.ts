import { expect, test } from "vitest";
import type { Part } from "../support/panel-page.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const OUTPUTS = `outputs:
  - { name: sirena, on: alarm, pulseS: 180, gpio: 22, active: low }
  - { name: lampa, on: not-ready, afterS: 0, gpio: 23 }
`;
const NAMES = [
  "sirena",
  "lampa",
  "GPIO 22",
  "GPIO 23",
  "Ușa principală",
  "PIR hol",
  "Fum depozit",
  "Hala Nord",
];
/** Four looks in each language, on a busy machine. */
const LOOKS_TIMEOUT_MS = 120_000;

describeWithBrowser("the outputs in the panel", () => {
  const site = PanelSite.running(OUTPUTS);

  const siren = (screen: Part): Part => screen.listItem(/^sirena/);

  test("have a state and its reason, and one is tested after a confirmation", async () => {
    const page = await site.page("walk-test");
    const screen = page.screen("walk-test");
    await siren(screen)
      .text(/^on alarm · GPIO 22/)
      .shown();
    await siren(screen).badge("off").shown();
    await siren(screen).button("Test sirena").click();
    await page.dialog("Switch sirena for two seconds?").button("Test").click();
    await siren(screen).badge("on").shown();
    await siren(screen).badge("off").shown();
    const log = await page.open("events");
    await log.listItem(/tested output sirena/).shown();
    const entries =
      await site.daemon.get<{ event: string; detail?: { reason?: string } }[]>("/site/journal?limit=10");
    const reasons = entries.flatMap(({ event, detail }) =>
      event === "output-switched" ? detail?.reason : [],
    );
    expect(new Set(reasons.slice(0, 2))).toEqual(new Set(["test"]));
    await page.close();
  });

  test("look right in every language and theme", { timeout: LOOKS_TIMEOUT_MS }, async () => {
    const page = await site.page("walk-test");
    const open = async (): Promise<void> => siren(await page.open("walk-test")).shown();
    expect(await violationsInAllThemes(page, open, NAMES)).toEqual([]);
    await page.close();
  });

  test("are not tested during an alarm", async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    const page = await site.page("walk-test");
    const screen = page.screen("walk-test");
    await siren(screen).badge("on").shown();
    await siren(screen)
      .text(/^In use until .*; it can be tested afterwards\. A walk test or a bypass of the zone/)
      .shown();
    expect(await siren(screen).button("Test sirena").attribute("disabled")).not.toBeNull();
    await page.close();
  });
});
