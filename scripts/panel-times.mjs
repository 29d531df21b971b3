// Measures the web panel with a real daemon and Chromium: `npm run panel-times`, some minutes on two cores; not part of the tests.
//   node scripts/panel-times.mjs [--changes 250] [--interventions 20000] [--zones 200] [--only sizes,start,live,list,zones]
// Prints the figures as JSON lines, and at the end as the tables of docs/performance.md. Nothing leaves this machine.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { connectAsync } from "mqtt";
import { chromium } from "playwright-core";
import { DaemonProcess } from "../build/cli/demo/daemon-process.js";
import { chromiumPath } from "./chromium.mjs";

const { values: options } = parseArgs({
  options: {
    changes: { type: "string", default: "250" },
    interventions: { type: "string", default: "20000" },
    zones: { type: "string", default: "200" },
    only: { type: "string", default: "sizes,start,live,list,zones" },
  },
});
const [CHANGES, INTERVENTIONS, ZONES] = [options.changes, options.interventions, options.zones].map(
  (text) => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < 1 || number > 100_000) throw new Error(`not a count: ${text}`);
    return number;
  },
);
const ONLY = new Set(options.only.split(","));

const ACCOUNT = { email: "ana@site.example", password: "correct horse battery staple" };
const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));
/** Clients that write at once while the list is filled. */
const WRITERS = 16;
/** A slow phone on a slow network, as Lighthouse has it: a sixth of the processor, 150 ms and 1.6 Mbit/s. */
const SLOW_CPU = 6;
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const PHONE = { viewport: { width: 360, height: 740 }, locale: "ro-RO", timezoneId: "Europe/Bucharest" };
const WAIT_MS = 30_000;
const QUIET_MS = 400;
/** Changes follow each other after a random time up to this. */
const APART_MS = 500;
/** Starts of each kind; the median counts. */
const STARTS = 5;
/** The list by number: what is unfinished comes first otherwise. */
const NEWEST = "sort=id&order=desc";
const PAGE_SIZE = 20;
const PAGES_MAX = 100;
/** Screens with the part that is there once they are complete; the first is the start. */
const SCREENS = [
  ["status", ".hero"],
  ["zones", ".tiles .tile"],
  ["interventions", "table"],
  ["interventions/1", ".journey, .log"],
  ["events", ".log"],
  ["plan", "h1"],
  ["walk-test", "form"],
  ["objectives", "table, .empty"],
  ["sync", "h1"],
  ["settings", "summary"],
  ["setup", "ol.guide"],
  ["zones/found", "h1"],
  ["api", ".operations"],
];

const folder = mkdtempSync(join(tmpdir(), "santinela-panel-times-"));
const daemons = [];
const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--js-flags=--expose-gc"],
});
const report = { machine: `${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)} at the start` };
try {
  const small = await started("small", 12);
  await send(small, "POST", "interventii", record(1));
  if (ONLY.has("sizes")) report.sizes = await sizes(small);
  if (ONLY.has("start")) report.start = await starts(small);
  if (ONLY.has("live")) report.live = await live(small);
  await small.daemon.end("SIGTERM");
  if (ONLY.has("list")) {
    const large = await started("large", 12, true);
    await fill(large);
    report.list = await list(large);
    await large.daemon.end("SIGTERM");
  }
  if (ONLY.has("zones")) {
    const wide = await started("wide", ZONES);
    report.zones = await manyZones(wide);
    report.liveOfMany = await live(wide);
  }
  report.machine += `, ${loadavg()[0].toFixed(1)} at the end`;
  process.stdout.write(`\n${tables(report)}\n`);
} finally {
  await browser.close();
  for (const daemon of daemons) await daemon.end("SIGTERM").catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}

