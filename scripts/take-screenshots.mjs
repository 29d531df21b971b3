// Takes the screenshots of docs/screenshots/ (or of the folder SCREENSHOTS) from a running daemon:
// `npm run build && node scripts/take-screenshots.mjs`. Always those of the same evening; needs faketime.
// The site has a gate, a hall and a fire detector, an unreachable centre, and the trips of an evening. A dispatch centre has four
// sites. LOOKS=all takes each screen in both languages and themes on both devices. At the end it names the screens that
// have changed.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connectAsync } from "mqtt";
import { chromium } from "playwright-core";
import { openJournalDatabase } from "../build/store/journal-database.js";
import { LinkSampleStore } from "../build/store/link-samples.js";
import { ApiClient } from "../build/client/api-client.js";
import { DaemonProcess } from "../build/cli/demo/daemon-process.js";
import { EVENING_MS, eveningNow, startAtEvening } from "./picture-clock.mjs";
import { chromiumPath } from "./chromium.mjs";
import { changedShare } from "./png.mjs";

const ACCOUNT = { email: "mihai@hala-nord.example", password: "correct horse battery staple" };
const CONFIGURATION = `dataDir: ./data
site: { name: Hala Nord, ref: hala-nord, timezone: Europe/Bucharest }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
upstream:
  baseUrl: "http://127.0.0.1:9"
  email: hala-nord@example.ro
  passwordFile: ./upstream.password
  phone: 0264 555 012
  undeliveredS: 5
objectives:
  obiective/cladiri: [{ id: 12, name: Hala Nord, address: "Str. Fabricii 7, Cluj-Napoca" }]
  obiective/bunuri: [{ id: 3, name: Stivuitor CJ-07 }]
zones:
  - { id: front-door, name: Ușa principală, kind: intrusion, objective: &hall { type: obiective/cladiri, id: 12 }, input: { gpio: 17 } }
  - { id: hall, name: PIR hol, kind: motion, objective: *hall, input: { gpio: 27 } }
  - { id: window, name: Fereastră birou, kind: glass, objective: *hall, input: { simulated: true } }
  - { id: smoke, name: Fum depozit, kind: fire, objective: *hall, input: { simulated: true } }
  - { id: gate, name: Poarta, kind: perimeter, objective: *hall, input: { simulated: true } }
`;
/** The same site with its dispatch centre, and a schedule of the night. */
const CONNECTED = (port) =>
  CONFIGURATION.replace("./data", "./well")
    .replace("http://127.0.0.1:9", `http://127.0.0.1:${port}`)
    .replaceAll("kind: intrusion,", 'kind: intrusion, gate: { schedule: "mon-sun 20:00-06:00" },');
