import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Child } from "../children.ts";
import type { CatchUpFigure } from "../figures.ts";
import { DelayLine } from "../delay-line.ts";
import { freePort, PROGRAM, SOURCE } from "../paths.ts";
import { ROUND_TRIPS_MS, type Ground } from "../plan.ts";
import { noteMachine } from "../machine.ts";
import { median } from "../statistics.ts";
import { CentreRecordReader } from "./centre-record-reader.ts";

const ACCOUNT = { email: "site@centre.example", password: "correct horse battery staple" };
const OBJECTIVES = Array.from(
  { length: 500 },
  (_, index) => `    - { id: ${index + 1}, name: Hall ${index + 1} }`,
);
/** A fresh alarm that has not come by then has failed. */
const ALARM_MS_MAX = 120_000;
/** Between one alarm's arrival and the next one. */
const ALARM_EVERY_MS = 1_500;

/** A site with thousands of waiting records gets its line back: how fast they leave, and how long a new alarm takes. */
export async function measureCatchUp(ground: Ground): Promise<void> {
  const { scale, tell } = ground;
  const template = await prepare(ground);
  for (let round = 0; round < scale.catchUpRounds; round += 1)
    for (const { figure, ...way } of waysOf(ground)) {
      tell(`  catch-up: round ${round + 1} of ${scale.catchUpRounds}, ${figure}`);
      noteMachine(ground);
      await catchUp(ground, template, { figure, ...way });
    }
}