/** A daemon with its broker and zones on it; with a centre that does not answer every record waits for it. */
async function started(name, zones, hasCentre = false) {
  const configFile = join(folder, `${name}.yaml`);
  const password = join(folder, `${name}.password`);
  writeFileSync(password, "not needed", { mode: 0o600 });
  const centre = hasCentre
    ? `upstream: { baseUrl: "http://127.0.0.1:9", email: site@example.ro, passwordFile: ${password} }\n`
    : "";
  // Not armed: what is measured is the way of a reading to the page, without an intervention for each.
  const lines = Array.from(
    { length: zones },
    (_none, index) =>
      `  - { id: z${index}, name: Zona ${index}, kind: motion, objective: { type: obiective/cladiri, id: 1 }, gate: { schedule: "mon 03:00-03:01" }, input: { mqtt: z/${index}, open: [ON], normal: [OFF] } }`,
  );
  writeFileSync(
    configFile,
    `dataDir: ./${name}
site: { name: Hala Nord, ref: ${name} }
http: { port: 0, configuration: panel }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
${centre}objectives: { obiective/cladiri: [{ id: 1, name: Hala Nord }] }
zones:
${lines.join("\n")}
`,
  );
  const daemon = new DaemonProcess({ main: MAIN, configFile, dataDir: join(folder, name) });
  daemons.push(daemon);
  await daemon.addAccount(ACCOUNT, "administrator");
  const { httpPort, mqttPort } = await daemon.start();
  const address = `http://127.0.0.1:${httpPort}/`;
  const response = await fetch(`${address}auth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(ACCOUNT),
  });
  const { token } = await response.json();
  const client = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`);
  for (let index = 0; index < zones; index += 1) await client.publishAsync(`z/${index}`, "OFF", { qos: 1 });
  await client.endAsync();
  return { daemon, address, token, mqttPort, zones };
}

function record(number) {
  return {
    name: `Interventia ${number}`,
    type: ["maintenance", "inspection", "repair", "other"][number % 4],
    status: ["planned", "in_progress", "done"][number % 3],
    priority: ["high", "medium", "low"][number % 3],
    dateStart: `2026-${String(1 + (number % 9)).padStart(2, "0")}-10T08:00:00`,
    objectiveType: "obiective/cladiri",
    objectiveId: 1,
  };
}

