import { readFileSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { request as requestTls } from "node:https";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { eventually } from "../support/eventually.ts";
import type { TestAuthority } from "../support/certificates.ts";
import { EDGE, Installation, pause } from "../support/installation.ts";
import { Attacker, type Done, type Order } from "./attacker.ts";

const LOOK_EVERY_MS = 250;
/** Of each type. A zone with more than twenty trips in an incident is a swinger, whose trips are only counted. */
const ZONES = Array.from({ length: 20 }, (_, index) => index + 1);
const TRIPS_OF_ZONE = 15;
/** Longer in a long attack, so that no zone becomes one. */
const TRIP_EVERY_MS = 1000;
/** Additional time for a busy machine. */
const MORE_S = 60;
/** Maximum time for a response or a record; beyond it the daemon is considered unavailable. */
const ANSWER_WITHIN_MS = 30_000;

/** Resource use of a daemon during an attack. */
export interface Need {
  readonly seconds: number;
  readonly restMiB: number;
  /** Peak memory of the process, as counted by the kernel. */
  readonly peakMiB: number;
  /** Longest delay of the event loop, and the median of the longest between two readings. */
  readonly longestDelayMs: number;
  readonly usualDelayMs: number;
  /** Time from the opening of a contact to its record: by GPIO, and by the broker. */
  readonly wireMs: readonly number[];
  readonly brokerMs: readonly number[];
  /** Response times of a user of the API who has signed in before; none without an account. */
  readonly userMs: readonly number[];
  readonly attack: Done;
}

interface Watch {
  isOver: boolean;
  readonly delaysMs: number[];
  readonly wireMs: number[];
  readonly brokerMs: number[];
  readonly userMs: number[];
}

/** A daemon in its own process with doors on GPIO and gates at the built-in broker. */
export class WatchedDaemon {
  readonly #installation = new Installation();
  readonly #daemon: DaemonProcess;
  readonly #control: ControlClient;
  #ports = { port: 0, httpPort: 0 };
  #token = "";
  #gate: MqttClient | undefined;

  readonly #authority: TestAuthority | undefined;

  /** @param tls the authority of its certificate; undefined for plain HTTP */
  constructor({ tls }: { readonly tls?: TestAuthority } = {}) {
    this.#authority = tls;
    this.#daemon = this.#installation.daemon(
      "site",
      `site: { ref: site }
http: { port: 0${tls ? `, tls: { certFile: ${tls.file("cert.pem", "")}, keyFile: ${tls.file("key.pem", "")} }` : ""} }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones: [ ${ZONES.map((number) => zonesYaml(number)).join(", ")} ]
`,
    );
    this.#control = new ControlClient(join(this.#installation.folder, "site"));
  }

  /** @param account whether to create an operator for API clients */
  async start({ account = false } = {}): Promise<void> {
    if (this.#authority) {
      const { cert, key } = await this.#authority.sign("127.0.0.1");
      this.#authority.file("cert.pem", cert);
      this.#authority.file("key.pem", key);
    }
    if (account) await this.#daemon.addAccount(EDGE, "operator");
    const { httpPort, mqttPort } = await this.#daemon.start();
    if (mqttPort === undefined) throw new Error("the built-in broker does not listen");
    this.#ports = { port: mqttPort, httpPort };
    if (account) this.#token = await this.#signIn();
    this.#gate = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      clientId: "gate",
      reconnectPeriod: 100,
    });
    this.#gate.on("error", () => "it reconnects");
  }

  async remove(): Promise<void> {
    this.#gate?.end(true);
    await this.#installation.remove();
  }

  status(): Promise<StatusView> {
    return answered("the status", this.#control.get("/site/status"));
  }

  metrics(): Promise<string> {
    return answered("the metrics", this.#control.text("/metrics"));
  }

  /**
   * Runs an attack and measures the daemon.
   * @param isDone whether the metrics show the expected effect; then it ends, after at least `seconds` and at
   * most `MORE_S` more, and not before the daemon has accepted something of the attack
   */
  async during(attack: string, seconds: number, isDone: (metrics: string) => boolean): Promise<Need> {
    const restMiB = this.#memoryMiB("VmRSS");
    this.#forgetPeak();
    await this.metrics();
    const watch: Watch = { isOver: false, delaysMs: [], wireMs: [], brokerMs: [], userMs: [] };
    const order: Order = { name: attack, ...this.#ports, token: this.#token };
    const attacker = new Attacker(order, seconds + MORE_S);
    const everyMs = Math.max(TRIP_EVERY_MS, ((seconds + MORE_S) * 1000) / (ZONES.length * TRIPS_OF_ZONE));
    const startMs = performance.now();
    const watching = [
      this.#look(watch, (metrics) => attacker.hasBegun && isDone(metrics), startMs, seconds),
      this.#trips("door", watch, watch.wireMs, everyMs),
      this.#trips("gate", watch, watch.brokerMs, everyMs),
      this.#ask(watch),
    ];
    try {
      await Promise.all(watching);
    } finally {
      watch.isOver = true;
      await attacker.end();
      await Promise.allSettled(watching);
    }
    const delaysMs = watch.delaysMs.toSorted((a, b) => a - b);
    return {
      seconds: (performance.now() - startMs) / 1000,
      restMiB,
      peakMiB: this.#memoryMiB("VmHWM"),
      longestDelayMs: delaysMs.at(-1) ?? 0,
      usualDelayMs: delaysMs[Math.floor(delaysMs.length / 2)] ?? 0,
      wireMs: watch.wireMs,
      brokerMs: watch.brokerMs,
      userMs: watch.userMs,
      attack: await attacker.end(),
    };
  }

  async #look(
    watch: Watch,
    isDone: (metrics: string) => boolean,
    startMs: number,
    seconds: number,
  ): Promise<void> {
    while (!watch.isOver) {
      await pause(LOOK_EVERY_MS);
      const metrics = await this.metrics();
      if (hasFailedThread(metrics)) throw new Error("a thread of the daemon has failed");
      watch.delaysMs.push(delayOf(metrics));
      const hasTripped = watch.wireMs.length > 0 && watch.brokerMs.length > 0;
      const endS = isDone(metrics) && hasTripped ? seconds : seconds + MORE_S;
      watch.isOver = performance.now() - startMs >= endS * 1000;
    }
  }

  /** Opens and closes the contacts of a type one after the other; waits for one that is open at the end. */
  async #trips(kind: "door" | "gate", watch: Watch, tookMs: number[], everyMs: number): Promise<void> {
    for (let round = 0; !watch.isOver; round += 1) {
      const zone = `${kind}-${ZONES[round % ZONES.length]}`;
      await this.#set(zone, false);
      const before = await this.#newestTrip(zone);
      const startMs = performance.now();
      await this.#set(zone, true);
      await eventually(
        `a trip of ${zone} as a record`,
        async () => {
          const trip = await this.#newestTrip(zone);
          return trip && trip.seq !== before?.seq && trip.interventionId !== null;
        },
        ANSWER_WITHIN_MS,
      );
      tookMs.push(performance.now() - startMs);
      await this.#set(zone, false);
      if (!watch.isOver) await pause(everyMs);
    }
  }

  /** Reads a list as a user on a connection of its own each time, as often as the metrics are read. */
  async #ask(watch: Watch): Promise<void> {
    if (this.#token === "") return;
    while (!watch.isOver) {
      const startMs = performance.now();
      const { status } = await this.#request("GET", "/interventii?_end=1");
      if (status !== 200) throw new Error(`a user got ${status}`);
      watch.userMs.push(performance.now() - startMs);
      await pause(LOOK_EVERY_MS);
    }
  }

  async #signIn(): Promise<string> {
    const { body } = await this.#request("POST", "/auth/token", JSON.stringify(EDGE));
    return (JSON.parse(body) as { token: string }).token;
  }

  /** @throws when there is no response: a user is served whatever strangers do */
  #request(method: string, path: string, body?: string): Promise<{ status: number; body: string }> {
    const headers = { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" };
    const place = { host: "127.0.0.1", port: this.#ports.httpPort, agent: false, timeout: ANSWER_WITHIN_MS };
    const options = { ...place, method, path, headers };
    return new Promise((resolve, reject) => {
      const answer = (response: IncomingMessage): void => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      };
      const client = this.#authority
        ? requestTls({ ...options, ca: this.#authority.ca }, answer)
        : request(options, answer);
      client.on("timeout", () => client.destroy(new Error(`a user got no response to ${path}`)));
      client.on("error", reject);
      client.end(body);
    });
  }

  async #set(zone: string, isOpen: boolean): Promise<void> {
    const contact = isOpen ? "open" : "normal";
    if (zone.startsWith("door"))
      await answered(zone, this.#control.post("/site/simulate", { zone, contact }));
    else
      await answered(zone, this.#gate?.publishAsync(zone, JSON.stringify({ contact: !isOpen }), { qos: 1 }));
  }

  async #newestTrip(zone: string): Promise<Trip | undefined> {
    const trips = await answered("the trips", this.#control.get<readonly Trip[]>("/site/trips?limit=20"));
    return trips.find(({ zoneId, type }) => zoneId === zone && type === "trip");
  }

  #memoryMiB(row: "VmRSS" | "VmHWM"): number {
    const status = readFileSync(`/proc/${this.#daemon.pid}/status`, "latin1");
    return Number(new RegExp(`^${row}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  /** Resets the peak memory counter (proc_pid_clear_refs(5)), so that the start does not count. */
  #forgetPeak(): void {
    writeFileSync(`/proc/${this.#daemon.pid}/clear_refs`, "5");
  }
}

/** A GPIO door and a gate at the broker. */
function zonesYaml(number: number): string {
  const both = "kind: fire, objective: { type: obiective/cladiri, id: 1 }";
  return `{ id: door-${number}, name: Door ${number}, ${both}, input: { gpio: ${number + 1}, contact: nc } },
  { id: gate-${number}, name: Gate ${number}, ${both}, input: { mqtt: gate-${number}, path: /contact, open: [false], normal: [true] } }`;
}

/** @throws when the daemon does not respond: it has exited, or is unavailable for its sensors */
async function answered<T>(what: string, answer: Promise<T> | undefined): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${ANSWER_WITHIN_MS} ms: ${what}`)),
      ANSWER_WITHIN_MS,
    );
  });
  try {
    return await Promise.race([answer as Promise<T>, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a thread has failed within the last minute. */
function hasFailedThread(metrics: string): boolean {
  const open = /^santinela_conditions_open\{code="thread-failed",severity="\w+"\} (\d+)$/m.exec(metrics)?.[1];
  if (open === undefined) throw new Error("the metrics have no condition thread-failed");
  return open !== "0";
}

/** Longest delay of the event loop since the last reading, in milliseconds. */
function delayOf(metrics: string): number {
  return Number(/^santinela_event_loop_delay_seconds\{quantile="1"\} (.+)$/m.exec(metrics)?.[1]) * 1000;
}
