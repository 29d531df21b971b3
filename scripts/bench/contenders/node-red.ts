import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { freePort } from "../paths.ts";
import {
  FIRST_RECORD,
  RECORDS_PATH,
  statusOf,
  type Contender,
  type ContenderName,
  type Setting,
  type Site,
} from "./contender.ts";
import { flowOf, TABLE } from "./node-red-flow.ts";
import { peerFile, peerMissing } from "./peer-packages.ts";

/** Node-RED 5 with the flow that people build for this job. */
export const nodeRed: Contender = contenderOf("node-red", "DELETE");
/** With WAL it syncs once for each record instead of several times. The node has no option for it. */
export const nodeRedWal: Contender = contenderOf("node-red-wal", "WAL");

/** How SQLite keeps a transaction whole; both are as durable as the others here. */
type JournalMode = "DELETE" | "WAL";

function contenderOf(name: ContenderName, journalMode: JournalMode): Contender {
  return {
    name,
    missing: () => peerMissing("node-red") ?? peerMissing("node-red-node-sqlite") ?? nodeMissing(),
    prepare: (setting) => prepare(setting, journalMode),
  };
}

async function prepare({ folder, environment, brokerUrl }: Setting, journalMode: JournalMode): Promise<Site> {
  const port = await freePort();
  const file = join(folder, "records.db");
  if (!existsSync(file)) makeDatabase(file, journalMode);
  const settings = {
    uiPort: port,
    uiHost: "127.0.0.1",
    flowFile: "flows.json",
    userDir: folder,
    nodesDir: peerFile("node-red-node-sqlite"),
    // No editor and no downloads.
    httpAdminRoot: false,
    disableEditor: true,
    externalModules: { autoInstall: false },
    diagnostics: { enabled: false },
    logging: { console: { level: "warn" } },
  };
  const settingsFile = join(folder, "settings.cjs");
  writeFileSync(settingsFile, `module.exports = ${JSON.stringify(settings)};\n`);
  writeFileSync(join(folder, "flows.json"), JSON.stringify(flowOf({ port, file, brokerUrl })));
  return {
    port,
    launch: {
      command: nodeOfOurs() ?? process.execPath,
      args: [peerFile("node-red", "red.js"), "--settings", settingsFile, "--userDir", folder],
      logFile: join(folder, "log"),
      environment,
    },
    isReady: () => takesRecords(port),
    token: () => Promise.resolve(""),
    records: journalMode === "WAL" ? { file, records: "SELECT count(*) FROM interventions" } : { file },
  };
}

/**
 * It listens before its flows are there, and for a moment after the first answers others are still 404: it is ready
 * when it has taken a record and taken another one a little later.
 */
async function takesRecords(port: number): Promise<boolean> {
  const isTaken = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}${RECORDS_PATH}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{ "name": "first" }',
    });
    return answer.status === 201;
  };
  if (!(await isTaken())) return false;
  await delay(SETTLE_MS);
  return (await isTaken()) && (await statusOf(port, FIRST_RECORD)) === 200;
}

const SETTLE_MS = 2_000;

/** The flush at each commit is SQLite's default and so the node's. */
function makeDatabase(file: string, journalMode: JournalMode): void {
  const database = new Sqlite(file);
  database.pragma(`journal_mode = ${journalMode}`);
  database.exec(TABLE);
  database.close();
}

/** Node-RED 5 wants Node 22.9. */
function isNewEnough(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 9);
}

/** A newer Node from the registry, for machines whose own is older. */
function nodeOfOurs(): string | undefined {
  const path = peerFile(`node-linux-${process.arch}`, "bin", "node");
  return existsSync(path) ? path : undefined;
}

function nodeMissing(): string | undefined {
  if (isNewEnough() || nodeOfOurs() !== undefined) return undefined;
  return "Node-RED 5 needs Node.js 22.9, and its package is not installed for this processor";
}
