import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Child } from "../children.ts";
import { noteMachine } from "../machine.ts";
import { freePort, PROGRAM, SOURCE } from "../paths.ts";
import type { Ground } from "../plan.ts";
import { signInAll, type CrowdOutcome } from "./site-crowd.ts";

const PASSWORD = "correct horse battery staple";
/** The sites of a city come back within this time. */
const SPREAD_MS = 10_000;
/** Three times the goal: a site without a token by then has failed. */
const LIMIT_MS = 180_000;
/** For everything that 10,000 sites hold open for four seconds each, and a margin. */
const CONNECTIONS_MAX = 12_000;

/** A centre that is laid out, with the accounts of its sites. */
interface Centre {
  readonly configFile: string;
  readonly folder: string;
  readonly port: number;
}

/**
 * A city's power cut is over: every site signs in at its centre. Once at a centre that has run on and remembers the
 * passwords, and, of fewer sites, at one that has just been started and must compare each with bcrypt.
 */
export async function measureSignIns(ground: Ground): Promise<void> {
  const { scale, notebook, tell } = ground;
  tell(`  sign-in: making ${scale.sites + scale.newSites} accounts`);
  const centre = await prepare(ground);
  for (let round = 0; round < scale.signInRounds; round += 1) {
    tell(`  sign-in: round ${round + 1} of ${scale.signInRounds}`);
    noteMachine(ground);
    await withCentre(ground, centre, async (child) => {
      // One hash for all accounts: the first sign-in is compared, and is what each has done before the power cut.
      await crowd(ground, centre, { sites: 1, name: "site", spreadMs: 0 });
      child.forgetPeak();
      const cpuMs = child.cpuMs;
      const seen = await crowd(ground, centre, { sites: scale.sites, name: "site", spreadMs: SPREAD_MS });
      notebook.note("sign-in-last", "santinela", seen.lastMs / 1000);
      notebook.note("sign-in-longest", "santinela", seen.longestMs / 1000);
      notebook.note("sign-in-waits", "santinela", seen.waits + seen.broken);
      notebook.note("sign-in-failed", "santinela", seen.failed);
      notebook.note("sign-in-work", "santinela", (child.cpuMs - cpuMs) / 1000);
      notebook.note("sign-in-peak", "santinela", child.peakMb);
      const work = `${((child.cpuMs - cpuMs) / 1000).toFixed(1)} s of processor time`;
      tell(`    ${words(seen)}, ${work}, ${child.peakMb.toFixed(0)} MB`);
    });
    await withCentre(ground, centre, async () => {
      const seen = await crowd(ground, centre, { sites: scale.newSites, name: "new", spreadMs: 0 });
      const rate = ((scale.newSites - seen.failed) * 1000) / seen.lastMs;
      notebook.note("sign-in-new", "santinela", rate);
      tell(`    just started: ${words(seen)}, ${rate.toFixed(1)} a second`);
    });
  }
}

function words({ lastMs, longestMs, waits, broken, failed }: CrowdOutcome): string {
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  return (
    `last token after ${seconds(lastMs)}, longest wait of a site ${seconds(longestMs)}, ` +
    `${waits} answers to wait, ${broken} broken connections, ${failed} without a token`
  );
}

function crowd(
  { signal }: Ground,
  { folder, port }: Centre,
  { sites, name, spreadMs }: { sites: number; name: string; spreadMs: number },
): Promise<CrowdOutcome> {
  return signInAll({
    port,
    ca: readFileSync(join(folder, "centre", "tls", "ca.crt"), "utf8"),
    sites,
    emailOf: (site) => `${name}-${site}@centre.example`,
    password: PASSWORD,
    spreadMs,
    limitMs: LIMIT_MS,
    signal,
  });
}

async function prepare(ground: Ground): Promise<Centre> {
  const { scale, signal } = ground;
  const folder = ground.folder.folder("sign-in");
  const configFile = join(folder, "centre.yaml");
  const port = await freePort();
  const limits = `connectionsMax: ${CONNECTIONS_MAX}, connectionsPerAddressMax: 64`;
  writeFileSync(
    configFile,
    [
      "dataDir: ./centre",
      "site: { ref: centre }",
      "gpio: { backend: simulated }",
      "mqtt: off",
      `http: { port: ${port}, tls: own, ${limits} }`,
      "",
    ].join("\n"),
  );
  const centre = { configFile, folder, port };
  await withCentre(ground, centre, () => Promise.resolve());
  const database = join(folder, "centre", "santinela.db");
  const counts = [scale.sites, scale.newSites].map(String);
  await promisify(execFile)(process.execPath, [join(SOURCE, "accounts.mjs"), database, PASSWORD, ...counts], {
    signal,
  });
  return centre;
}

/** Starts the centre, uses it, and ends it. */
async function withCentre(
  { children }: Ground,
  { configFile, folder, port }: Centre,
  use: (child: Child) => Promise<void>,
): Promise<void> {
  const child = children.start({
    command: process.execPath,
    args: [PROGRAM, "serve", "--config", configFile],
    logFile: join(folder, "log"),
  });
  await child.until("the centre", () => isListening(port));
  try {
    await use(child);
  } finally {
    await child.end();
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
