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
import { RUN_LENGTH } from "../support/run-length.ts";
import { Attacker, type Done, type Order } from "./attacker.ts";

const LOOK_EVERY_MS = 250;
/** Of each type. A zone with more than twenty trips in an incident is a swinger, whose trips are only counted. */
const ZONES = Array.from({ length: 20 }, (_, index) => index + 1);
const TRIPS_OF_ZONE = 15;
/** Longer in a long attack, so that no zone becomes one. */
const TRIP_EVERY_MS = 1000;
/** Additional time for a busy machine. */
const MORE_S = 60;
/** Other threads are asked for their longest delay every five seconds: the last answer comes as late as this. */
const NEXT_PING_MS = 5_500;
/** Maximum time for a response or a record; beyond it the daemon is considered unavailable. */
const ANSWER_WITHIN_MS = 30_000;

/** Resource use of a daemon during an attack. */
export interface Need {
  readonly seconds: number;
  readonly restMiB: number;
  /** Peak memory of the process, as counted by the kernel. */
  readonly peakMiB: number;
  /** Delays of timers in each thread, by its name: the longest between two readings. */
  readonly delaysMs: Delays;
  /** Time from the opening of a contact to its record: by GPIO, and by the broker. */
  readonly wireMs: readonly number[];
  readonly brokerMs: readonly number[];
  /** Response times of a user of the API who has signed in before; none without an account. */
  readonly userMs: readonly number[];
  readonly attack: Done;
}

type Delays = ReadonlyMap<string, readonly number[]>;

interface Watch {
  isOver: boolean;
  readonly delaysMs: Map<string, number[]>;
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

  /** The threads that were started again within the last minute; during an attack one of them ends the test at once. */
  async restartedThreads(): Promise<unknown[]> {
    const { conditions } = await this.status();
    return conditions.filter(({ code }) => code === "thread-failed").map(({ subject }) => subject);
  }

  metrics(): Promise<string> {
    return answered("the metrics", this.#control.text("/metrics"));
  }

  /**
   * Runs an attack and measures the daemon.
   * @param isDone whether the metrics and the amount of the attack show the expected effect; then it ends, after at least
   * `seconds` and at most `MORE_S` more, and not before the daemon has accepted something of the attack
   */
  async during(
    attack: string,
    seconds: number,
    isDone: (metrics: string, done: number) => boolean,
  ): Promise<Need> {
    const restMiB = this.#memoryMiB("VmRSS");
    this.#forgetPeak();
    await this.metrics();
    const watch: Watch = { isOver: false, delaysMs: new Map(), wireMs: [], brokerMs: [], userMs: [] };
    const order: Order = {
      name: attack,
      ...this.#ports,
      token: this.#token,
      requests: RUN_LENGTH.attackRequests,
    };
    const attacker = new Attacker(order, seconds + MORE_S);
    const everyMs = Math.max(TRIP_EVERY_MS, ((seconds + MORE_S) * 1000) / (ZONES.length * TRIPS_OF_ZONE));
    const startMs = performance.now();
    const watching = [
      this.#look(watch, (metrics) => attacker.done > 0 && isDone(metrics, attacker.done), startMs, seconds),
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
    const tookMs = performance.now() - startMs;
    const peakMiB = this.#memoryMiB("VmHWM");
    // Brief runs print nothing: they do not wait for the last delays.
    if (seconds > 0) await pause(NEXT_PING_MS);
    addDelays(watch.delaysMs, await this.metrics());
    return {
      seconds: tookMs / 1000,
      restMiB,
      peakMiB,
      delaysMs: watch.delaysMs,
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
      addDelays(watch.delaysMs, metrics);
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

/** Adds the longest delay of each thread since the last reading, in milliseconds. */
function addDelays(delaysMs: Map<string, number[]>, metrics: string): void {
  const sensing = /^santinela_event_loop_delay_seconds\{(quantile)="1"\} (.+)$/gm;
  const others = /^santinela_thread_delay_seconds\{thread="(\w+)"\} (.+)$/gm;
  for (const [, label = "", seconds] of [...metrics.matchAll(sensing), ...metrics.matchAll(others)]) {
    const thread = label === "quantile" ? "sensing" : label;
    delaysMs.set(thread, [...(delaysMs.get(thread) ?? []), Number(seconds) * 1000]);
  }
}
