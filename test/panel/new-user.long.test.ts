import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SimulationView, ZoneView } from "../../src/site/zone-view.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { describeWithBrowser, startBrowser, type Browser } from "../support/browser.ts";
import { InteractionCounter } from "../support/interaction-counter.ts";
import { eventually } from "../support/eventually.ts";
import { FirstBoot } from "../support/first-boot.ts";
import { PanelPage } from "../support/panel-page.ts";

/* A person who has bought a Pi: the package has just started, and all that there is is a phone, the QR code that the first start
   has printed, and sensors on the wall. No terminal, no file. */

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const PASSWORD = "hala nord 2026 toamna";
const SCENARIO_TIMEOUT_MS = 300_000;
/** Each change of zones is on trial for three seconds. */
const TRIAL_S = 3;
const LIMIT_S = 300;

/** Messages that real devices have sent, by the id of the recording. */
const RECORDED = new Map(
  readFileSync("test/inputs/device-messages.jsonl", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { id: string; topic: string; payload: string })
    .map((message) => [message.id, message] as const),
);

/** Sensors that announce themselves: the card, the name that the person gives, the recordings of opening and closing. */
const FOUND = [
  [/Front door/, "Ușa din față", "livingroom/binary_sensor/front_door/state", "esp-01", "esp-02"],
  [/^shellyflood/, "Apă subsol", "shellies/shellyflood-7A2B3C/sensor/flood", "sh1-07", "false"],
  [/^shellydw2/, "Geam birou", "shellies/shellydw2-A4CF12F43189/sensor/state", "open", "sh1-05"],
] as const;
const LINES = [
  [17, "Ușa depozit", "intrusion"],
  [27, "Hol", "motion"],
  [22, "Birou", "motion"],
  [5, "Poarta", "perimeter"],
  [6, "Fum depozit", "fire"],
  [13, "Fum hol", "fire"],
  [19, "Vitrina", "glass"],
  [26, "Panică", "panic"],
  [21, "Ușa spate", "intrusion"],
] as const;

/** The table of docs/verification.md: part of the work, taps, characters, screens. */
function documentedEfforts(): unknown[] {
  const page = readFileSync("docs/verification.md", "utf8");
  const [, section = ""] = /\n## A new user with a phone\n([^]*?)\n## /.exec(page) ?? [];
  return [...section.matchAll(/^\| ([a-z].*?) +\| +(\d+) +\| +(\d+) +\| +(\d+) +\|$/gm)].map(
    ([, work, taps, keys, screens]) => ({
      work,
      taps: Number(taps),
      keys: Number(keys),
      screens: Number(screens),
    }),
  );
}