const UPSTREAM = { email: "hala-nord@example.ro", password: "a long password of a site" };
/** Each screen: the name of its picture, its address, an element that is present once it is complete, and whether both themes are pictured. */
const SCREENS = [
  ["status", "status", ".hero .unknown-there", true],
  ["zones", "zones", ".lanes .legend", true],
  ["zone", "zones?zone=hall", "dialog.sheet dl.facts"],
  ["interventions", "interventions", "table", true],
  ["interventions-one", "interventions/1", ".log"],
  ["events", "events", ".log", true],
  ["objectives", "objectives", 'td strong:text-is("Hala Nord")'],
  ["sync", "sync", "section.lanes"],
  ["plan", "plan?zone=hall", ".pin", true],
  ["plan-edit", "plan/1/edit", ".pin"],
  ["walk-test", "walk-test", "form"],
  ["settings", "settings?open=accounts", "td"],
  ["restore", "settings?open=restore", "#restore-copy"],
  ["setup", "setup", "ol.guide"],
  ["api", "api", ".operations"],
  ["more", "more", ".actions-list"],
];
const CENTRE = `dataDir: ./centre
site: { name: Dispecerat Cluj, ref: centre, timezone: Europe/Bucharest }
http: { port: 0 }
objectives:
  obiective/cladiri:
    - { id: 12, name: Hala Nord }
    - { id: 14, name: Sediu }
    - { id: 15, name: Depozit Est }
    - { id: 16, name: Atelier }
`;
/** The sites of the dispatch centre, as they report. */
const REPORTS = [
  { ...site("sediu", "Sediu", 14), level: "fault", faults: [{ zone: "Hol", fault: "tamper" }] },
  site("hala-nord", "Hala Nord", 12),
  { ...site("depozit-est", "Depozit Est", 15), level: "attention", conditions: ["disk-nearly-full"] },
  site("atelier", "Atelier", 16),
];
const CENTRE_SCREENS = [
  ["sites", "sites", "tbody tr"],
  ["sites-one", "sites/1", "h1"],
];
/** The drawing of a floor, and the places of its zones. */
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600" fill="none" stroke="#556" stroke-width="6">
  <path d="M20 20h760v480h-760zM430 20v300h350M20 260h200M280 260h150v240"/></svg>`;
const PLACES = { "front-door": [38, 83], hall: [24, 60], window: [3, 22], smoke: [76, 26], gate: [70, 93] };
/** The last messages of the sensors that are not zones yet. */
const READINGS = [
  ["zigbee2mqtt/Fereastra vest", { battery: 78, contact: true }],
  ["zigbee2mqtt/Sub chiuveta", { battery: 100, water_leak: false }],
  ["atelier/poarta", { usa: "inchisa", tensiune: 3.1 }],
  ["curte/temperatura", { c: 7.4 }],
  ["zigbee2mqtt/Fum atelier", { battery: 91, smoke: false }],
];
/** A technician's phone and an installer's laptop, each in the theme of its pictures, then the main screens in the other. */
const DEVICES = [
  { device: "phone", locale: "ro-RO", width: 360, height: 740, themes: ["light", "dark"] },
  { device: "desktop", locale: "en-GB", width: 1280, height: 800, themes: ["dark", "light"] },
];
const isEachLook = process.env.LOOKS === "all";
const LOOKS = DEVICES.flatMap(({ themes, locale, ...device }) =>
  (isEachLook ? DEVICES.map((one) => one.locale) : [locale]).flatMap((language) =>
    themes.map((colorScheme, index) => ({
      ...device,
      locale: language,
      colorScheme,
      isSecond: index > 0 && !isEachLook,
      name: `${language.slice(0, 2)}-${device.device}${index > 0 || isEachLook ? `-${colorScheme}` : ""}`,
    })),
  ),
);
/** Without those in which only the main screens are taken. */
const FIRST_LOOKS = LOOKS.filter(({ isSecond }) => !isSecond);
/** Of the pixels of a picture; the seconds of its times differ in each run. */
const CHANGED_SHARE = 0.01;

const screenshots =
  process.env.SCREENSHOTS ?? fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "santinela-screenshots-"));
const configFile = join(folder, "santinela.yaml");
writeFileSync(configFile, CONFIGURATION);
writeFileSync(join(folder, "upstream.password"), UPSTREAM.password, { mode: 0o600 });
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
/** The browser keeps the time of this machine, and its pages are given another. */
const ownEnvironment = startAtEvening();
const daemon = new DaemonProcess({ main, configFile, dataDir: join(folder, "data") });
/** A new installation before its set-up. */
const newFile = join(folder, "new.yaml");
writeFileSync(newFile, "dataDir: ./new\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n");
const newDaemon = new DaemonProcess({ main, configFile: newFile, dataDir: join(folder, "new") });
/** An installation with a broker and sensors that are not zones yet. */
const brokerPort = await freePort();
const zonesFile = join(folder, "santinela-zones.yaml");
writeFileSync(
  zonesFile,
  CONFIGURATION.replace("./data", "./zones")
    .replace("http: { port: 0 }", "http: { port: 0, configuration: panel }")
    .replace("mqtt: off", `mqtt: { listen: { port: ${brokerPort} } }`),
);
const zonesDaemon = new DaemonProcess({ main, configFile: zonesFile, dataDir: join(folder, "zones") });
const wellFile = join(folder, "santinela-well.yaml");
const wellDaemon = new DaemonProcess({ main, configFile: wellFile, dataDir: join(folder, "well") });
const centreFile = join(folder, "centre.yaml");
writeFileSync(centreFile, CENTRE);
const centre = new DaemonProcess({
  main,
  configFile: centreFile,
  dataDir: join(folder, "centre"),
  command: "centre",
});
const changed = [];
try {
  mkdirSync(screenshots, { recursive: true });
  await daemon.addAccount(ACCOUNT, "administrator");
  writeLinkOfADay(join(folder, "data", "journal.db"));
  const { httpPort } = await daemon.start();
  await daemon.run(["zones", "bypass", "--zone", "smoke", "--reason", "zugrav", "--minutes", "120"]);
  for (const zone of ["hall", "gate", "hall", "front-door"]) await trip(zone);
  await daemon.run(["trip", "--zone", "window"]);
  await photograph(`http://127.0.0.1:${httpPort}/`);
  await photographWalkTest(`http://127.0.0.1:${httpPort}/`);
  await photographLost(`http://127.0.0.1:${httpPort}/`);
  startAtEvening();
  const { httpPort: newPort } = await newDaemon.start();
  await photographSetUp(`http://127.0.0.1:${newPort}/`);
  startAtEvening();
  await zonesDaemon.addAccount(ACCOUNT, "administrator");
  const { httpPort: zonesPort } = await zonesDaemon.start();
  await photographZoneEditor(`http://127.0.0.1:${zonesPort}/`);
  startAtEvening();
  await centre.addAccount(ACCOUNT, "administrator");
  const { httpPort: centrePort } = await centre.start();
  await reportSites();
  await photographCentre(`http://127.0.0.1:${centrePort}/`);
  await centre.addAccount(UPSTREAM, "operator");
  writeFileSync(wellFile, CONNECTED(centrePort));
  startAtEvening();
  await wellDaemon.addAccount(ACCOUNT, "administrator");
  const { httpPort: wellPort } = await wellDaemon.start();
  await photographWell(`http://127.0.0.1:${wellPort}/`);
} finally {
  await daemon.end("SIGTERM");
  await newDaemon.end("SIGTERM");
  await zonesDaemon.end("SIGTERM");
  await wellDaemon.end("SIGTERM");
  await centre.end("SIGTERM");
  rmSync(folder, { recursive: true });
}
process.stdout.write(
  changed.length === 0
    ? "no screen has changed\n"
    : `changed:\n${changed.map((one) => `  ${one}\n`).join("")}`,
);