async function send({ address, token }, method, path, body) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} /${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

async function fill(site) {
  let next = 0;
  const write = async () => {
    while (next < INTERVENTIONS) {
      next += 1;
      await send(site, "POST", "interventii", record(next));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** A signed-in page that notes what it loads. */
async function opened(site, screen, { isSlow = false } = {}) {
  const own = await browser.newContext(PHONE);
  await own.addInitScript((token) => sessionStorage.setItem("santinela.token", token), site.token);
  const page = await own.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const cdp = await own.newCDPSession(page);
  await cdp.send("Performance.enable");
  if (isSlow) {
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", SLOW_4G);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOW_CPU });
  }
  const answers = [];
  const network = { pending: new Set(), quietSince: performance.now() };
  const isStream = (request) => request.url().endsWith("/site/events");
  const ended = (request) => {
    network.pending.delete(request);
    network.quietSince = performance.now();
  };
  page.on("request", (request) => !isStream(request) && network.pending.add(request));
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  page.on("response", (response) => {
    if (!isStream(response)) answers.push(response);
  });
  if (screen !== undefined) await page.goto(`${site.address}#/${screen}`);
  return { context: own, page, cdp, answers, network };
}

/** Waits until nothing was requested for a while; the stream of live updates never ends. */
async function settled(network) {
  const until = performance.now() + WAIT_MS;
  while (performance.now() < until) {
    if (network.pending.size === 0 && performance.now() - network.quietSince > QUIET_MS) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

async function bodies(answers) {
  const found = [];
  for (const response of answers.splice(0)) {
    const body = await response.body().catch(() => Buffer.alloc(0));
    found.push({ path: new URL(response.url()).pathname, body });
  }
  return found;
}

function isFile({ path }) {
  return /\.(js|css|svg|html|webmanifest)$|^\/$/.test(path);
}

function sizeOf(found) {
  const sum = (measure) =>
    found.reduce((total, { body }) => total + (body.length === 0 ? 0 : measure(body)), 0);
  return {
    raw: sum((body) => body.length),
    gzip: sum((body) => gzipSync(body, { level: 9 }).length),
    brotli: sum((body) => brotliCompressSync(body).length),
  };
}

/** A part of a screen that is complete. */
async function ready(page, screen, part) {
  await page.locator(`main[data-screen="${screen}"][aria-busy=false] :is(${part})`).first().waitFor();
}

/** What each screen loads beyond the screens before it: files, then answers of the daemon. */
async function sizes(site) {
  const { context, page, answers, network } = await opened(site, "status");
  const rows = [];
  for (const [screen, part] of SCREENS) {
    if (rows.length > 0) await page.evaluate((to) => (location.hash = to), `#/${screen}`);
    await ready(page, screen, part);
    await settled(network);
    const found = await bodies(answers);
    const data = found.filter((one) => !isFile(one));
    rows.push({ screen, ...sizeOf(found.filter(isFile)), data: sizeOf(data).raw });
  }
  await context.close();
  return note("sizes", rows);
}

/** From the navigation to a headline, and to the answer of a pressed control, in the page's own time. */
async function starts(site) {
  const rows = [];
  for (const isSlow of [false, true]) {
    const times = { cold: [], warm: [] };
    for (let round = 0; round < STARTS; round += 1) {
      const { context, page } = await opened(site, undefined, { isSlow });
      await page.addInitScript(watchStart);
      for (const kind of ["cold", "warm"]) {
        if (kind === "warm") await page.evaluate(() => history.replaceState(null, "", "#/status"));
        // Looking for the end from outside would run scripts in the slow page while it starts.
        const done = page.waitForEvent("console", (message) => message.text() === "panel-start-done");
        await (kind === "cold"
          ? page.goto(site.address, { waitUntil: "commit" })
          : page.reload({ waitUntil: "commit" }));
        await done;
        times[kind].push(await page.evaluate(() => globalThis.panelStart));
      }
      await context.close();
    }
    for (const kind of ["cold", "warm"])
      rows.push({
        device: isSlow ? "slow" : "this",
        kind,
        headlineMs: median(times[kind].map(({ headline }) => headline)),
        usableMs: median(times[kind].map(({ pressed }) => pressed)),
        worstMs: Math.round(Math.max(...times[kind].map(({ pressed }) => pressed))),
      });
  }
  return note("start", rows);
}

/** In the page: notes when the headline is drawn, then presses a link of the menu and notes when its screen is there. */
function watchStart() {
  const start = (globalThis.panelStart = {});
  const look = () => {
    if (start.headline === undefined && document.querySelector("main[data-screen=status] .hero h1")) {
      start.headline = performance.now();
      document.querySelector('nav a[href="#/zones"]')?.click();
    }
    if (start.headline !== undefined && document.querySelector("main[data-screen=zones] h1")) {
      start.pressed = performance.now();
      // oxlint-disable-next-line no-console -- in the page: the measuring program waits for it
      console.log("panel-start-done");
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** From the publication of a reading to the frame in which the tile of its zone has changed. */
async function live(site) {
  const { context, page } = await opened(site, "zones");
  await ready(page, "zones", ".tiles .tile");
  const client = await connectAsync(`mqtt://127.0.0.1:${site.mqttPort}`);
  await page.evaluate(() => {
    globalThis.seen = (zone, before) =>
      new Promise((resolve) => {
        const look = () => {
          const tile = document.querySelector(`.tile[data-zone="${zone}"] .state`);
          if (tile && tile.textContent !== before) requestAnimationFrame(() => resolve(Date.now()));
          else requestAnimationFrame(look);
        };
        look();
      });
  });
  const times = [];
  for (let change = 0; change < CHANGES; change += 1) {
    const zone = change % site.zones;
    const isOpen = Math.floor(change / site.zones) % 2 === 0;
    const tile = page.locator(`main[data-screen="zones"] .tile[data-zone="z${zone}"] .state`);
    const seen = page.evaluate(
      ([id, before]) => globalThis.seen(id, before),
      [`z${zone}`, await tile.textContent()],
    );
    // Not in step with the stream, whose polls the last change has just met.
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * APART_MS);
    });
    const at = Date.now();
    await client.publishAsync(`z/${zone}`, isOpen ? "ON" : "OFF", { qos: 1 });
    times.push((await seen) - at);
  }
  await client.endAsync();
  await context.close();
  return note("live", {
    zones: site.zones,
    changes: times.length,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    max: Math.max(...times),
  });
}

/** Time, elements, and heap of the page after an action that ends when `isDone` is true in the page. */
async function step(name, { page, cdp, answers, network }, act, isDone, argument) {
  answers.length = 0;
  const at = performance.now();
  await act();
  await page.waitForFunction(isDone, argument, { polling: "raf" }).catch((error) => {
    throw new Error(`the step "${name}" did not end: ${error.message}`, { cause: error });
  });
  const ms = Math.round(performance.now() - at);
  await settled(network);
  const found = await bodies(answers);
  const data = found.filter((one) => !isFile(one));
  await cdp.send("HeapProfiler.collectGarbage");
  const { metrics } = await cdp.send("Performance.getMetrics");
  const heap = metrics.find((metric) => metric.name === "JSHeapUsedSize").value;
  return {
    step: name,
    ms,
    elements: await page.evaluate(() => document.querySelectorAll("*").length),
    heapMb: Number((heap / 1_048_576).toFixed(1)),
    largest: Math.max(0, ...data.map(({ body }) => body.length)),
    requests: data.length,
  };
}

/** In the page: whether the first row of the table is that of a record, by its name. */
function isFirstName(name) {
  return document.querySelector("main[aria-busy=false] tbody tr .lead")?.textContent.trim() === name;
}

/** In the page: as `isFirstName`, by its id, because writers at once do not write in the order of the names. */
function isFirstId(id) {
  const cell = document.querySelector('main[aria-busy=false] tbody tr [data-title="#"]');
  return cell?.textContent.trim() === String(id);
}

/** The screen of interventions: opened, turned, sorted, filtered and searched. */
async function list(site) {
  const view = await opened(site, "status");
  const { page, context } = view;
  await ready(page, "status", ".hero");
  const to = (address) => () => page.evaluate((hash) => (location.hash = hash), address);
  const pages = Math.min(PAGES_MAX, Math.floor((INTERVENTIONS - 1) / PAGE_SIZE));
  const last = Math.floor((INTERVENTIONS - 1) / PAGE_SIZE) * PAGE_SIZE;
  const wanted = Math.ceil(INTERVENTIONS / 2);
  const isFirst = (hash) =>
    location.hash === hash && document.querySelector("main[aria-busy=false] tbody tr") !== null;
  const steps = [
    ["open", "#/interventions", isFirst, "#/interventions"],
    ["last page", `#/interventions?${NEWEST}&start=${last}`, isFirstId, INTERVENTIONS - last],
    ["sort by name", "#/interventions?sort=name&order=asc", isFirstName, "Interventia 1"],
    [
      "sort by start",
      "#/interventions?sort=dateStart&order=desc",
      isFirst,
      "#/interventions?sort=dateStart&order=desc",
    ],
    [
      "filter",
      "#/interventions?status=done&priority=low",
      isFirst,
      "#/interventions?status=done&priority=low",
    ],
    ["search", `#/interventions?q=${wanted}`, isFirstName, `Interventia ${wanted}`],
    [
      "one",
      `#/interventions/${wanted}`,
      (id) => document.querySelector(`main[data-screen="interventions/${id}"][aria-busy=false] h1`) !== null,
      wanted,
    ],
    ["home", "#/status", () => document.querySelector("main[data-screen=status] .hero") !== null],
    [
      "sync queue",
      "#/sync",
      () => document.querySelector("main[data-screen=sync][aria-busy=false] h1") !== null,
    ],
    [
      "event log",
      "#/events",
      () => document.querySelector("main[data-screen=events][aria-busy=false] .log") !== null,
    ],
    [
      "objectives",
      "#/objectives",
      () => document.querySelector("main[data-screen=objectives][aria-busy=false] h1") !== null,
    ],
  ];
  const rows = [];
  for (const [name, address, isDone, argument] of steps)
    rows.push(await step(name, view, to(address), isDone, argument));
  // The list again and again: what a screen leaves behind would add up.
  await to(`#/interventions?${NEWEST}`)();
  await page.waitForFunction(isFirstId, INTERVENTIONS, { polling: "raf" });
  const turn = async () => {
    for (let number = 1; number <= pages; number += 1) {
      await to(`#/interventions?${NEWEST}&start=${number * PAGE_SIZE}`)();
      await page.waitForFunction(isFirstId, INTERVENTIONS - number * PAGE_SIZE, { polling: "raf" });
    }
  };
  rows.push(await step(`${pages} pages`, view, turn, isFirstId, INTERVENTIONS - pages * PAGE_SIZE));
  await context.close();
  return note("list", rows);
}

/** The screens that show every zone. */
async function manyZones(site) {
  const view = await opened(site, "objectives");
  const { page, context } = view;
  await ready(page, "objectives", "h1");
  const to = (address) => () => page.evaluate((hash) => (location.hash = hash), address);
  const rows = [
    await step(
      "home",
      view,
      to("#/status"),
      () => document.querySelector("main[data-screen=status] .hero") !== null,
    ),
    await step(
      "zones",
      view,
      to("#/zones"),
      (number) => document.querySelectorAll("main .tiles .tile").length === number,
      ZONES,
    ),
    await step(
      "search",
      view,
      to("#/zones?q=17"),
      (number) => {
        const shown = document.querySelectorAll("main .tiles .tile").length;
        return shown > 0 && shown < number;
      },
      ZONES,
    ),
    await step(
      "edit",
      view,
      to("#/zones/edit"),
      (number) => document.querySelectorAll("main li[data-zone]").length === number,
      ZONES,
    ),
  ];
  await send(site, "POST", "site/walk-test", { minutes: 5 });
  rows.push(
    await step(
      "walk test",
      view,
      to("#/walk-test"),
      (number) => document.querySelectorAll("main .items.card li").length === number,
      ZONES,
    ),
  );
  await send(site, "POST", "site/walk-test", { end: true });
  await context.close();
  return note("zones", rows);
}

function note(name, value) {
  process.stdout.write(`${JSON.stringify({ [name]: value })}\n`);
  return value;
}

function quantile(times, part) {
  return times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];
}

function median(times) {
  return Math.round(quantile(times, 0.5));
}

/** The figures as the tables of docs/performance.md. */
function tables({ machine, sizes: loaded, start, live: few, list: rows, zones, liveOfMany }) {
  const kb = (bytes) => (bytes / 1000).toFixed(1);
  const parts = [`Measured on ${machine}.`];
  const table = (head, lines) =>
    [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  if (loaded)
    parts.push(
      table(
        ["Screen", "Raw, kB", "gzip, kB", "Brotli, kB", "Data, kB"],
        loaded.map(({ screen, raw, gzip, brotli, data }) => [
          screen,
          kb(raw),
          kb(gzip),
          kb(brotli),
          kb(data),
        ]),
      ),
    );
  if (start)
    parts.push(
      table(
        ["Device", "Cache", "Headline, ms", "Usable, ms", "Worst of five, ms"],
        start.map(({ device, kind, headlineMs, usableMs, worstMs }) => [
          device === "slow" ? "CPU ×6, slow 4G" : "this machine",
          kind,
          headlineMs,
          usableMs,
          worstMs,
        ]),
      ),
    );
  const lives = [few, liveOfMany].filter((one) => one !== undefined);
  if (lives.length > 0)
    parts.push(
      table(
        ["Zones", "Changes", "p50, ms", "p99, ms", "Worst, ms"],
        lives.map(({ zones: count, changes, p50, p99, max }) => [count, changes, p50, p99, max]),
      ),
    );
  for (const [title, steps] of [
    [`${INTERVENTIONS} interventions`, rows],
    [`${ZONES} zones`, zones],
  ])
    if (steps)
      parts.push(
        table(
          [title, "Time, ms", "Elements", "Heap, MB", "Largest answer, kB"],
          steps.map(({ step: name, ms, elements, heapMb, largest }) => [
            name,
            ms,
            elements,
            heapMb,
            kb(largest),
          ]),
        ),
      );
  return parts.join("\n\n");
}
