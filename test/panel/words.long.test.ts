import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { reportNow } from "../support/fleet.ts";
import { eventually } from "../support/eventually.ts";
import { foreignWords } from "../support/foreign-words.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

/* What a person reads when something is wrong or missing, in one language; screens.test.ts has the other states. */

const LANGUAGES = ["RO", "EN"] as const;
/** A person has the screen of a phone, and two dozen states. */
const TIMEOUT_MS = 240_000;
const OPERATOR = { email: "ion@site.example", password: "another long password" };

/** A page in a language, and what it says in the other one. */
class Reader {
  readonly faults: string[] = [];
  readonly page: PanelPage;
  readonly #language: string;
  readonly #names: readonly (string | RegExp)[];

  constructor(page: PanelPage, language: string, names: readonly (string | RegExp)[]) {
    this.page = page;
    this.#language = language;
    this.#names = names;
  }

  async read(what: string): Promise<void> {
    for (const fault of await foreignWords(this.page, this.#language, this.#names))
      this.faults.push(`${what}: ${fault}`);
  }

  /** Opens a screen, waits until it is complete, and reads it. */
  async open(address: string): Promise<void> {
    const screen = await this.page.open(address);
    await screen.markup("h1").present();
    await screen.complete();
    await this.read(address);
  }
}

const HEAD = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
`;
const OBJECTIVE = "objective: { type: obiective/cladiri, id: 12 }";
const ZONES = `zones:
  - { id: usa, name: Ușa, kind: intrusion, ${OBJECTIVE}, input: { gpio: 17 } }
  - { id: fum, name: Fum, kind: fire, ${OBJECTIVE}, input: { gpio: 18 } }
  - { id: noapte, name: Noapte, kind: motion, ${OBJECTIVE}, gate: { gpio: 5 }, input: { gpio: 19 } }
`;
const NAMES = [
  // A value of an option.
  /gpio\.backend este simulated/g,
  /Zona .* declanșată la [\d.]+ [\d:]+\./g,
  /Alarmă de \p{L}+/gu,
  "Hala Nord",
  "Ușa",
  "Fum",
  "Noapte",
];

async function readerOf(
  site: PanelSite,
  language: string,
  names: readonly (string | RegExp)[] = NAMES,
): Promise<Reader> {
  const page = await site.page("status", await site.context({ viewport: { width: 412, height: 740 } }));
  await page.speak(language);
  return new Reader(page, language, names);
}

describeWithBrowser("a site that refuses and fails", () => {
  const site = PanelSite.running(ZONES, HEAD);
  const file = join(site.installation.folder, "site.yaml");
  beforeAll(async () => {
    await site.daemon.addAccount(OPERATOR, "operator");
    await site.daemon.run(["trip", "--zone", "usa"]);
    await site.daemon.run(["trip", "--zone", "fum"]);
    await site.daemon.run(["trip", "--zone", "noapte"]);
    await site.daemon.run(["zones", "bypass", "--zone", "fum", "--reason", "x", "--minutes", "9"]);
    const dataDir = join(site.installation.folder, "site");
    expect((await askDaemon(dataDir, "POST", "/site/walk-test", { minutes: 2 })).status).toBe(200);
    expect((await askDaemon(dataDir, "POST", "/site/walk-test", { end: true })).status).toBe(200);
    await site.daemon.run(["user", "role", "--email", OPERATOR.email, "--role", "viewer"]);
    await site.daemon.run(["user", "disable", "--email", OPERATOR.email]);
  });

  test.each(LANGUAGES)(
    "says why in %s",
    async (language) => {
      const reader = await readerOf(site, language);
      const { page } = reader;
      for (const address of [
        "status",
        "zones",
        "zones?zone=fum",
        "zones?zone=noapte",
        "events",
        "events?kind=users",
      ])
        await reader.open(address);
      for (const address of ["sync", "objectives", "zones/found", "zones/edit", "zones/form?zone=usa"])
        await reader.open(address);
      for (const address of ["zones?q=nothing", "interventions?q=nothing", "interventions/999"])
        await reader.open(address);

      // A notice that is not an error stays for some seconds after the next action, whose own words are to be read.
      let former = "";
      const readNotice = async (what: string, place = page.notice): Promise<void> => {
        former = await eventually(`a notice about ${what}`, async () => {
          const words = await place.words();
          return words !== "" && words !== former && words;
        });
        await reader.read(what);
      };
      const settings = await page.open("settings?open=accounts.restore");
      // The dispatch centre has another one.
      await settings.markup("details.subject details:has([name=role]) > summary").click();
      const add = async (email: string, password: string): Promise<void> => {
        await settings.input("email").fill(email);
        await settings.markup("details.subject details [name=password]").fill(password);
        await settings.markup("details.subject details [name=currentPassword]").fill(EDGE.password);
        await settings.markup("details.subject details form button").click();
        const place = settings.markup("details.subject details form [role=alert]");
        await readNotice(`the account ${email} with ${password}`, place);
      };
      for (const password of ["short", "aaaaaaaaaaaa", "password123", "x".repeat(90)])
        await add("ana@site.example", password);
      await add(OPERATOR.email, "correct horse battery");
      const letter = join(site.installation.folder, "letter.txt");
      writeFileSync(letter, "not a database ".repeat(1_000));
      await settings.input("copy").setFile(letter);
      await settings.markup("form:has([name=copy]) button").click();
      await readNotice("a file that is not a backup", settings.markup("form:has([name=copy]) [role=alert]"));

      await page.open("zones/form?zone=usa");
      // The refused account and the file are not saved.
      await page.openDialog.shown();
      await reader.read("the question about unsaved input");
      await page.openDialog.markup("button.danger").click();
      const form = page.screen("zones/form");
      await form.input("input.gpio").fill("18");
      await form.markup("form button.main").click();
      await form.markup("[aria-invalid=true]").present();
      await reader.read("a line that is in use");
      await form.input("input.gpio").fill("22");
      await form.markup("form button.main").click();
      const review = page.screen("zones/review");
      await review.input("password").fill("not this one at all");
      await review.markup("button.main").click();
      await review.markup(".field [role=alert]").shown();
      await reader.read("a wrong password");
      const before = readFileSync(file, "utf8");
      writeFileSync(file, `${before}# another hand\n`);
      await review.input("password").fill(EDGE.password);
      await review.markup("button.main").click();
      await review.markup("p[role=alert].box").shown();
      await reader.read("a file that has changed");
      writeFileSync(file, before);

      await page.evaluate("sessionStorage.clear()");
      await page.isAskedOn("reload", true);
      await signIn(page, "not this one at all");
      await page.screen("sign-in").markup(".field [role=alert]").shown();
      await reader.read("a wrong sign-in");
      expect(reader.faults).toEqual([]);
      expect(site.pageErrors).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test.each(LANGUAGES)("says in %s that it is lost", async (language) => {
    const reader = await readerOf(site, language);
    await site.daemon.end("SIGTERM");
    await reader.page.staleBar.shown();
    await reader.read("a lost daemon");
    await reader.page.open("zones");
    await reader.read("zones without a daemon");
    await reader.page.open("settings");
    await reader.page.screen("settings").markup("h1 + .quiet").shown();
    await reader.read("settings without a daemon");
    expect(reader.faults).toEqual([]);
    await reader.page.close();
    await site.startAgain();
  });
});