async function trip(zone) {
  await daemon.run(["trip", "--zone", zone]);
  await daemon.run(["trip", "--zone", zone, "--restore"]);
}

/** A link history of one day, with an interruption in the night. */
function writeLinkOfADay(path) {
  const database = openJournalDatabase(path);
  const samples = new LinkSampleStore(database);
  const stepMs = 300_000;
  for (let step = 288; step > 0; step -= 1) {
    const sinceCutS = step > 160 && step < 178 ? (178 - step) * 300 : step < 9 ? (9 - step) * 300 : null;
    const state = sinceCutS === null ? "up" : "down";
    samples.add({ atMs: EVENING_MS - step * stepMs, state, oldestUnsentS: sinceCutS });
  }
  database.close();
}

/** Calls `look` with a page for each device, in its language. */
async function inEachLook(address, look, looks = LOOKS) {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: process.getuid() === 0 ? ["--no-sandbox"] : [],
    env: ownEnvironment,
  });
  for (const { name, locale, width, height, colorScheme, isSecond } of looks) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      locale,
      timezoneId: "Europe/Bucharest",
      reducedMotion: "reduce",
    });
    await context.clock.setFixedTime(EVENING_MS);
    const page = await context.newPage();
    await page.goto(address);
    if ((await look(page, name, isSecond)) !== "open") await context.close();
  }
  await browser.close();
}

/** Takes a picture, and notes whether the screen has changed since the last one. */
async function take(page, picture) {
  const path = join(screenshots, `${picture}.png`);
  const before = existsSync(path) ? readFileSync(path) : undefined;
  const after = await page.screenshot({ path });
  const share = before ? changedShare(before, after) : 1;
  if (share > CHANGED_SHARE) changed.push(`${picture}.png (${Math.round(share * 100)} %)`);
}

/** A locator within one screen, so that the remains of another screen do not match. */
function onScreen(page, screen, part) {
  return page.locator(`main[data-screen="${screen}"][aria-busy=false] ${part}`);
}

/** Fills in the sign-in form and waits for Home. */
async function signIn(page) {
  await onScreen(page, "sign-in", "input[name=email]").fill(ACCOUNT.email);
  await onScreen(page, "sign-in", "input[name=password]").fill(ACCOUNT.password);
  await page.keyboard.press("Enter");
  await onScreen(page, "status", "h1").waitFor();
}

