import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { EDGE } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/* A person who has never seen a configuration file makes zones with a phone: no terminal, no file. */

const PHONE = { viewport: { width: 412, height: 740 } };
const BASE = [
  "# Hala de test",
  "site: { name: Hala Nord, ref: hala-nord }",
  `http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }`,
  "gpio: { backend: simulated }",
  "objectives: { obiective/cladiri: [{ id: 12, name: Hala Nord }] }",
  "",
].join("\n");
const OBJECTIVE = "objective: { type: obiective/cladiri, id: 12 }";
const ZONES = `zones:
  # la intrare
  - { id: usa, name: Ușa, kind: intrusion, ${OBJECTIVE}, input: { gpio: 17, contact: nc } }
  - { id: geam, name: Geam, kind: glass, ${OBJECTIVE}, input: { gpio: 18 } }
`;
/** Names, ids, and the value of an option. */
const NAMES = [
  "Hala de test",
  "Hala Nord",
  "Ușa mare",
  "Ușa",
  "Geam",
  "usa, geam",
  /gpio\.backend este simulated/g,
];
/** Several changes, each watched by the daemon for three seconds, on a busy machine. */
/** In the page: how many lines of the difference are wrapped, and whether the box scrolls instead. */
const LINES = `(() => {
  const box = part.querySelector(".diff");
  const wrapped = [...box.children].filter((line) => line.offsetHeight > 20).length;
  return { wrapped, isScrolled: box.scrollWidth > box.clientWidth };
})()`;
const SCENARIO_TIMEOUT_MS = 240_000;

const fileOf = (site: PanelSite): string => join(site.installation.folder, "site.yaml");
const content = (site: PanelSite): string => readFileSync(fileOf(site), "utf8");

/** Saves what is reviewed; the password only if it is asked for. */
async function save(page: PanelPage, password?: string): Promise<void> {
  const review = page.screen("zones/review");
  if (password === undefined) await review.text(/^The password was entered a few minutes ago/).shown();
  else await review.field("Your password").fill(password);
  await review.button("Save").click();
  await page.screen("zones/saved").heading("Saved").shown();
}

