import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { EN } from "../../src/panel/messages/en.ts";
import { RO } from "../../src/panel/messages/ro.ts";
import type { Catalogue, Plural, MessageKey } from "../../src/panel/messages/catalogue.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage, Part, Screen } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/screens.ts";

/** A site with something on every screen: a condition, records that cannot leave, an open zone. */
const TROUBLED =
  'upstream: { baseUrl: "http://127.0.0.1:9", email: edge@site.example, passwordFile: ./upstream.password }\n';

/** Where the site's copy of its database lies. */
let folder = "";

/** Some twenty screens one after the other, on a machine that does other things too. */
const LOOK_LIMIT_MS = 240_000;

/** The panel's words in the language that it speaks. */
type Word = (key: MessageKey) => string;

interface Look {
  readonly name: string;
  readonly address: string;
  /** Seen when the screen is complete. */
  readonly mark: (screen: Screen, word: Word, page: PanelPage) => Part;
  /** What is done on it before it is looked at. */
  readonly act?: (screen: Screen, word: Word, page: PanelPage) => Promise<void>;
  /** How what was done is undone. */
  readonly undo?: (page: PanelPage) => Promise<void>;
}

const question = (_screen: Screen, _word: Word, page: PanelPage): Part => page.openDialog;

const LOOKS: readonly Look[] = [
  {
    name: "status",
    address: "status",
    mark: (screen, word) => screen.listItem(new RegExp(word("condition.upstream-unreachable"))),
  },
  { name: "zones", address: "zones", mark: (screen) => screen.markup(".badge.bad") },
  {
    name: "the question before a test trip",
    address: "zones",
    mark: question,
    act: (screen, word) => screen.button(`${word("zones.try")} Fum depozit`).click(),
  },
  {
    name: "the question before a bypass",
    address: "zones",
    mark: question,
    act: (screen, word) => screen.button(`${word("bypass.ask")} Ușa principală`).click(),
  },
  { name: "the walk test", address: "walk-test", mark: (screen) => screen.markup("form") },
  {
    name: "the question before a walk test",
    address: "walk-test",
    mark: question,
    act: (screen, word) => screen.button(word("walk.start")).click(),
  },
  {
    name: "the walk test under way",
    address: "walk-test",
    mark: (_screen, _word, page) => page.walkBanner,
    act: async (screen, word, page) => {
      await screen.button(word("walk.start")).click();
      await page.openDialog.button(word("walk.start")).click();
    },
    undo: async ({ walkBanner }) => {
      await walkBanner.markup("button").click();
      await walkBanner.gone();
    },
  },
  { name: "interventions", address: "interventions", mark: (screen) => screen.markup("td a") },
  {
    name: "a new intervention",
    address: "interventions/new",
    mark: (screen) => screen.option("Hala Nord (12)"),
  },
  {
    name: "an intervention",
    address: "interventions/1",
    mark: (screen, word) => screen.row(new RegExp(word("event.intervention-created"))),
  },
  {
    name: "an intervention that is edited",
    address: "interventions/1/edit",
    mark: (screen) => screen.input("notes"),
  },
  {
    name: "the question before a deletion",
    address: "interventions/1",
    mark: question,
    act: (screen, word) => screen.button(word("interventions.delete")).click(),
  },
  { name: "objectives", address: "objectives", mark: (screen) => screen.row(/Hala Nord/) },
  {
    name: "the event log",
    address: "events",
    mark: (screen, word) => screen.row(new RegExp(`${word("event.trip")} .*front-door`)),
  },
  { name: "the settings", address: "settings", mark: (screen) => screen.row(/\bsite\.ref /) },
  {
    name: "a new person",
    address: "settings",
    mark: (screen) => screen.input("password"),
    act: (screen, word) => screen.text(word("people.add")).click(),
  },
  {
    name: "the question before a restart",
    address: "settings",
    mark: question,
    act: (screen, word) => screen.button(word("restart.ask")).click(),
  },
  {
    name: "the question before a restore",
    address: "settings",
    mark: question,
    act: async (screen, word) => {
      await screen.input("copy").setFile(join(folder, "copy.db"));
      await screen.button(word("restore.look")).click();
    },
  },
  { name: "the set-up", address: "setup", mark: (screen) => screen.markup("ol.guide") },
  { name: "the sync queue", address: "sync", mark: (screen) => screen.row(/#1 /) },
];

describeWithBrowser("every screen of the panel", () => {
  const site = new PanelSite(TROUBLED);
  beforeAll(async () => {
    folder = site.installation.folder;
    site.installation.secret("upstream.password", EDGE.password);
    await site.start();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await site.daemon.run(["backup", "--out", join(folder, "copy.db")]);
  });
  afterAll(() => site.stop());

  const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
    [360, 1100].map((width) => ({ colorScheme, width })),
  );

  describe.each(looks)("in $colorScheme colours, $width pixels wide", ({ colorScheme, width }) => {
    test.each(["RO", "EN"] as const)(
      "can be used by everybody and fits, in %s",
      async (language) => {
        const words: Catalogue = { RO, EN }[language];
        const word: Word = (key) => {
          const text: string | Plural = words[key];
          return typeof text === "string" ? text : text.other;
        };
        const context = await site.context({ colorScheme, viewport: { width, height: 800 } });
        const page = await site.strangersPage(context);
        const faults: string[] = [];
        const look = async (name: string): Promise<void> => {
          for (const fault of [...(await accessibilityFaults(page)), ...(await clippedParts(page))])
            faults.push(`${name}: ${fault}`);
        };
        await page.openFirst();
        await page.screen("sign-in").input("email").shown();
        await page.speak(language);
        await look("sign-in");
        await signIn(page);
        await page.menu.shown();
        for (const { name, address, mark, act, undo } of LOOKS) {
          const screen = await page.open(address);
          await act?.(screen, word, page);
          await mark(screen, word, page).present();
          await screen.complete();
          await look(name);
          await page.press("Escape");
          await undo?.(page);
        }
        await page.evaluate("sessionStorage.setItem('santinela.token', 'an ended one')");
        await page.open("events");
        await page.openDialog.input("password").shown();
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
    await page
      .screen("zones")
      .row(/Fum depozit/)
      .shown();
    await page.screen("zones").complete();
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
    await eventually("a complaint of the content policy", () =>
      site.complaints.join().includes("Content Security Policy"),
    );
    // The policy has kept it from being asked at all; without the policy the check sees it.
    expect(site.strangers).toEqual([]);
    const unguarded = await site.page("status", await site.context({ bypassCSP: true }));
    await unguarded.evaluate("fetch('http://elsewhere.example/').catch(() => {})");
    await eventually("a request to elsewhere", () => site.strangers.length > 0);
    expect(site.strangers).toEqual(["http://elsewhere.example/"]);
  });
});