/** Opens each screen and pictures it. */
async function pictureEach(page, address, screens, name) {
  for (const [picture, route, mark] of screens) {
    const [screen] = route.split("?");
    await page.goto(`${address}#/${route}`);
    await onScreen(page, screen, mark).first().waitFor();
    if (picture === "restore") await onScreen(page, screen, mark).scrollIntoViewIfNeeded();
    // What was pressed last must not leave another tile marked.
    await page.mouse.move(0, 0);
    await take(page, `${picture}-${name}`);
  }
}

/** The report of a site without faults. */
function site(ref, name, objective) {
  return {
    ref,
    name,
    objective: `obiective/cladiri/${objective}`,
    version: "0.1.0",
    upS: 86_400,
    level: "well",
    diskFreeMb: 21_504,
    compared: { ageS: 900, differing: 0 },
  };
}

async function photographCentre(address) {
  await photographFirstLooks(address, (page, name) => pictureEach(page, address, CENTRE_SCREENS, name));
}

/** The walk test while it runs, and its report. */
async function photographWalkTest(address) {
  await post(join(folder, "data"), "/site/walk-test", { minutes: 30 });
  for (const zone of ["hall", "gate"]) await trip(zone);
  const walkTest = [["walk-test-running", "walk-test", ".hero.s-test"]];
  await photographFirstLooks(address, (page, name) => pictureEach(page, address, walkTest, name));
  await post(join(folder, "data"), "/site/walk-test", { end: true });
  const report = [["walk-test-report", "walk-test/1", "table"]];
  await photographFirstLooks(address, (page, name) => pictureEach(page, address, report, name));
}

/** Home of a site whose daemon has stopped while the page was open; the last picture of this daemon. */
async function photographLost(address) {
  const pages = [];
  await photographFirstLooks(address, async (page, name) => {
    pages.push({ page, name });
    if (pages.length < FIRST_LOOKS.length) return "open";
    await daemon.end("SIGTERM");
    for (const one of pages) {
      await one.page.locator(`main[data-screen="status"]:is(.stale *) .hero`).waitFor();
      await take(one.page, `lost-${one.name}`);
    }
    return undefined;
  });
}

/** Home when everything is in order, and an alarm that has arrived and is done. */
async function photographWell(address) {
  await post(join(folder, "well"), "/site/simulate", { zone: "gate", contact: "open" });
  await post(join(folder, "well"), "/site/simulate", { zone: "gate", contact: "normal" });
  const hasArrived = ({ centre }) => typeof centre?.upstreamId === "number";
  while (!(await wellDaemon.get("/site/status")).journeys.some(hasArrived)) await setTimeout(200);
  await wellDaemon.run(["interventions", "set", "1", "--status", "done"]);
  const well = [["well", "status", ".hero.s-fine"]];
  await photographFirstLooks(address, (page, name) => pictureEach(page, address, well, name));
}

async function photographFirstLooks(address, look) {
  const signedIn = async (page, name) => {
    await signIn(page);
    return look(page, name);
  };
  await inEachLook(address, signedIn, FIRST_LOOKS);
}

/** Each site as its daemon reports it. */
async function reportSites() {
  for (const report of REPORTS)
    await post(join(folder, "centre"), "/site-reports", { ...report, at: eveningNow() });
}

/** A request over the control socket. */
async function post(dataDir, path, body) {
  const client = new ApiClient({ baseUrl: "http://localhost", socketPath: join(dataDir, "control.sock") });
  const { status } = await client.request({ method: "POST", path, body: JSON.stringify(body) });
  if (status >= 300) throw new Error(`POST ${path} got ${status}`);
}

async function photographSetUp(address) {
  await inEachLook(address, async (page, name, isSecond) => {
    if (isSecond) return;
    await onScreen(page, "first-start", "input[name=code]").waitFor();
    await take(page, `first-start-${name}`);
  });
}

