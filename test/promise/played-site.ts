import { subscribe } from "node:diagnostics_channel";
import { cpSync, existsSync, linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ClientRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Daemon } from "../../src/daemon.ts";
import { SimulatedLines } from "../../src/inputs/gpio/gpio-port.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { askDaemon } from "../support/control-socket.ts";
import { daemonInProcess } from "../support/daemon-in-process.ts";
import type { Building, Reload } from "./building.ts";
import { brokenConfigurationOf, configurationOf } from "./configuration.ts";
import { DispatchCentre } from "./dispatch-centre.ts";
import { SensorBroker } from "./sensor-broker.ts";
import { AWAKE_MS, CALMING_MS, MachineClock, showTimeOf, World } from "./world.ts";

/** Files are in memory if the machine has such a file system: losses of a disk are tested elsewhere. */
const DISK = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const RESERVE = "ballast";
const QUIET_TURNS = 4;
/** Time-out of a request or message; the run continues without it and reports it. */
const STUCK_MS = 30_000;
/** Turns of the event loop after which pending work of a killed process has ended. */
const DYING_TURNS = 40;
/** Interval between two reads of a configuration file. */
const FILE_SETTLES_MS = 100;
/** Longer intervals without events are simulated quickly. */
const QUIET_FROM_MS = 60_000;
/** 20 November 2026, 10:00 in Bucharest. */
const START_MS = Date.UTC(2026, 10, 20, 8);

const requestsUnderWay = new Set<ClientRequest>();
/** During a power cut no new request is sent. */
let isDying = false;
let onInstant: () => void = () => {};
subscribe("http.client.request.start", (message) => {
  const { request } = message as { request: ClientRequest };
  requestsUnderWay.add(request);
  if (isDying) setImmediate(() => request.destroy());
  onInstant();
  request.once("close", () => {
    requestsUnderWay.delete(request);
    onInstant();
  });
});
/** The MQTT client reconnects after two seconds of real time, which does not matter here; a killed one never does. */
const RECONNECT_MS = 2000;
const RECONNECTS_AFTER_MS = 5;
const reconnections = new Set<NodeJS.Timeout>();
const systemInterval = globalThis.setInterval;
globalThis.setInterval = Object.assign(
  ((action: () => void, delayMs?: number, ...values: []) => {
    if (delayMs !== RECONNECT_MS) return systemInterval(action, delayMs, ...values);
    const reconnection = systemInterval(action, RECONNECTS_AFTER_MS, ...values);
    reconnections.add(reconnection);
    return reconnection;
  }) as typeof setInterval,
  systemInterval,
);

/** No current client reconnects. */
function endReconnections(): void {
  for (const reconnection of reconnections) clearInterval(reconnection);
  reconnections.clear();
}

let template: string | undefined;