describeWithBrowser("a site without anything", () => {
  const site = PanelSite.running("", HEAD);

  test.each(LANGUAGES)(
    "says what belongs there in %s",
    async (language) => {
      const reader = await readerOf(site, language);
      for (const screen of ["status", "zones", "interventions", "interventions/new", "walk-test", "events"])
        await reader.open(screen);
      for (const screen of [
        "sync",
        "objectives",
        "settings?open=site.phone.accounts.configuration",
        "setup",
        "more",
        "api",
        "zones/found",
        "zones/edit",
      ])
        await reader.open(screen);
      expect(reader.faults).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describeWithBrowser("a dispatch centre", () => {
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Hala Nord }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
      "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\n",
    "centre",
  );

  describe.each(LANGUAGES)("in %s", (language) => {
    test(
      "has its sites and their trouble in words",
      async () => {
        const reader = await readerOf(centre, language, ["Hala Nord", "Sediu", "Hol"]);
        await reader.open("sites");
        const report = {
          ...reportNow(),
          ref: `sediu-${language.toLowerCase()}`,
          name: "Sediu",
          level: "fault",
          conditions: ["upstream-unreachable", "disk-nearly-full"],
          faults: [{ zone: "Hol", fault: "tamper" }],
          backlog: { records: 3, oldestS: 900 },
        };
        const dataDir = join(centre.installation.folder, "site");
        for (const level of ["well", "fault"])
          expect((await askDaemon(dataDir, "POST", "/site-reports", { ...report, level })).status).toBe(204);
        for (const address of [
          "status",
          "sites",
          "sites?q=nothing",
          "sites/1",
          "settings?open=accounts",
          "events",
          "more",
        ])
          await reader.open(address);
        expect(reader.faults).toEqual([]);
      },
      TIMEOUT_MS,
    );
  });
});
