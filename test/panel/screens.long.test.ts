import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { EN } from "../../src/panel/messages/en.ts";
import { EN_MORE } from "../../src/panel/messages/en-more.ts";
import { RO } from "../../src/panel/messages/ro.ts";
import { RO_MORE } from "../../src/panel/messages/ro-more.ts";
import type { Catalogue, MessageKey, MoreTexts, Plural } from "../../src/panel/messages/catalogue.ts";
import { eventually } from "../support/eventually.ts";
import { foreignWords } from "../support/foreign-words.ts";
import type { PanelPage, Part, Screen } from "../support/panel-page.ts";
import { deadCentre, PanelSite, signIn } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/accessibility-checks.ts";

/** Names of the site, its zones and objectives, and the records of its alarms, in the language of its people. */
const NAMES = [
  /Zona .* declanșată la [\d.]+ [\d:]+\./g,
  "Alarmă de efracție",
  "Hala Nord",
  "Ușa principală",
  "PIR hol",
  "Fum depozit",
  "Str. Fabricii 7",
];

/** The directory with the backup of the site. */
let folder = "";

/** About twenty screens in sequence, on a busy machine. */
const SCREENS_TIMEOUT_MS = 240_000;

/** The text of a key in the current language. */
type TextOf = (key: MessageKey) => string;

interface Look {
  readonly name: string;
  readonly address: string;
  /** Shown when the screen is complete. */
  readonly mark: (screen: Screen, textOf: TextOf, page: PanelPage) => Part;
  /** Runs before the checks. */
  readonly act?: (screen: Screen, textOf: TextOf, page: PanelPage) => Promise<void>;
  /** Undoes `act`. */
  readonly undo?: (page: PanelPage) => Promise<void>;
}

const dialog = (_screen: Screen, _textOf: TextOf, page: PanelPage): Part => page.openDialog;