describeWithBrowser("a new user with a phone at the first start of the package", () => {
  const pi = new FirstBoot();
  let devices: AnnouncingDevices;
  let browser: Browser;
  beforeAll(async () => {
    await pi.start();
    devices = await AnnouncingDevices.at(pi.brokerUrl);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await devices?.end();
    await pi.stop();
  });

  const play = async (recording: string, topic: string): Promise<void> =>
    devices.send(topic, RECORDED.get(recording)?.payload ?? recording);

  test(
    "has twelve tested zones in under five minutes of taps",
    async () => {
      // All that the first start says is where to go, once as text and once as a QR code.
      expect(pi.printed).toMatch(
        /one-time code [\w-]{20,}[^]*Open it on a phone[^\n]*https:\/\/[^\n]*\.local:/,
      );
      const context = await browser.newContext({ ...PHONE, locale: "en-GB", ignoreHTTPSErrors: true });
      const page = await PanelPage.in(context, pi.scannedAddress());
      const hand = new InteractionCounter(page);
      hand.begin("account and name of the site");
      await page.openFirst();
      // The warning about the installation's own certificate.
      hand.tapsElsewhere(2);
      const first = page.screen("first-start");
      await hand.write(first.field("E-mail address"), "ana@example.ro");
      await hand.write(first.field("New password"), PASSWORD);
      await hand.write(first.field("Repeat new password"), PASSWORD);
      await hand.tap(first.button("Create administrator account"));
      const guide = page.screen("setup");
      const asked = guide.region("What is this site called?");
      await hand.write(asked.field("Site name"), "Hala Nord");
      await hand.tap(asked.button("Review the change"));
      await page.screen("zones/review").text("The configuration is valid").shown();
      // The password that was chosen a minute ago is not asked for again.
      await hand.tap(page.screen("zones/review").button("Save"));
      await page.banner.text("Hala Nord").shown();
      hand.begin("three sensors that were found, each tested");
      await hand.tap(guide.link("Add the first zone"));

      const found = page.screen("zones/found");
      const form = page.screen("zones/form");
      const review = page.screen("zones/review");
      const saved = page.screen("zones/saved");
      let count = 0;
      const save = async (): Promise<void> => {
        await hand.tap(form.button("Review the change"));
        await review.text("The configuration is valid").shown();
        await hand.tap(review.button("Save"));
        await saved.heading("Saved").shown();
        count += 1;
      };
      for (const [card, name, topic, opening, closing] of FOUND) {
        await found.text("listening…").shown();
        // Who wonders which of them this one is opens and closes it: it moves up.
        for (const message of [opening, closing]) await play(message, topic);
        await hand.tap(found.link(card));
        const trial = form.region("Sensor test");
        await trial.heading("Operate the sensor now").shown();
        await play(opening, topic);
        await trial.heading(/^Opened at/).shown();
        await play(closing, topic);
        await trial.heading(/^Test passed at/).shown();
        await hand.write(form.field("Name"), name);
        await save();
        await hand.tap(saved.link("Add another zone"));
      }
      hand.begin("nine zones on GPIO lines");
      for (const [line, name, kind] of LINES) {
        await hand.tap(found.link("GPIO line"));
        await hand.write(form.field("Name"), name);
        if (kind !== "intrusion") await hand.choose(form.field("Zone type"), kind);
        await hand.write(form.field("GPIO line (BCM number)"), String(line));
        await save();
        if (count < FOUND.length + LINES.length) await hand.tap(saved.link("Add another zone"));
      }
      hand.begin("walk test of twelve zones");
      await hand.tap(saved.link("Go to Walk test"));
      const walk = page.screen("walk-test");
      await walk.button("Start walk test").shown();
      await hand.tap(walk.button("Start walk test"));
      await hand.tap(page.openDialog.button("Start walk test"));
      await walk.heading("0 of 12 zones tested").shown();
      // The first reading of a new sensor is not an opening: it is opened twice.
      for (const [, , topic, opening, closing] of FOUND)
        for (const message of [opening, closing, opening, closing]) await play(message, topic);
      const zones = await pi.control.get<ZoneView[]>("/site/zones");
      for (const [, name] of LINES) {
        const zone = zones.find((one) => one.name === name)?.id;
        for (const contact of ["open", "normal"])
          await eventually(`${name} to be ${contact}`, async () => {
            const order = { zone, contact };
            return (await pi.control.post<SimulationView>("/site/simulate", order)).contact === contact;
          });
      }
      await walk.heading("12 of 12 zones tested").shown();
      await hand.tap(walk.button("End walk test"));
      await walk.badge("12 zones tested").shown();

      // A colleague's phone reads the address from this one.
      await page.follow("More");
      await page.screen("more").link("Settings").click();
      const settings = page.screen("settings");
      await settings.heading("Open the panel on a phone").click();
      await settings.image(/^QR code of https:\/\//).shown();
      await settings.text(/^https:\/\/[\w-]+\.local:/).shown();

      expect(hand.efforts).toEqual(documentedEfforts());
      const { taps, keys, swipes, seconds } = hand;
      expect(seconds + (count + 1) * TRIAL_S, `${taps} taps, ${keys} keys, ${swipes} swipes`).toBeLessThan(
        LIMIT_S,
      );
      expect(readFileSync(pi.configFile, "utf8").match(/^ {2}- id: /gm)).toHaveLength(12);
      expect(await pi.control.get("/interventii")).toEqual([]);
    },
    SCENARIO_TIMEOUT_MS,
  );
});