/** A port that is free now; discovery needs to know that of the built-in broker. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** Adding and changing zones, with the sensors of a zigbee2mqtt and one that no maker announces. */
async function photographZoneEditor(address) {
  const client = await connectAsync(`mqtt://127.0.0.1:${brokerPort}`);
  const send = (topic, message, retain = false) =>
    client.publishAsync(topic, JSON.stringify(message), { qos: 1, retain });
  await announce(send);
  await inEachLook(address, async (page, name, isSecond) => {
    if (isSecond) return;
    const picture = (screen) => take(page, `${screen}-${name}`);
    await signIn(page);
    await page.goto(`${address}#/zones/edit`);
    await onScreen(page, "zones/edit", "li[data-zone=gate]").waitFor();
    await picture("zones-edit");
    await page.goto(`${address}#/zones/found`);
    await onScreen(page, "zones/found", 'a.card:has-text("Fum atelier")').waitFor();
    for (const [topic, message] of READINGS) await send(topic, message);
    await onScreen(page, "zones/found", "details").waitFor();
    await picture("zones-found");
    await onScreen(page, "zones/found", 'a.card:has-text("Fum atelier")').click();
    await onScreen(page, "zones/form", "[data-trial] pre").waitFor();
    await send("zigbee2mqtt/Fum atelier", { battery: 91, smoke: true });
    await onScreen(page, "zones/form", '[data-trial] pre:has-text("true")').waitFor();
    await send("zigbee2mqtt/Fum atelier", { battery: 91, smoke: false });
    await onScreen(page, "zones/form", '[data-trial=passed] pre:has-text("false")').waitFor();
    await onScreen(page, "zones/form", "select[name=objective]").selectOption("obiective/cladiri 12");
    await picture("zones-form");
    await onScreen(page, "zones/form", "button.main").click();
    await onScreen(page, "zones/review", ".diff .added >> nth=0").waitFor();
    await picture("zones-review");
  });
  await client.endAsync();
}

/** A zigbee2mqtt as it announces itself. */
async function announce(send) {
  const sensor = (friendly_name, model, description, properties) => ({
    ieee_address: `0x${Buffer.from(friendly_name).toString("hex").slice(0, 16)}`,
    friendly_name,
    type: "EndDevice",
    supported: true,
    definition: {
      model,
      vendor: "",
      description,
      exposes: properties.map((property) => ({
        type: "binary",
        name: property,
        property,
        access: 1,
        value_on: property !== "contact",
        value_off: property === "contact",
      })),
    },
  });
  await send("zigbee2mqtt/bridge/info", { version: "2.1.0", config: { advanced: { output: "json" } } }, true);
  await send("zigbee2mqtt/bridge/state", { state: "online" }, true);
  await send(
    "zigbee2mqtt/bridge/devices",
    [
      sensor("Fum atelier", "JY-GZ-01AQ", "Smoke detector", ["smoke", "battery_low"]),
      sensor("Fereastra vest", "SNZB-04", "Contact sensor", ["contact", "battery_low"]),
      sensor("Sub chiuveta", "SJCGQ11LM", "Water leak sensor", ["water_leak"]),
    ],
    true,
  );
}

/** Uploads the floor plan as an administrator does, and places its zones. */
async function drawPlan(page, address) {
  await page.goto(`${address}#/plan/new`);
  await onScreen(page, "plan/new", "input[name=name]").fill("Parter");
  const picture = { name: "parter.svg", mimeType: "image/svg+xml", buffer: Buffer.from(DRAWING) };
  await onScreen(page, "plan/new", "input[name=picture]").setInputFiles(picture);
  await onScreen(page, "plan/new", "button.main").click();
  await onScreen(page, "plan/1/edit", ".plan img").waitFor();
  const pins = Object.entries(PLACES).map(([zone, [x, y]]) => ({ zone, x, y }));
  await page.evaluate(
    async (body) => {
      const headers = {
        Authorization: `Bearer ${sessionStorage.getItem("santinela.token")}`,
        "Content-Type": "application/json",
      };
      await fetch("./site/plans/1", { method: "PUT", headers, body: JSON.stringify(body) });
    },
    { pins },
  );
}

async function photograph(address) {
  let hasPlan = false;
  await inEachLook(address, async (page, name, isSecond) => {
    await onScreen(page, "sign-in", "input[name=email]").fill(ACCOUNT.email);
    if (!isSecond) await take(page, `sign-in-${name}`);
    await signIn(page);
    if (!hasPlan) await drawPlan(page, address);
    hasPlan = true;
    const screens = SCREENS.filter(([, , , isMain]) => isMain || !isSecond);
    await pictureEach(page, address, screens, name);
  });
}
