import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/screens.ts";

/** A site with something on every screen: a condition, records that cannot leave, an open zone. */
const TROUBLED =
  'upstream: { baseUrl: "http://127.0.0.1:9", email: edge@site.example, passwordFile: ./upstream.password }\n';

/** Where the site's copy of its database lies. */
let folder = "";

/** Some twenty screens one after the other, on a machine that does other things too. */
const LOOK_LIMIT_MS = 240_000;

interface Screen {
  readonly name: string;
  readonly address: string;
  /** Seen when the screen is complete. */
  readonly mark: string;
  /** What is done on it before it is looked at. */
  readonly act?: (page: Page) => Promise<void>;
  /** How what was done is undone. */
  readonly undo?: (page: Page) => Promise<void>;
}

const SCREENS: readonly Screen[] = [
  { name: "status", address: "status", mark: ".conditions li" },
  { name: "zones", address: "zones", mark: ".badge.bad" },
  {
    name: "the question before a test trip",
    address: "zones",
    mark: "dialog",
    act: (page) => page.locator("td button").last().click(),
  },
  {
    name: "the question before a bypass",
    address: "zones",
    mark: "dialog",
    act: (page) => page.locator("td button").first().click(),
  },
  { name: "the walk test", address: "walk-test", mark: "form" },
  {
    name: "the question before a walk test",
    address: "walk-test",
    mark: "dialog",
    act: (page) => page.locator("form button").click(),
  },
  {
    name: "the walk test under way",
    address: "walk-test",
    mark: ".banner",
    act: async (page) => {
      await page.locator("form button").click();
      await page.locator("dialog button.danger").click();
    },
    undo: async (page) => {
      await page.locator(".banner button").click();
      await page.locator(".banner").waitFor({ state: "detached" });
    },
  },
  { name: "interventions", address: "interventions", mark: "td a" },
  { name: "a new intervention", address: "interventions/new", mark: "option[value='12']" },
  { name: "an intervention", address: "interventions/1", mark: "section td" },
  { name: "an intervention that is edited", address: "interventions/1/edit", mark: "textarea" },
  {
    name: "the question before a deletion",
    address: "interventions/1",
    mark: "dialog",
    act: (page) => page.locator("button.danger").click(),
  },
  { name: "objectives", address: "objectives", mark: "td" },
  { name: "the event log", address: "events", mark: "td" },
  { name: "the settings", address: "settings", mark: "td" },
  {
    name: "a new person",
    address: "settings",
    mark: "input[name=password]",
    act: (page) => page.locator("summary").click(),
  },
  {
    name: "the question before a restart",
    address: "settings",
    mark: "dialog",
    act: (page) => page.locator("main .row button").first().click(),
  },
  {
    name: "the question before a restore",
    address: "settings",
    mark: "dialog",
    act: async (page) => {
      await page.locator("input[type=file]").setInputFiles(join(folder, "copy.db"));
      await page.locator("form button").last().click();
    },
  },
  { name: "the set-up", address: "setup", mark: ".guide-step" },
  { name: "the sync queue", address: "sync", mark: "td" },
];

describeWithBrowser("every screen of the panel", () => {
  const site = new PanelSite(TROUBLED);
  beforeAll(async () => {
    folder = site.installation.folder;
    site.installation.secret("upstream.password", "correct horse battery staple");
    await site.start();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await site.daemon.run(["backup", "--out", join(folder, "copy.db")]);
  });
  afterAll(() => site.stop());

  const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
    [360, 1100].map((width) => ({ colorScheme, width })),
  );

  describe.each(looks)("in $colorScheme colours, $width pixels wide", ({ colorScheme, width }) => {
    test.each(["RO", "EN"])(
      "can be used by everybody and fits, in %s",
      async (language) => {
        const context = await site.context({ colorScheme, viewport: { width, height: 800 } });
        const page = await context.newPage();
        const faults: string[] = [];
        const look = async (name: string): Promise<void> => {
          for (const fault of [...(await accessibilityFaults(page)), ...(await clippedParts(page))])
            faults.push(`${name}: ${fault}`);
        };
        await page.goto(site.address);
        await page.getByRole("button", { name: language, exact: true }).click();
        await look("sign-in");
        await signInAs(page);
        for (const { name, address, mark, act, undo } of SCREENS) {
          await page.goto(`${site.address}#/${address}`);
          await act?.(page);
          await page.locator(mark).first().waitFor({ state: "attached" });
          await look(name);
          await page.keyboard.press("Escape");
          await undo?.(page);
        }
        await page.evaluate("sessionStorage.setItem('santinela.token', 'an ended one')");
        await page.goto(`${site.address}#/events`);
        await page.locator("dialog input[type=password]").waitFor();
        await look("the end of a session");
        expect(faults).toEqual([]);
        expect(site.strangers).toEqual([]);
        await context.close();
      },
      LOOK_LIMIT_MS,
    );
  });

  test("and the checks find what they look for", async () => {
    const page = await site.page("zones");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.evaluate("document.querySelector('label').remove()");
    expect((await accessibilityFaults(page)).join()).toMatch(/^select-name|^label/);
    expect(await clippedParts(page)).toEqual([]);
    await page.evaluate("document.querySelector('h1').style.width = '3000px'");
    expect((await clippedParts(page)).join()).toMatch(/^<h1/);
    expect([site.strangers, site.complaints]).toEqual([[], []]);
    await page.evaluate("fetch('http://elsewhere.example/').catch(() => {})");
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('style'), { textContent: 'p{}' }))",
    );
    await page.getByRole("link", { name: "Status" }).click();
    expect(site.complaints.join()).toContain("Content Security Policy");
    // The policy has kept it from being asked at all; without the policy the check sees it.
    expect(site.strangers).toEqual([]);
    const unguarded = await site.page("status", await site.context({ bypassCSP: true }));
    await unguarded.evaluate("fetch('http://elsewhere.example/').catch(() => {})");
    expect(site.strangers).toEqual(["http://elsewhere.example/"]);
  });
});

async function signInAs(page: Page): Promise<void> {
  await page.locator("input[name=email]").fill("edge@site.example");
  await page.locator("input[name=password]").fill("correct horse battery staple");
  await page.keyboard.press("Enter");
  await page.locator("nav").waitFor();
}