/** The whole daemon in this process, with a simulated machine, sensors, GPIO lines and dispatch centre. */
export class PlayedSite {
  readonly world = new World(START_MS);
  readonly broker = new SensorBroker(() => this.world.nowMs);
  readonly centre = new DispatchCentre();
  readonly lines: SimulatedLines;
  readonly logLines: string[] = [];
  /** Times at which a request or a message did not complete. */
  readonly stuck: number[] = [];
  readonly #building: Building;
  readonly #changes = {
    absent: new Set<string>(),
    renamed: new Map<string, number>(),
    changed: new Map<string, number>(),
  };
  #broken = 0;
  readonly #random: () => number;
  readonly #folders: string[] = [];
  #clock: MachineClock;
  #boots = 0;
  #daemon: Daemon | undefined;
  #at = { broker: 0, centre: "" };

  constructor(building: Building) {
    this.#building = building;
    this.#random = seededRandom(building.seed);
    // Every contact is closed and the system is armed.
    this.lines = new SimulatedLines([[27, 1], ...building.zones.map(({ line }) => [line, 0] as const)]);
    this.#clock = new MachineClock(this.world, 0);
  }

  get folder(): string {
    return this.#folders.at(-1) ?? "";
  }

  get clock(): MachineClock {
    return this.#clock;
  }

  get isRunning(): boolean {
    return this.#daemon !== undefined;
  }

  async open(): Promise<void> {
    this.#at = { broker: await this.broker.start(), centre: await this.centre.start() };
    template ??= await madeTemplate();
    this.#copyFrom(template);
  }

  /** Starts the daemon. @param boot after a power-up, with this clock error */
  async start(boot?: { readonly wrongByMs: number }): Promise<void> {
    if (boot) {
      this.#clock = new MachineClock(this.world, boot.wrongByMs);
      this.#boots += 1;
    }
    showTimeOf(this.#clock);
    // Remaining work belongs to a killed process.
    endReconnections();
    const before = this.broker.subscriptions;
    this.#daemon = daemonOf(this.folder, this.#clock, {
      bootId: `boot-${this.#boots}`,
      upMs: this.#clock.monotonicMs(),
      lines: this.lines,
      random: this.#random,
      write: (line) => void this.logLines.push(line),
    });
    await this.#daemon.start();
    if (!this.broker.isAway) await this.untilSubscribed(before);
    await this.settle();
  }

  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    await daemon?.stop();
    this.broker.drop();
  }

  /** Cuts the power now. The old process has no further effect. */
  async losePower(): Promise<void> {
    const { line } = this.centre;
    const { isAway } = this.broker;
    this.#clock.off();
    this.lines.close();
    const oldFolder = this.folder;
    this.#copyFrom(oldFolder);
    this.centre.line = "cut";
    this.broker.isAway = true;
    this.broker.drop();
    onInstant = () => {};
    isDying = true;
    for (const request of requestsUnderWay) request.destroy();
    endReconnections();
    const daemon = this.#daemon;
    this.#daemon = undefined;
    // Pending work of the killed process may never complete; it does not reach the copy of its disk.
    void daemon?.stop();
    await this.until(() => requestsUnderWay.size === 0, DYING_TURNS);
    isDying = false;
    this.centre.line = line;
    this.broker.isAway = isAway;
  }

  /** Cuts the power at the nth start or end of a request from now. @returns whether it happened */
  async losePowerAmid(instant: number, happens: () => Promise<void>): Promise<boolean> {
    let left = instant;
    let cutting: Promise<void> | undefined;
    onInstant = () => {
      left -= 1;
      if (left === 0) cutting = this.losePower();
    };
    await happens();
    onInstant = () => {};
    await cutting;
    return cutting !== undefined;
  }

  ask(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown) {
    return askDaemon(join(this.folder, "site"), method, path, body);
  }

  /** Advances the time, and completes each action before the next. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.world.nowMs + ms;
    await this.settle();
    if (ms > QUIET_FROM_MS) {
      while (this.world.runNext(untilMs - ms + CALMING_MS)) await this.settle();
      this.world.isQuiet = true;
      while (this.world.runNext(untilMs - AWAKE_MS)) await this.settle();
      this.world.isQuiet = false;
    }
    while (this.world.runNext(untilMs)) await this.settle();
  }

  /** Waits until no request and no message is in progress. */
  async settle(): Promise<void> {
    await this.until(
      () =>
        requestsUnderWay.size === 0 && (this.broker.isIdle || !this.broker.isConnected || !this.isRunning),
      QUIET_TURNS,
    );
  }

  /** Waits until the daemon has subscribed again, if the building has MQTT sensors. */
  async untilSubscribed(before: number): Promise<void> {
    const isListening = this.#building.zones.some(
      ({ topic, gate }) => topic !== undefined || gate === "mqtt",
    );
    if (isListening) await this.until(() => this.broker.subscriptions > before);
  }

  /** Waits for this number of consecutive event loop turns in which a condition holds. */
  async until(isSo: () => boolean, turns = 1): Promise<void> {
    const endMs = performance.now() + STUCK_MS;
    for (let so = 0; so < turns; so = isSo() ? so + 1 : 0) {
      if (performance.now() > endMs) {
        this.stuck.push(this.world.nowMs);
        return;
      }
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }

  async close(): Promise<void> {
    await this.stop();
    showTimeOf(undefined);
    this.broker.stop();
    this.centre.stop();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  #copyFrom(folder: string): void {
    const copy = mkdtempSync(join(DISK, "santinela-promise-"));
    cpSync(folder, copy, {
      recursive: true,
      filter: (path) => !path.endsWith(RESERVE) && !path.endsWith(".sock"),
    });
    const reserve = join(folder, "site", RESERVE);
    if (existsSync(reserve)) linkSync(reserve, join(copy, "site", RESERVE));
    this.#folders.push(copy);
    this.#writeConfiguration();
  }

  #writeConfiguration(text = configurationOf(this.#building, this.#at, this.#changes)): void {
    writeFileSync(join(this.folder, "site.yaml"), text);
  }

  /** Whether the configuration has a zone. */
  has(zone: string): boolean {
    return !this.#changes.absent.has(zone);
  }

  /**
   * Changes the configuration and reloads it; a file with an error is corrected afterwards and not loaded.
   * @returns the response status
   */
  async reload(how: Reload, zone: string): Promise<number> {
    const { absent, renamed, changed } = this.#changes;
    const more = (counts: Map<string, number>): void => void counts.set(zone, (counts.get(zone) ?? 0) + 1);
    if (how === "remove") absent.add(zone);
    if (how === "add") absent.delete(zone);
    if (how === "rename") more(renamed);
    if (how === "change") more(changed);
    this.#writeConfiguration();
    if (how === "break")
      this.#writeConfiguration(
        brokenConfigurationOf(this.#building, this.#at, this.#changes, (this.#broken += 1)),
      );
    const status = await this.#reloaded();
    if (how === "break") this.#writeConfiguration();
    return status;
  }

  /** The daemon reads the file twice with a pause, which passes during the request. */
  async #reloaded(): Promise<number> {
    const answers: number[] = [];
    const asked = this.ask("POST", "/site/reload").then(({ status }) => answers.push(status));
    while (answers.length === 0) {
      await this.until(() => answers.length > 0 || this.world.isDueWithin(FILE_SETTLES_MS));
      if (answers.length === 0) this.world.runNext(this.world.nowMs + FILE_SETTLES_MS);
    }
    await asked;
    await this.settle();
    return answers[0] ?? 0;
  }
}

