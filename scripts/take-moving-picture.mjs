// Takes docs/screenshots/trip-en.png and trip-ro.png, the journey of one trip from a run of two daemons:
// npm run build && node scripts/take-moving-picture.mjs. Needs faketime. A site loses its link, a gate opens, the site is
// killed and started again, and the link returns. Above the two panels a dot shows where the trip is.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { DaemonProcess } from "../build/cli/demo/daemon-process.js";
import { Relay } from "../build/cli/demo/relay.js";
import { animatedPng } from "./animated-png.mjs";
import { EVENING_MS, startAtEvening } from "./picture-clock.mjs";
import { chromiumPath } from "./chromium.mjs";

const ACCOUNT = { email: "mihai@hala-nord.example", password: "correct horse battery staple" };
const EDGE = { email: "hala-nord@centre.example", password: "correct horse battery staple" };
/** Each panel, and the picture around both. */
const PANEL = { width: 470, height: 560 };
const PICTURE = { width: 1000, height: 752 };
const SCENE_MS = 3200;
const LAST_SCENE_MS = 5000;
const MOVE_MS = 60;
const MOVES = 10;

const LANGUAGES = {
  en: {
    locale: "en-GB",
    gate: "Back gate",
    hall: "North hall",
    site: "Site: North hall",
    centre: "Dispatch centre",
    stations: ["contact", "trip journal", "intervention", "dispatch centre"],
    scenes: {
      quiet: "The link to the dispatch centre is up; the gate is closed.",
      cut: "The link is lost.",
      trip: "The gate opens. Trip and intervention are on the disk of the site.",
      killed: "The site is killed (SIGKILL) before the intervention is sent.",
      restarted: "The site starts again. The intervention waits for the link.",
      sent: "The link is back. The dispatch centre has the intervention, once.",
    },
    off: "killed",
  },
  ro: {
    locale: "ro-RO",
    gate: "Poarta din spate",
    hall: "Hala Nord",
    site: "Locația: Hala Nord",
    centre: "Dispecerat",
    stations: ["contact", "jurnalul declanșărilor", "intervenție", "dispecerat"],
    scenes: {
      quiet: "Există conexiune cu dispeceratul; poarta este închisă.",
      cut: "Conexiunea se întrerupe.",
      trip: "Poarta se deschide. Declanșarea și intervenția sunt salvate pe disc, la locație.",
      killed: "Serviciul este oprit forțat înainte de transmiterea intervenției.",
      restarted: "Serviciul repornește. Intervenția așteaptă conexiunea.",
      sent: "Conexiunea revine. Intervenția este la dispecerat, o singură dată.",
    },
    off: "oprit",
  },
};

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
try {
  for (const language of Object.keys(LANGUAGES)) await takePicture(language);
} finally {
  await browser.close();
}

