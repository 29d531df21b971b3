// Measures which files and functions of src/ one MQTT trip and one POST /interventii run through: npm run trip-path, or with
// an external broker npm run trip-path -- --broker mqtt://127.0.0.1:1883. A site and a dispatch centre run as two daemons on
// loopback; V8 counts the calls in the site (scripts/call-recorder.mjs) once both are ready, so the start does not count. Each
// journey is made several times, and only what all of them call is the path: a timer that happens to run does not count. Work
// that the journey starts beside its own path counts, if it runs before the boundary.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { lineOf, qualifiedName } from "./source-functions.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const main = join(root, "build/main.js");
const PASSWORD = "correct horse battery staple";
const EDGE = { email: "edge@site.example", password: PASSWORD };
const CLIENT = { email: "client@site.example", password: PASSWORD };
const WITHIN_MS = 60_000;
const LOOK_MS = 20;
/** Without a statement for this long, the work that follows an earlier journey is done. */
const QUIET_MS = 400;
/** In place of a function without a name, or within another function. */
const INNER = "(inner)";

/** The segments of each journey, with the counter of the recorder that a commit raises at the end. */
const JOURNEYS = {
  trip: [
    ["from the MQTT message to the trip's commit in journal.db", "trips"],
    ["to the record's commit in santinela.db", "records"],
    ["to the commit of the attempt", "sent"],
    ["to the commit of the dispatch centre's response", "linked"],
  ],
  post: [
    ["from POST /interventii to the record's commit in santinela.db", "records"],
    ["to the commit of the attempt", "sent"],
    ["to the commit of the dispatch centre's response", "linked"],
  ],
};

/**
 * Makes journeys and returns their segments. `calls` has each function, as `file name`, with the number of the commit before
 * which its first call was seen, or of the SQL statement with `steps: "statements"`; it grows through the segments.
 * @param {{ kinds?: ("trip" | "post")[], runs?: number, broker?: string, steps?: "commits" | "statements" }} options
 * @returns {Promise<Record<string, { title: string, calls: Map<string, number> }[]>>}
 */