describeWithBrowser("a new user with a phone", () => {
  describeWithMosquitto("at an empty site with a broker", () => {
    let broker: Mosquitto;
    let devices: AnnouncingDevices;
    let site: PanelSite;
    beforeAll(async () => {
      broker = await startMosquitto();
      devices = await AnnouncingDevices.at(broker.url);
      site = new PanelSite(`mqtt: { url: ${JSON.stringify(broker.url)} }\n`, BASE);
      await site.start();
    });
    afterAll(async () => {
      await site.stop();
      await devices.end();
      await broker.stop();
    });

    test(
      "takes found sensors, opens each of them, saves them, and sees them live",
      async () => {
        const page = await site.page("zones", await site.context(PHONE));
        await page.screen("zones").link("Add the first zone").click();
        const found = page.screen("zones/found");
        await found.button(/^Show all/).click();
        await found.link(/^poarta intrusion/).click();

        const form = page.screen("zones/form");
        await form.heading("poarta").shown();
        await form.field("Name").fill("Poarta din curte");
        await form.field("Zone type").choose("perimeter");
        const trial = form.region("Sensor test");
        await trial.heading("Operate the sensor now").shown();
        await devices.send("zigbee2mqtt/poarta", { contact: false, battery: 60 });
        await trial.heading(/^Opened at/).shown();
        await trial.text('"contact":false').shown();
        await devices.send("zigbee2mqtt/poarta", { contact: true, battery: 60 });
        await trial.heading(/^Test passed at/).shown();
        await form.button("Review the change").click();

        const review = page.screen("zones/review");
        await review.text(/^\+ +- id: poarta-din-curte$/).shown();
        await review.text(/^\+ +kind: perimeter$/).shown();
        expect(content(site)).not.toContain("poarta");
        await review.field("Your password").fill("not this one at all");
        await review.button("Save").click();
        await review.text(/the password is incorrect/).shown();
        await save(page, EDGE.password);
        const saved = page.screen("zones/saved");
        await saved.tile("Poarta din curte").shown();
        await devices.send("zigbee2mqtt/poarta", { contact: false, battery: 60 });
        await saved.markup(".tile.s-alarm[data-zone=poarta-din-curte]").shown();

        for (const [card, name] of [
          [/^Hol Usa/, "Ușa din hol"],
          [/^shellydw2-A4CF12F43189/, "Ușa din spate"],
        ] as const) {
          await saved.link("Add another zone").click();
          await found.button(/^Show all/).click();
          await found.link(card).click();
          await form.field("Name").fill(name);
          await form.button("Review the change").click();
          await save(page);
          await saved.tile(name).shown();
        }
        await devices.send("shellies/shellydw2-A4CF12F43189/sensor/state", "close");
        await devices.send("stat/tasmota_3D5E26/RESULT", { Usa: { Action: "OFF" } });
        await page.follow("Zones");
        const tiles = page.screen("zones");
        await devices.send("shellies/shellydw2-A4CF12F43189/sensor/state", "open");
        await tiles.markup(".tile.s-alarm[data-zone=usa-din-spate]").shown();
        await devices.send("stat/tasmota_3D5E26/RESULT", { Usa: { Action: "ON" } });
        await tiles.markup(".tile.s-alarm[data-zone=usa-din-hol]").shown();
        expect(content(site)).toContain("# Hala de test\n");
        expect([site.pageErrors, site.foreignRequests]).toEqual([[], []]);
        await page.close();
      },
      SCENARIO_TIMEOUT_MS,
    );

    test(
      "is offered the likely contact of a message, and what it is while open",
      async () => {
        const page = await site.page("zones/found", await site.context(PHONE));
        const found = page.screen("zones/found");
        await found.heading("Sensors found").shown();
        await devices.send("atelier/backgate", { battery: 60, battery_low: false, contact: true });
        await found.text(/^\d+ other topics? (and|or) devices?$/).click();
        await found.link("Use this topic atelier/backgate").click();
        const form = page.screen("zones/form");
        await form.field("Value").holds("/contact");
        await form.field("Values that mean open").holds("false");
        const trial = form.region("Sensor test");
        await trial.text("Normal").shown();
        await devices.send("atelier/backgate", { battery: 60, battery_low: false, contact: false });
        await trial.heading(/^Opened at/).shown();
        await form.field("Value").choose("/battery_low");
        await form.field("Values that mean open").holds("true");
        await page.close();
      },
      SCENARIO_TIMEOUT_MS,
    );

    test(
      "has a sensor test that ends after ten minutes in a form that is left open, and goes on when asked",
      async () => {
        const context = await site.context(PHONE);
        await context.clock.install();
        let asked = 0;
        context.on("request", (request) => {
          if (request.url().endsWith("/site/discovered/trial")) asked += 1;
        });
        const page = await site.page("zones/found", context);
        await devices.send("atelier/lasata", { contact: true });
        await page
          .screen("zones/found")
          .text(/^\d+ other topics? (and|or) devices?$/)
          .click();
        await page.screen("zones/found").link("Use this topic atelier/lasata").click();
        const trial = page.screen("zones/form").region("Sensor test");
        await trial.heading("Operate the sensor now").shown();
        await context.clock.fastForward(600_000);
        const over = trial.text("The test ended after ten minutes.");
        await over.shown();
        const before = asked;
        await context.clock.fastForward(60_000);
        await trial.button("Test again").shown();
        expect(asked).toBe(before);
        await trial.button("Test again").click();
        await over.gone();
        await devices.send("atelier/lasata", { contact: false });
        await context.clock.runFor(2_000);
        await trial.heading(/^Opened at/).shown();
        await page.close();
      },
      SCENARIO_TIMEOUT_MS,
    );

    test(
      "makes a zone of a topic that no maker announces",
      async () => {
        const page = await site.page("zones/found", await site.context(PHONE));
        const found = page.screen("zones/found");
        await found.heading("Sensors found").shown();
        await devices.send("atelier/contact", { usa: "deschisa", tensiune: 3.1 });
        await found.text(/^\d+ other topics? (and|or) devices?$/).click();
        await found.link("Use this topic atelier/contact").click();
        const form = page.screen("zones/form");
        await form.field("Value").choose("/usa");
        await form.field("Values that mean open").fill("deschisa");
        const trial = form.region("Sensor test");
        // The last message, read with the values that were just entered.
        await trial.text("Open").shown();
        await devices.send("atelier/contact", { usa: "inchisa", tensiune: 3.1 });
        await trial.text("Normal").shown();
        await trial.heading("Operate the sensor now").shown();
        await devices.send("atelier/contact", { usa: "deschisa", tensiune: 3.1 });
        await trial.heading(/^Opened at/).shown();
        await form.field("Name").fill("Atelier");
        await form.button("Review the change").click();
        await save(page, EDGE.password);
        await page.screen("zones/saved").tile("Atelier").shown();
        await page.close();
      },
      SCENARIO_TIMEOUT_MS,
    );
  });
});