/** A line, and the disk of the site behind it. */
interface Way {
  readonly figure: CatchUpFigure;
  readonly roundTripMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

function waysOf({ slowFlush }: Ground): Way[] {
  const quick = ROUND_TRIPS_MS.map((roundTripMs): Way => ({
    figure: `catch-up-${roundTripMs}`,
    roundTripMs,
    environment: {},
  }));
  if (slowFlush === undefined) return quick;
  return [...quick, { figure: "catch-up-slow-50", roundTripMs: 50, environment: slowFlush }];
}

/** A centre with an account, and a site on which everything waits; neither runs. */
async function prepare({ folder, children, scale, signal, tell }: Ground): Promise<string> {
  const template = folder.folder("catch-up");
  tell(`  catch-up: filling a site with ${scale.waiting} records`);
  writeFileSync(join(template, "upstream.password"), ACCOUNT.password, { mode: 0o600 });
  const site = siteYaml(template, undefined);
  const child = serve({ children }, template, site);
  await child.until("the site", () => isServing(join(template, "site")));
  await child.end();
  await promisify(execFile)(
    process.execPath,
    [join(SOURCE, "seed.mjs"), join(template, "site", "santinela.db"), String(scale.waiting), "low,medium"],
    { signal },
  );
  const centre = centreYaml(template, await freePort());
  const words = ["user", "add", "--email", ACCOUNT.email, "--role", "operator", "--password-stdin"];
  const added = promisify(execFile)(process.execPath, [PROGRAM, ...words, "--config", centre], { signal });
  added.child.stdin?.end(ACCOUNT.password);
  await added;
  return template;
}

async function catchUp(ground: Ground, template: string, way: Way): Promise<void> {
  const { children, folder, notebook } = ground;
  const { figure, roundTripMs, environment } = way;
  const place = folder.folder(figure);
  cpSync(template, place, { recursive: true });
  const port = await freePort();
  const centre = serve(ground, place, centreYaml(place, port));
  await centre.until("the centre", () => isServing(join(place, "centre")));
  const line = new DelayLine(port, roundTripMs);
  try {
    const site = serve(ground, place, siteYaml(place, await line.start()), environment);
    const eye = new CentreRecordReader(join(place, "centre", "santinela.db"));
    await site.until("the first records at the centre", () => eye.records() > 20);
    const seen = await watch(ground, { place, site, eye });
    eye.close();
    notebook.note(figure, "santinela", seen.perSecond);
    notebook.note(`${figure}-alarm`, "santinela", Math.max(...seen.alarmsMs));
    notebook.note(`${figure}-work`, "santinela", seen.cpuShare * 100);
    notebook.note("catch-up-view", "santinela", Math.max(...seen.viewsMs));
    ground.tell(
      `    ${seen.perSecond.toFixed(1)} records/s, alarms ${seen.alarmsMs.map((ms) => ms.toFixed(0)).join(" ")} ms, ` +
        `/site/sync ${median(seen.viewsMs).toFixed(1)} ms, ${(seen.cpuShare * 100).toFixed(0)} % of a core, ` +
        `${line.connections} connections, ${line.open} open`,
    );
  } finally {
    await children.endAll();
    await line.stop();
  }
}

/** What is seen of a site while it catches up. */
interface Seen {
  readonly perSecond: number;
  readonly alarmsMs: readonly number[];
  readonly viewsMs: readonly number[];
  /** Processor time of the site, of one core. */
  readonly cpuShare: number;
}

async function watch(
  { scale, signal }: Ground,
  { place, site, eye }: { place: string; site: Child; eye: CentreRecordReader },
): Promise<Seen> {
  const dataDir = join(place, "site");
  const alarmsMs: number[] = [];
  const viewsMs: number[] = [];
  const [beginMs, records, cpuMs] = [performance.now(), eye.records(), site.cpuMs];
  while (performance.now() - beginMs < scale.catchUpSeconds * 1000) {
    signal.throwIfAborted();
    alarmsMs.push(await alarm(dataDir, eye, `Alarm ${alarmsMs.length}`));
    const startMs = performance.now();
    await ask(dataDir, "GET", "/site/sync");
    viewsMs.push(performance.now() - startMs);
    await delay(ALARM_EVERY_MS);
  }
  const tookMs = performance.now() - beginMs;
  return {
    perSecond: ((eye.records() - records - alarmsMs.length) * 1000) / tookMs,
    alarmsMs,
    viewsMs,
    cpuShare: (site.cpuMs - cpuMs) / tookMs,
  };
}

/** @returns milliseconds from the request that makes an alarm until the centre has it on its disk */
async function alarm(dataDir: string, eye: CentreRecordReader, name: string): Promise<number> {
  const below = eye.highestId();
  const startMs = performance.now();
  const body = { name, objectiveType: "obiective/cladiri", objectiveId: 1, priority: "high" };
  await ask(dataDir, "POST", "/interventii", body);
  while (!eye.has(name, below)) {
    if (performance.now() - startMs > ALARM_MS_MAX) throw new Error(`${name} has not come to the centre`);
    await delay(2);
  }
  return performance.now() - startMs;
}

function serve(
  { children }: Pick<Ground, "children">,
  place: string,
  configFile: string,
  environment: Readonly<Record<string, string>> = {},
): Child {
  return children.start({
    command: process.execPath,
    args: [PROGRAM, "serve", "--config", configFile],
    logFile: join(place, "log"),
    environment,
  });
}

function siteYaml(place: string, linePort: number | undefined): string {
  const upstream = `upstream: { baseUrl: "https://127.0.0.1:${linePort}", email: ${ACCOUNT.email}, passwordFile: ./upstream.password, caFile: ./centre/tls/ca.crt }`;
  return configuration(place, "site", ["http: { port: 0 }", ...(linePort === undefined ? [] : [upstream])]);
}

function centreYaml(place: string, port: number): string {
  return configuration(place, "centre", [`http: { port: ${port}, tls: own }`]);
}

function configuration(place: string, name: string, more: readonly string[]): string {
  const file = join(place, `${name}.yaml`);
  const lines = [`dataDir: ./${name}`, `site: { ref: ${name} }`, "gpio: { backend: simulated }", "mqtt: off"];
  const objectives = ["objectives:", "  obiective/cladiri:", ...OBJECTIVES];
  writeFileSync(file, [...lines, ...more, ...objectives, ""].join("\n"));
  return file;
}

async function isServing(dataDir: string): Promise<boolean> {
  try {
    await ask(dataDir, "GET", "/site/status");
    return true;
  } catch {
    return false;
  }
}

/** Asks a daemon through its control socket. */
function ask(dataDir: string, method: "GET" | "POST", path: string, body?: object): Promise<void> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers =
    text === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath: join(dataDir, "control.sock"), path, method, headers, agent: false },
      (response) => {
        response.resume();
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode === 200 || response.statusCode === 201) resolve();
          else reject(new Error(`${method} ${path} was answered with ${response.statusCode}`));
        });
      },
    );
    asked.on("error", reject);
    asked.end(text);
  });
}