export async function measurePaths({ kinds = ["post", "trip"], runs = 3, broker, steps = "commits" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "santinela-trip-path-"));
  const pair = await startPair(folder, { subjects: kinds.length * runs, broker, steps });
  try {
    const paths = {};
    let subject = 0;
    for (const kind of kinds) {
      const made = [];
      for (let run = 0; run < runs; run += 1) {
        subject += 1;
        made.push(await pair.record(kind, subject));
      }
      paths[kind] = common(made);
    }
    return paths;
  } finally {
    await pair.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What all runs of a journey call, with the statements of the first. */
function common([first, ...others]) {
  return first.map(({ title, calls }, index) => {
    const shared = [...calls].filter(([name]) => others.every((run) => run[index].calls.has(name)));
    return { title, calls: new Map(shared) };
  });
}

/** A site with this number of zones, each with its own objective, and its dispatch centre. */
async function startPair(folder, { subjects, broker, steps }) {
  const { DaemonProcess } = await import(
    new URL("../build/cli/demo/daemon-process.js", import.meta.url).href
  );
  const daemon = (name, yaml) => {
    const configFile = join(folder, `${name}.yaml`);
    writeFileSync(configFile, `dataDir: ./${name}\nhttp: { port: 0 }\ngpio: { backend: simulated }\n${yaml}`);
    return new DaemonProcess({ main, configFile, dataDir: join(folder, name) });
  };
  const ids = Array.from({ length: subjects }, (_, index) => index + 1);
  const centre = daemon("centre", `site: { ref: centre }\nmqtt: off\n${objectivesYaml(ids)}`);
  let site;
  let sensor;
  const end = async () => {
    await sensor?.endAsync(true);
    await site?.end("SIGTERM");
    await centre.end("SIGTERM");
  };
  try {
    await centre.addAccount(EDGE, "operator");
    writeFileSync(join(folder, "upstream.password"), PASSWORD, { mode: 0o600 });
    const { httpPort: centrePort } = await centre.start();
    const mqtt = broker === undefined ? "{ listen: { port: 0 } }" : `{ url: "${broker}" }`;
    site = daemon(
      "site",
      `site: { ref: hall }\nmqtt: ${mqtt}\n${objectivesYaml(ids)}upstream: { baseUrl: "http://127.0.0.1:${centrePort}", email: ${EDGE.email}, passwordFile: ./upstream.password }\nzones:\n${ids.map(zoneYaml).join("")}`,
    );
    await site.addAccount(CLIENT, "operator");
    const recording = new Recording(join(folder, "calls"), steps);
    const { httpPort, mqttPort } = await site.start({ ...process.env, ...recording.environment });
    sensor = await createRequire(main)("mqtt").connectAsync(broker ?? `mqtt://127.0.0.1:${mqttPort}`);
    const { token } = await post(httpPort, "/auth/token", CLIENT);
    const publish = (id, isClosed) =>
      sensor.publishAsync(`door/${id}`, JSON.stringify({ contact: isClosed }), { qos: 1 });
    for (const id of ids) await publish(id, true);
    await until("the zones are closed", async () =>
      (await site.get("/site/zones")).every(({ contact }) => contact === "normal"),
    );
    const start = {
      trip: (id) => publish(id, false),
      post: (id) =>
        post(
          httpPort,
          "/interventii",
          { name: "Call", objectiveType: "obiective/cladiri", objectiveId: id },
          { Authorization: `Bearer ${token}`, "Idempotency-Key": `"trip-path-${id}"` },
        ),
    };
    return { record: (kind, id) => recording.of(JOURNEYS[kind], () => start[kind](id)), end };
  } catch (error) {
    await end();
    throw error;
  }
}

function objectivesYaml(ids) {
  return `objectives: { obiective/cladiri: [${ids.map((id) => `{ id: ${id}, name: Hall ${id} }`).join(", ")}] }\n`;
}

function zoneYaml(id) {
  return `  - { id: door-${id}, name: Door ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${id} }, input: { mqtt: door/${id}, path: /contact, open: [false], normal: [true] } }\n`;
}

/** What the recorder in the site writes, one file for each of its threads. */
class Recording {
  #folder;
  #steps;
  /** The counters before the next journey. */
  #before = { trips: 0, records: 0, sent: 0, linked: 0 };

  constructor(folder, steps) {
    this.#folder = folder;
    this.#steps = steps;
    mkdirSync(folder);
  }

  get environment() {
    const recorder = new URL("call-recorder.mjs", import.meta.url).href;
    return {
      NODE_OPTIONS: `--import=${recorder}`,
      CALL_RECORDER: this.#folder,
      CALL_RECORDER_PROGRAM: main,
      CALL_RECORDER_STEPS: this.#steps,
    };
  }

  /** Records from `start`, once the site has nothing else to do, until the commit that ends the last segment. */
  async of(segments, start) {
    await this.#switch("on");
    let count = -1;
    let quietSinceMs = performance.now();
    await until("the site is quiet", () => {
      const now = this.#lines().length;
      if (now !== count) quietSinceMs = performance.now();
      count = now;
      return performance.now() - quietSinceMs > QUIET_MS;
    });
    await this.#switch("off");
    await this.#switch("on");
    await start();
    const made = () => segmentsOf(this.#lines(), segments, this.#before);
    await until(`the journey ends ${segments.at(-1)[0]}`, () => made().length === segments.length);
    await this.#switch("off");
    const found = made();
    for (const [, counter] of segments) this.#before[counter] += 1;
    return found;
  }

  /** Starts an empty recording, or ends it, in each thread. */
  async #switch(word) {
    const file = join(this.#folder, "on");
    if (word === "on") {
      for (const lines of this.#files()) writeFileSync(lines, "");
      writeFileSync(file, "");
    } else rmSync(file);
    const hasAll = () => this.#lines().filter(({ text }) => text === word).length === this.#files().length;
    await until(`the recorder is ${word}`, hasAll);
  }

  #files() {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(this.#folder, name));
  }

  #lines() {
    return this.#files()
      .flatMap((file) => readFileSync(file, "utf8").split("\n").slice(0, -1))
      .map((line) => JSON.parse(line))
      .toSorted((left, right) => (BigInt(left.atNs) < BigInt(right.atNs) ? -1 : 1));
  }
}

/** Divides the lines of a recording at the commits that raise the counters. */
function segmentsOf(lines, segments, before) {
  const found = [];
  let calls = new Map();
  for (const [index, line] of lines.entries()) {
    for (const call of line.calls) {
      const name = nameOf(call);
      if (!calls.has(name)) calls.set(name, index);
    }
    // One commit can end two segments.
    while (found.length < segments.length) {
      const [title, counter] = segments[found.length];
      if ((line.progress?.[counter] ?? 0) <= before[counter]) break;
      found.push({ title, calls });
      calls = new Map();
    }
  }
  return found;
}

const texts = new Map();

function nameOf([file, name, offset]) {
  if (!texts.has(file)) texts.set(file, readFileSync(join(root, "build", file), "utf8"));
  const source = `src/${file.replace(/\.js$/, ".ts")}`;
  // The generated validators are JavaScript.
  const known = existsSync(join(root, source)) ? source : `src/${file}`;
  return `${known} ${qualifiedName(texts.get(file), name, offset) ?? INNER}`;
}

/** Sends a request whose connection does not outlive it. */
function post(port, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port,
        method: "POST",
        path,
        agent: false,
        headers: { "Content-Type": "application/json", ...headers },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => (text += chunk));
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode < 300) resolve(JSON.parse(text));
          else reject(new Error(`${path} responded with ${response.statusCode}: ${text}`));
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

async function until(what, look) {
  const end = performance.now() + WITHIN_MS;
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`still waiting after ${WITHIN_MS} ms until ${what}`);
    await pause(LOOK_MS);
  }
}

/** Files and named functions of these calls. */
function countsOf(names) {
  const files = new Set(names.map((name) => name.split(" ")[0]));
  const functions = new Set(names.filter((name) => !name.endsWith(` ${INNER}`)));
  return `${files.size} files, ${functions.size} functions`;
}

/** One line for each file, with its named functions and their lines in the order of the first call. */
function listOf(calls) {
  const byFile = new Map();
  for (const [name] of [...calls].toSorted((left, right) => left[1] - right[1])) {
    const [file] = name.split(" ");
    const own = byFile.get(file) ?? [];
    byFile.set(file, own);
    const called = name.slice(file.length + 1);
    if (called !== INNER) own.push(`${called}:${lineOf(file, called) ?? "?"}`);
  }
  return [...byFile].map(([file, own]) => `  ${file}  ${own.join(" ")}`.trimEnd());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      broker: { type: "string" },
      runs: { type: "string", default: "3" },
      summary: { type: "boolean" },
    },
  });
  const paths = await measurePaths({ runs: Number(values.runs), broker: values.broker });
  const report = [];
  const summary = [];
  for (const [kind, segments] of Object.entries(paths)) {
    const all = new Set();
    for (const { title, calls } of segments) {
      for (const name of calls.keys()) all.add(name);
      report.push(`${kind}, ${title}: ${countsOf([...calls.keys()])}`, ...listOf(calls), "");
      summary.push(`${kind}, ${title}, from the beginning: ${countsOf([...all])}`);
    }
  }
  process.stdout.write(`${[...(values.summary ? [] : report), ...summary].join("\n")}\n`);
}