const LOOKS: readonly Look[] = [
  {
    name: "status",
    address: "status",
    mark: (screen, textOf) => screen.listItem(new RegExp(textOf("condition.upstream-unreachable"))),
  },
  { name: "zones", address: "zones", mark: (screen) => screen.markup(".tile.s-alarm") },
  { name: "a zone", address: "zones?zone=smoke", mark: dialog },
  {
    name: "the menu of the user",
    address: "walk-test",
    mark: (_screen, _textOf, page) => page.banner.markup(".menu-list"),
    act: (_screen, _textOf, page) => page.userMenu(),
  },
  { name: "the places behind More", address: "more", mark: (screen) => screen.markup(".actions-list") },
  {
    name: "the API",
    address: "api",
    mark: (screen) => screen.markup("details details[open] .facts"),
    act: async (screen) => {
      await screen.heading("/interventii").click();
      await screen.text("POST /interventii").click();
    },
  },
  {
    name: "the confirmation of a test trip",
    address: "zones?zone=smoke",
    mark: (_screen, textOf, page) => page.openDialog.button(textOf("zones.testTripDo")),
    act: (_screen, textOf, page) => page.openDialog.button(textOf("zones.testTrip")).click(),
    undo: (page) => page.press("Escape"),
  },
  {
    name: "the bypass dialog",
    address: "zones?zone=front-door",
    mark: (_screen, textOf, page) => page.openDialog.button(textOf("bypass.do")),
    act: (_screen, textOf, page) => page.openDialog.button(textOf("bypass.ask")).click(),
    undo: (page) => page.press("Escape"),
  },
  { name: "the walk test", address: "walk-test", mark: (screen) => screen.markup("form") },
  {
    name: "the confirmation of a walk test",
    address: "walk-test",
    mark: dialog,
    act: (screen, textOf) => screen.button(textOf("walk.start")).click(),
  },
  {
    name: "an active walk test",
    address: "walk-test",
    mark: (screen) => screen.markup(".hero.s-test"),
    act: async (screen, textOf, page) => {
      await screen.button(textOf("walk.start")).click();
      await page.openDialog.button(textOf("walk.start")).click();
    },
    undo: async (page) => {
      const running = page.screen("walk-test").markup(".hero.s-test");
      await running.markup("button >> nth=0").click();
      await running.gone();
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
    mark: (screen, textOf) => screen.listItem(new RegExp(`${textOf("from.itself")}.*#1`, "i")),
  },
  {
    name: "an intervention being edited",
    address: "interventions/1/edit",
    mark: (screen) => screen.input("notes"),
  },
  {
    name: "the confirmation of a deletion",
    address: "interventions/1",
    mark: dialog,
    act: async (screen, textOf) => {
      await screen.button(textOf("app.moreActions")).click();
      await screen.button(textOf("interventions.delete")).click();
    },
  },
  { name: "objectives", address: "objectives", mark: (screen) => screen.row(/Hala Nord/) },
  {
    name: "the event log",
    address: "events",
    mark: (screen, textOf) =>
      screen.listItem(new RegExp(`^\\d.*Ușa principală: ${textOf("zoneWord.intrusion.open")}`)),
  },
  {
    name: "the settings",
    address: "settings?open=configuration",
    mark: (screen) => screen.row(/\bsite\.ref /),
  },
  {
    name: "a new account",
    address: "settings?open=accounts",
    mark: (screen) => screen.input("password"),
    act: (screen, textOf) => screen.text(textOf("accounts.add")).click(),
  },
  {
    name: "the confirmation of a restart",
    address: "settings",
    mark: dialog,
    act: (screen, textOf) => screen.button(textOf("restart.ask")).click(),
  },
  {
    name: "the confirmation of a restore",
    address: "settings?open=restore",
    mark: dialog,
    act: async (screen, textOf) => {
      await screen.input("copy").setFile(join(folder, "copy.db"));
      await screen.button(textOf("restore.check")).click();
    },
  },
  { name: "the set-up", address: "setup", mark: (screen) => screen.markup("ol.guide") },
  { name: "the sync queue", address: "sync", mark: (screen) => screen.row(/#1 /) },
];

describeWithBrowser("every screen of the panel", () => {
  const site = PanelSite.running(deadCentre());
  beforeAll(async () => {
    folder = site.installation.folder;
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await site.daemon.run(["backup", "--out", join(folder, "copy.db")]);
  });

  const looks = [
    ...(["light", "dark"] as const).flatMap((colorScheme) =>
      [360, 1100].map((width) => ({ colorScheme, width })),
    ),
    // A tablet: its rail and its rows are neither those of a phone nor those of a laptop. The colours are the same.
    { colorScheme: "light" as const, width: 768 },
  ];

  describe.each(looks)("in $colorScheme colours, $width pixels wide", ({ colorScheme, width }) => {
    test.each(["RO", "EN"] as const)(
      "is accessible, not clipped and in one language, in %s",
      async (language) => {
        const words: Catalogue & MoreTexts =
          language === "RO" ? { ...RO, ...RO_MORE } : { ...EN, ...EN_MORE };
        const textOf: TextOf = (key) => {
          const text: string | Plural = words[key];
          return typeof text === "string" ? text : text.other;
        };
        const context = await site.context({ colorScheme, viewport: { width, height: 800 } });
        const page = await site.signedOutPage(context);
        const faults: string[] = [];
        const look = async (name: string): Promise<void> => {
          const words = await foreignWords(page, language, NAMES);
          for (const fault of [...(await accessibilityFaults(page)), ...(await clippedParts(page)), ...words])
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
          await act?.(screen, textOf, page);
          await mark(screen, textOf, page).present();
          await screen.complete();
          await look(name);
          await page.press("Escape");
          await undo?.(page);
        }
        await page.evaluate("sessionStorage.setItem('santinela.token', 'an ended one')");
        await page.open("events");
        await page.openDialog.input("password").shown();
        await look("an expired session");
        expect(faults).toEqual([]);
        expect(site.foreignRequests).toEqual([]);
        await context.close();
      },
      SCREENS_TIMEOUT_MS,
    );
  });

  test("the checks themselves detect faults", async () => {
    const page = await site.page("zones");
    await page.screen("zones").tile("Fum depozit").shown();
    await page.screen("zones").complete();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.screen("zones").evaluate("part.querySelector('label').remove()");
    await page.screen("zones").evaluate("part.querySelector('input').placeholder = ''");
    expect((await accessibilityFaults(page)).join()).toMatch(/^select-name|^label/);
    expect(await clippedParts(page)).toEqual([]);
    await page.screen("zones").evaluate("part.querySelector('h1').style.minWidth = '3000px'");
    expect((await clippedParts(page)).join()).toMatch(/^<h1/);
    expect([site.foreignRequests, site.pageErrors]).toEqual([[], []]);
    await page.evaluate("fetch('http://elsewhere.example/').catch(() => {})");
    await page.evaluate(
      "document.body.append(Object.assign(document.createElement('style'), { textContent: 'p{}' }))",
    );
    await eventually("a violation of the content security policy", () =>
      site.pageErrors.join().includes("Content Security Policy"),
    );
    // The policy blocks the request; without the policy the check sees it.
    expect(site.foreignRequests).toEqual([]);
    const unguarded = await site.page("status", await site.context({ bypassCSP: true }));
    await unguarded.evaluate("fetch('http://elsewhere.example/').catch(() => {})");
    await eventually("a request to elsewhere", () => site.foreignRequests.length > 0);
    expect(site.foreignRequests).toEqual(["http://elsewhere.example/"]);
  });
});