async function takePicture(language) {
  const folder = mkdtempSync(join(tmpdir(), "santinela-picture-"));
  // For the daemons; the browser runs already, and its pages are given the time.
  startAtEvening();
  const words = LANGUAGES[language];
  const run = await startDaemons(folder, language, words);
  try {
    const site = await signIn(run.sitePort, words.locale);
    const centre = await signIn(run.centrePort, words.locale);
    await open(site, "status");
    await open(centre, "interventions");
    const picture = await openPicture(words);
    const shots = [];
    const scene = async (name, place, ms = SCENE_MS) => {
      const panels = await Promise.all([site, centre].map(panelOf));
      shots.push(...(await filmed(picture, { caption: words.scenes[name], ...place }, panels, ms)));
    };
    await scene("quiet", { from: 0, to: 0, isBefore: true });
    run.link.cut();
    await run.site.run(["sync", "now"]).catch(() => "the link is down");
    await linkState(site, "down").waitFor();
    await scene("cut", { from: 0, to: 0, isCut: true, isBefore: true });
    await run.publish(false);
    await queued(site, 1).waitFor();
    // The headline as well: it has said for a moment that the trip has no record yet.
    await open(site, "status");
    await onScreen(site, "status", ".hero.s-alarm").waitFor();
    await scene("trip", { from: 0, to: 2, isCut: true });
    await run.site.end("SIGKILL");
    await scene("killed", { from: 2, to: 2, isCut: true, isOff: true });
    await run.site.start();
    await open(site, "status");
    await queued(site, 1).waitFor();
    await scene("restarted", { from: 2, to: 2, isCut: true });
    run.link.reconnect();
    await run.site.run(["sync", "now"]);
    await queued(site, 0).waitFor();
    await linkState(site, "up").waitFor();
    await onScreen(centre, "interventions", `td a:has-text("${words.gate}")`).waitFor();
    await scene("sent", { from: 2, to: 3 }, LAST_SCENE_MS);
    writeFileSync(new URL(`../docs/screenshots/trip-${language}.png`, import.meta.url), animatedPng(shots));
  } finally {
    await run.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startDaemons(folder, language, { gate, hall }) {
  const daemon = (name, yaml) => {
    const configFile = join(folder, `${name}.yaml`);
    const objectives = `objectives: { obiective/cladiri: [{ id: 12, name: ${hall} }] }\n`;
    writeFileSync(configFile, `dataDir: ./${name}\ngpio: { backend: simulated }\n${objectives}${yaml}`);
    return new DaemonProcess({ main, configFile, dataDir: join(folder, name) });
  };
  const centre = daemon(
    "centre",
    `site: { name: ${LANGUAGES[language].centre}, ref: centre, locale: ${language}, timezone: Europe/Bucharest }\nhttp: { port: 0 }\nmqtt: off\n`,
  );
  await centre.addAccount(ACCOUNT, "administrator");
  await centre.addAccount(EDGE, "operator");
  writeFileSync(join(folder, "upstream.password"), EDGE.password, { mode: 0o600 });
  const { httpPort: centrePort } = await centre.start();
  const link = new Relay(centrePort);
  const linkPort = await link.start();
  // Fixed, so that the page finds the site after its restart.
  const sitePort = await freePort();
  const site = daemon(
    "site",
    `site: { name: ${hall}, ref: hall, locale: ${language}, timezone: Europe/Bucharest }
http: { port: ${sitePort} }
mqtt: { listen: { port: 0 } }
upstream: { baseUrl: "http://127.0.0.1:${linkPort}", email: ${EDGE.email}, passwordFile: ./upstream.password }
zones:
  - { id: gate, name: ${gate}, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, input: { mqtt: gate, path: /contact, open: [false], normal: [true] } }
`,
  );
  await site.addAccount(ACCOUNT, "administrator");
  const { mqttPort } = await site.start();
  const sensor = await createRequire(main)("mqtt").connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
    reconnectPeriod: 0,
  });
  const publish = (isClosed) =>
    sensor.publishAsync("gate", JSON.stringify({ contact: isClosed }), { qos: 1 });
  await publish(true);
  await site.run(["sync", "now"]);
  const end = async () => {
    await sensor.endAsync(true);
    link.stop();
    await site.end("SIGTERM");
    await centre.end("SIGTERM");
  };
  return { site, sitePort, centrePort, link, publish, end };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function signIn(port, locale) {
  const context = await browser.newContext({
    viewport: { width: PANEL.width, height: PANEL.height + 400 },
    baseURL: `http://127.0.0.1:${port}/`,
    colorScheme: "light",
    locale,
    timezoneId: "Europe/Bucharest",
  });
  await context.clock.setFixedTime(EVENING_MS);
  const page = await context.newPage();
  await page.goto("/");
  await onScreen(page, "sign-in", "input[name=email]").fill(ACCOUNT.email);
  await onScreen(page, "sign-in", "input[name=password]").fill(ACCOUNT.password);
  await page.keyboard.press("Enter");
  await onScreen(page, "status", "h1").waitFor();
  return page;
}

async function open(page, screen) {
  await page.goto(`/#/${screen}`);
  await page.reload();
  await onScreen(page, screen, "h1").waitFor();
}

/** A locator within one screen, so that the remains of another screen do not match. */
function onScreen(page, screen, part) {
  return page.locator(`main[data-screen="${screen}"][aria-busy=false] ${part}`);
}

/** The link card of Home in this state. */
function linkState(page, state) {
  return onScreen(page, "status", `[data-link="${state}"]`);
}

/** The link card of Home with this number of queued records. */
function queued(page, count) {
  return onScreen(page, "status", `[data-queued="${count}"]`);
}

/** The panel below its navigation, as a data URL. */
async function panelOf(page) {
  const y = await page.evaluate(() => document.querySelector("main").getBoundingClientRect().top);
  const png = await page.screenshot({ clip: { x: 0, y, ...PANEL } });
  return `data:image/png;base64,${png.toString("base64")}`;
}

/** The frames of a scene: the dot moves, then the picture stays. */
async function filmed(
  picture,
  { caption, from, to, isCut = false, isOff = false, isBefore = false },
  panels,
  ms,
) {
  await picture.evaluate(showScene, { caption, panels, marks: { isCut, isOff, isBefore } });
  const frames = [];
  const moves = from === to ? 0 : MOVES;
  for (let move = 0; move <= moves; move += 1) {
    const place = moves === 0 ? to : from + ((to - from) * move) / moves;
    await picture.evaluate(moveDot, place);
    frames.push({ png: await picture.screenshot(), ms: move === moves ? ms : MOVE_MS });
  }
  return frames;
}

async function openPicture({ stations, site, centre, off }) {
  const page = await browser.newPage({ viewport: PICTURE });
  const places = stations.map((name, index) => `<li style="left:${place(index)}px">${name}</li>`).join("");
  await page.setContent(`<!doctype html><style>
    body { margin: 0; background: #fff; color: #14202b; font: 17px/1.4 "DejaVu Sans", sans-serif; position: relative; height: ${PICTURE.height}px; overflow: hidden }
    h1 { margin: 0; padding: 16px 20px 0; font-size: 21px; height: 32px }
    ol { margin: 0; padding: 0; list-style: none }
    li { position: absolute; top: 92px; width: 200px; margin-left: -100px; text-align: center; font-size: 15px; color: #45525e }
    .line { position: absolute; top: 77px; height: 4px; background: #9fb0be; left: ${place(0)}px; width: ${place(3) - place(0)}px }
    .link { left: ${place(2)}px; width: ${place(3) - place(2)}px }
    .isCut .link { background: repeating-linear-gradient(90deg, #a3111f 0 10px, #fff 10px 24px) }
    .dot { position: absolute; top: 68px; width: 22px; height: 22px; margin-left: -11px; border-radius: 50%; background: #0b4f93 }
    .isCut .dot { background: #a3111f }
    .isBefore .dot { box-sizing: border-box; background: #fff; border: 4px solid #9fb0be }
    .panel { position: absolute; top: 160px; width: ${PANEL.width}px; height: ${PANEL.height}px; border: 1px solid #9fb0be; border-radius: 6px; overflow: hidden }
    .panel img { display: block; width: 100% }
    .panel + h2 { position: absolute; top: 124px; margin: 0; font-size: 17px }
    .off { position: absolute; inset: 0; background: #14202be8; color: #fff; font-size: 30px; display: none; place-items: center }
    .isOff .off { display: grid }
  </style><h1></h1><div class="line"></div><div class="line link"></div><div class="dot"></div><ol>${places}</ol>
  <div class="panel" style="left:20px"><img alt=""><div class="off">${off}</div></div><h2 style="left:20px">${site}</h2>
  <div class="panel" style="right:20px"><img alt=""></div><h2 style="left:${PICTURE.width - 22 - PANEL.width}px">${centre}</h2>`);
  return page;
}

/** Column of a station of the journey. */
function place(index) {
  return 120 + (index * (PICTURE.width - 240)) / 3;
}

/** Runs in the page. */
async function showScene({ caption, panels, marks }) {
  document.querySelector("h1").textContent = caption;
  for (const [mark, isSet] of Object.entries(marks)) document.body.classList.toggle(mark, isSet);
  const images = [...document.querySelectorAll("img")];
  await Promise.all(
    images.map((image, index) => {
      image.src = panels[index];
      return image.decode();
    }),
  );
}

/** Runs in the page. */
function moveDot(place) {
  document.querySelector(".dot").style.left = `${120 + (place * (document.body.clientWidth - 240)) / 3}px`;
}