describeWithBrowser("an installer at a site with zones", () => {
  let site: PanelSite;
  afterEach(() => site.stop());

  async function started(yaml: string): Promise<PanelPage> {
    site = new PanelSite("mqtt: off\n", yaml);
    await site.start();
    return site.page("zones", await site.context(PHONE));
  }

  test(
    "moves a zone to a line of an expander",
    async () => {
      const page = await started(
        `${BASE.replace("simulated }", "simulated, chips: { expander: { device: 1-0020 } } }")}${ZONES}`,
      );
      await page.open("zones/form?zone=geam");
      const form = page.screen("zones/form");
      await form.field("GPIO chip").choose("expander");
      await form.field("GPIO line (BCM number)").fill("3");
      await form.button("Review the change").click();
      await save(page, EDGE.password);
      expect(content(site)).toMatch(/id: geam.* input: \{ gpio: 3, chip: expander \}/);
      expect(site.pageErrors).toEqual([]);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test("sees which zone or program uses a line, the zone by its name", async () => {
    const page = await started(`${BASE}${ZONES}`);
    const line = { name: "", holder: null, zoneId: null, level: null };
    const lines = [
      { ...line, line: 17, holder: "santinela", zoneId: "usa" },
      { ...line, line: 22, holder: "lirc" },
      { ...line, line: 23 },
    ];
    // The simulated lines belong to no chip.
    const chips = [{ path: "/dev/gpiochip0", label: "pinctrl-rp1", name: null, isUsed: true, lines }];
    await page.changeResponses("**/site/discovered", 20, (body) => ({ ...body, chips }));
    await page.screen("zones").link("Add zone").click();
    await page.screen("zones/found").text("In use: 17 (Ușa), 22 (lirc)").shown();
  });

  test(
    "edits, copies, disables, orders and deletes zones; the difference is shown before anything is written",
    async () => {
      const page = await started(`${BASE}${ZONES}`);
      await page.screen("zones").link("Edit").click();
      const edit = page.screen("zones/edit");
      const menu = (zone: string): Part => edit.button(`Actions for ${zone}`);
      await menu("Ușa").click();
      await edit.link("Copy").click();
      const form = page.screen("zones/form");
      await form.field("GPIO line (BCM number)").fill("18");
      await form.button("Review the change").click();
      // The error of the daemon is at its field, and with its place in the file.
      await form.text(/site\.yaml:\d+:\d+$/).shown();
      await form.text(/^line 18 is used by two zones, .+ and geam$/).shown();
      expect(await form.field("GPIO line (BCM number)").attribute("aria-invalid")).toBe("true");
      await form.field("GPIO line (BCM number)").fill("22");
      await form.text("Advanced options").click();
      await form.field("Confirmation time (ms)").fill("500");
      await form.text(/^Time after which a contact that is still open trips/).shown();
      await form.button("Review the change").click();
      await page
        .screen("zones/review")
        .text(/^\+ +confirmMs: 500$/)
        .shown();
      await save(page, EDGE.password);
      await page.screen("zones/saved").tile("Ușa (copy)").shown();

      await page.open("zones/edit");
      await menu("Geam").click();
      await edit.button("Disable").click();
      await edit.button("Move up").click();
      await page.press("Escape");
      await menu("Ușa").click();
      await edit.button("Delete").click();
      await edit.text("3 changes are not saved yet.").shown();
      expect(content(site)).not.toContain("disabled");
      await edit.button("Review the change").click();
      const review = page.screen("zones/review");
      await review.text(/^\+.*disabled: true/).shown();
      await review.text(/^-.*id: usa,/).shown();
      await save(page);
      const ids = [...content(site).matchAll(/- (?:\{ )?id: ([\w-]+)/g)].map(([, id]) => id);
      expect(ids).toEqual(["geam", "usa-copy"]);
      await page.follow("Zones");
      await page.screen("zones").tile("Ușa (copy)").shown();
      await page.screen("zones").without(page.screen("zones").tile("Geam"));
      expect(site.pageErrors).toEqual([]);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "sees that a change was taken back, and why",
    async () => {
      const page = await started(BASE.replace("backend: simulated", "backend: cdev, chip: no such chip"));
      const before = content(site);
      await page.open("zones/found");
      await page.screen("zones/found").link("GPIO line").click();
      const form = page.screen("zones/form");
      await form.field("Name").fill("Hol");
      await form.field("GPIO line (BCM number)").fill("17");
      await form.button("Review the change").click();
      const review = page.screen("zones/review");
      await review.field("Your password").fill(EDGE.password);
      await review.button("Save").click();
      await review.heading("The change was undone").shown();
      await review.text(/^GPIO unavailable: .*no such chip/).shown();
      expect(content(site)).toBe(before);
      await review.link("Back").and(review.markup(".button.plain:not([aria-label])")).click();
      await form.field("Name").holds("Hol");
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "sees the new difference where another user has changed the file in the meantime",
    async () => {
      const page = await started(`${BASE}${ZONES}`);
      await page.open("zones/form?zone=usa");
      const form = page.screen("zones/form");
      await form.field("Name").fill("Ușa mare");
      await form.button("Review the change").click();
      const review = page.screen("zones/review");
      await review.text(/^\+.*name: Ușa mare/).shown();
      writeFileSync(fileOf(site), `${content(site)}# scris de mână\n`);
      await review.field("Your password").fill(EDGE.password);
      await review.button("Save").click();
      await review.text(/has changed in the meantime/).shown();
      await review.button("Read the file again").click();
      await page.notice.text("The difference is now against the current file.").shown();
      await save(page);
      expect(content(site)).toContain("name: Ușa mare");
      expect(content(site)).toContain("# scris de mână\n");
    },
    SCENARIO_TIMEOUT_MS,
  );

  test("learns what to do where zones are changed in the file only", async () => {
    const page = await started(`${BASE.replace(", configuration: panel", "")}${ZONES}`);
    await page.open("zones/edit");
    const edit = page.screen("zones/edit");
    await edit.heading("Zones are changed in the configuration file only").shown();
    await edit.text(/configuration: panel/).shown();
    await edit.text(/sudo chmod 660/).shown();
  });

  test(
    "is accessible and not clipped in each language, colour scheme and width, and keeps the focus",
    async () => {
      const page = await started(`${BASE}${ZONES}`);
      const edit = page.screen("zones/edit");
      const usa = edit.markup("li[data-zone=usa] .menu > button");
      const listed = async (): Promise<void> => {
        await page.open("zones/edit");
        await usa.shown();
      };
      expect(await violationsInAllThemes(page, listed, NAMES)).toEqual([]);
      await usa.click();
      await page.press("Escape");
      expect(await usa.hasFocus()).toBe(true);
      const form = page.screen("zones/form");
      const opened = async (): Promise<void> => {
        // A new form has its options folded.
        await (await page.open("zones")).tile("Ușa").shown();
        await page.open("zones/form?zone=usa");
        await form.markup("form details:last-of-type > summary").click();
        await form.input("confirmMs").shown();
      };
      expect(await violationsInAllThemes(page, opened, NAMES)).toEqual([]);
      const found = page.screen("zones/found");
      const looked = async (): Promise<void> => {
        await page.open("zones/found");
        await found.markup(".card a.button:last-child").shown();
      };
      expect(await violationsInAllThemes(page, looked, NAMES)).toEqual([]);
      await page.open("zones/form?zone=usa");
      await form.input("name").fill("Ușa mare");
      await form.markup("form button.main").click();
      const review = page.screen("zones/review");
      const reviewed = (): Promise<void> => review.markup(".diff .added").shown();
      // A new screen closes the menu with the languages.
      await reviewed();
      expect(await violationsInAllThemes(page, reviewed, NAMES)).toEqual([]);
      // A line that is wrapped would look like YAML of another level.
      await page.look("light", 360);
      expect(await review.evaluate(LINES)).toEqual({ wrapped: 0, isScrolled: true });
      await page.look("dark", 1100);
      await review.input("password").fill(EDGE.password);
      await review.markup("button.main").click();
      const saved = page.screen("zones/saved");
      await saved.markup(".tile").shown();
      expect(await violationsInAllThemes(page, () => saved.markup(".tile").shown(), NAMES)).toEqual([]);
    },
    SCENARIO_TIMEOUT_MS,
  );
});
