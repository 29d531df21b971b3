import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { describeUnless, findProgram } from "./required-programs.ts";
import { freePort } from "./loopback.ts";

/** A Mosquitto process on a free loopback port, with its own directory. */
export interface Mosquitto {
  readonly url: string;
  readonly port: number;
  /** Stops it and removes its directory. */
  stop(): Promise<void>;
  /** Kills it like a power cut and keeps its directory. */
  kill(): Promise<void>;
  /** Starts it again on the same port with its stored data. */
  startAgain(): Promise<void>;
}

/** Stores sessions and queued messages on the disk at once. */
const KEEPS_SESSIONS = [
  "persistence true",
  "autosave_interval 1",
  "autosave_on_changes true",
  "max_queued_messages 10000",
];

/**
 * Starts a broker that stores sessions on the disk.
 * @param lines additional lines of its configuration
 * @param settings replacement of the settings that store sessions
 * @throws Error when mosquitto is not installed
 */
export async function startMosquitto(
  lines: readonly string[] = [],
  settings: readonly string[] = KEEPS_SESSIONS,
): Promise<Mosquitto> {
  const binary = findProgram("mosquitto");
  if (!binary) throw new Error(MISSING);
  const folder = mkdtempSync(join(tmpdir(), "santinela-mosquitto-"));
  const port = await freePort();
  const configFile = join(folder, "mosquitto.conf");
  writeFileSync(configFile, [...configuration(folder, port), ...settings, ...lines, ""].join("\n"));
  let broker = await run(binary, configFile, port);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    port,
    stop: async () => {
      await end(broker, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
    kill: () => end(broker, "SIGKILL"),
    startAgain: async () => {
      broker = await run(binary, configFile, port);
    },
  };
}

/** Tests that require mosquitto; skipped like `describeUnless`. */
export function describeWithMosquitto(name: string, tests: () => void): void {
  describeUnless(findProgram("mosquitto") ? undefined : MISSING, name, tests);
}

const MISSING = "mosquitto is not installed; on Debian: sudo apt-get install mosquitto";

function configuration(folder: string, port: number): string[] {
  return [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous true",
    `user ${userInfo().username}`,
    `persistence_location ${folder}/`,
  ];
}

async function run(binary: string, configFile: string, port: number): Promise<ChildProcess> {
  const broker = spawn(binary, ["-c", configFile], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  broker.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await eventually("mosquitto to listen", async () => {
    if (broker.exitCode !== null) throw new Error(`mosquitto ended with ${broker.exitCode}: ${said}`);
    return answers(port);
  });
  return broker;
}

async function end(broker: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (broker.exitCode !== null || broker.signalCode !== null) return;
  await new Promise((resolve) => {
    broker.once("exit", resolve);
    broker.kill(signal);
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
