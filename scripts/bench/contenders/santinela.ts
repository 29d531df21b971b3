import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePort, PROGRAM } from "../paths.ts";
import type { Contender, Setting, Site } from "./contender.ts";
import { sensorNumbers, topicOf } from "./sensors.ts";

const ACCOUNT = { email: "bench@site.example", password: "correct horse battery staple" };

/** For all sites of a storm, and a margin. */
const CONNECTIONS_MAX = 12_000;

/** The product, as an installer runs it. */
export const santinela: Contender = {
  name: "santinela",
  missing: () => (existsSync(PROGRAM) ? undefined : `${PROGRAM} is not there; run npm run build`),
  prepare: (setting) => prepare(setting, []),
};

/** The same without an MQTT broker beside it, as `npm start` runs it. */
export const santinelaBroker: Contender = {
  name: "santinela-broker",
  isBroker: true,
  missing: () => santinela.missing(),
  prepare: async (setting) => {
    const port = setting.brokerUrl === undefined ? await freePort() : new URL(setting.brokerUrl).port;
    return prepare(setting, [], PROGRAM, `{ listen: { port: ${port} } }`);
  },
};

/**
 * Lays out an installation. A folder that has been one before keeps its records and its account.
 * @param nodeOptions for the process, such as a profiler's
 * @param program its main file
 * @param mqtt section `mqtt` of its configuration; by default the broker with the sensors
 */
export async function prepare(
  setting: Setting,
  nodeOptions: readonly string[],
  program = PROGRAM,
  mqtt = setting.brokerUrl === undefined ? "off" : `{ url: "${setting.brokerUrl}" }`,
): Promise<Site> {
  const { folder, environment } = setting;
  const port = await freePort();
  const configFile = join(folder, "santinela.yaml");
  const dataDir = join(folder, "data");
  const hasSensors = setting.brokerUrl !== undefined;
  writeFileSync(configFile, configuration(port, mqtt, hasSensors));
  if (!existsSync(dataDir)) await addAccount(configFile);
  return {
    port,
    launch: {
      command: process.execPath,
      args: [...nodeOptions, program, "serve", "--config", configFile],
      logFile: join(folder, "log"),
      environment,
    },
    token: () => signIn(port),
    heaps: async () => heapsIn(await metricsOf(join(dataDir, "control.sock"))),
    records: {
      file: join(dataDir, "santinela.db"),
      records: "SELECT count(*) FROM interventions",
      // Openings at one objective are one intervention; the journal marks those that went through the API. Closings that
      // stand in a record are rows of their own.
      openings: {
        file: join(dataDir, "journal.db"),
        sql: "SELECT count(*) FROM trips WHERE about = 'trip' AND state IN ('posted','merged')",
      },
    },
  };
}

function metricsOf(socketPath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ socketPath, path: "/metrics", agent: false }, (response) => {
      text(response).then(resolve, reject);
    }).on("error", reject);
  });
}

function heapsIn(metrics: string): ReadonlyMap<string, number> {
  const lines = metrics.matchAll(/^santinela_thread_heap_bytes\{thread="(\w+)"\} (\d+)$/gm);
  return new Map(Array.from(lines, ([, thread = "", bytes]) => [thread, Number(bytes) / 2 ** 20]));
}

function configuration(port: number, mqtt: string, hasSensors: boolean): string {
  const objectives = sensorNumbers.map((id) => `    - { id: ${id}, name: Hall ${id} }`);
  // A panic button is never shut down for opening too often, and every opening of it counts.
  const zones = sensorNumbers.map(
    (id) =>
      `  - { id: gate-${id}, name: Gate ${id}, kind: panic, objective: { type: obiective/cladiri, id: ${id} }, ` +
      `input: { mqtt: ${topicOf(id)}, path: /contact, open: [false], normal: [true] } }`,
  );
  return [
    "dataDir: ./data",
    "site: { ref: bench }",
    `http: { port: ${port}, connectionsMax: ${CONNECTIONS_MAX} }`,
    "gpio: { backend: simulated }",
    `mqtt: ${mqtt}`,
    "objectives:",
    "  obiective/cladiri:",
    ...objectives,
    ...(hasSensors ? ["zones:", ...zones] : []),
    "",
  ].join("\n");
}

/** Adds the account of the load to an installation that does not run. */
export function addAccount(configFile: string): Promise<void> {
  const words = ["user", "add", "--email", ACCOUNT.email, "--role", "operator", "--password-stdin"];
  const child = spawn(process.execPath, [PROGRAM, ...words, "--config", configFile]);
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stdout.resume();
  child.stdin.end(ACCOUNT.password);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`santinela user add ended with ${code}: ${said}`)),
    );
  });
}

/** A token of that account. */
export async function signIn(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/auth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(ACCOUNT),
  });
  const { token } = (await answer.json()) as { token?: string };
  if (token === undefined) throw new Error(`the sign-in was answered with ${answer.status}`);
  return token;
}