/** A data directory with databases and administrator, so that not every week has to create them. */
async function madeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(DISK, "santinela-promise-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "upstream.password"), "secret", { mode: 0o600 });
  writeFileSync(
    join(folder, "site.yaml"),
    "dataDir: ./site\nsite: { ref: hala-nord }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n",
  );
  const clock = new MachineClock(new World(START_MS - 60_000), 0);
  const machine = {
    bootId: "boot-0",
    upMs: 1e9,
    lines: new SimulatedLines(),
    random: () => 0.5,
    write: () => {},
  };
  const daemon = daemonOf(folder, clock, machine);
  await daemon.start();
  await daemon.stop();
  return folder;
}

interface PlayedMachine {
  readonly bootId: string;
  readonly upMs: number;
  readonly lines: SimulatedLines;
  readonly random: () => number;
  readonly write: (line: string) => void;
}

function daemonOf(
  folder: string,
  clock: MachineClock,
  { bootId, upMs, lines, random, write }: PlayedMachine,
): Daemon {
  // Release year: an earlier clock is wrong.
  const time = { isTrusted: () => clock.wallMs() >= Date.UTC(2026, 0, 1) };
  const machine = { clock, host: { bootId, upMs, time }, lines, random };
  return daemonInProcess(join(folder, "site.yaml"), machine, write);
}
