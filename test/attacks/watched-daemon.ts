import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { StatusView } from "../../src/http/site/status-view.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, Installation, pause } from "../support/installation.ts";
import { Attacker, type Done, type Order } from "./attacker.ts";

const LOOK_EVERY_MS = 250;
/** Of each kind. One that trips more than twenty times within its incident is a swinger, whose trips are counted. */
const ZONES = Array.from({ length: 20 }, (_, index) => index + 1);
const TRIPS_OF_ZONE = 15;
/** More rarely in a long attack, so that no zone becomes one. */
const TRIP_EVERY_MS = 1000;
/** A busy machine may need longer until what is waited for has happened. */
const MORE_S = 60;
/** No answer and no record takes longer, or the daemon is not there for its sensors. */
const ANSWER_WITHIN_MS = 30_000;

/** What a daemon needed of its machine while something went on. */
export interface Need {
  readonly seconds: number;
  readonly restMiB: number;
  /** The most memory that the process has had, as the kernel counts it. */
  readonly peakMiB: number;
  /** The longest that its event loop was held, and the median of the worst between two looks. */
  readonly longestDelayMs: number;
  readonly usualDelayMs: number;
  /** From the opening of a contact until its trip belongs to a record: on a wire, and at the broker. */
  readonly wireMs: readonly number[];
  readonly brokerMs: readonly number[];
  readonly attack: Done;
}

interface Watch {
  isOver: boolean;
  readonly delaysMs: number[];
  readonly wireMs: number[];
  readonly brokerMs: number[];
}

/** A daemon in a process of its own with doors on wires and gates on the built-in broker. */
export class WatchedDaemon {
  readonly #installation = new Installation();
  readonly #daemon: DaemonProcess;
  readonly #control: ControlClient;
  #ports = { port: 0, httpPort: 0 };
  #token = "";
  #gate: MqttClient | undefined;

  constructor() {
    this.#daemon = this.#installation.daemon(
      "site",
      `site: { ref: site }
http: { port: 0 }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones: [ ${ZONES.map((number) => zonesYaml(number)).join(", ")} ]
`,
    );
    this.#control = new ControlClient(join(this.#installation.folder, "site"));
  }

  /** @param account whether an operator is there for those who use the interface */
  async start({ account = false } = {}): Promise<void> {
    if (account) await this.#daemon.addAccount(EDGE, "operator");
    const { httpPort, mqttPort } = await this.#daemon.start();
    if (mqttPort === undefined) throw new Error("the built-in broker does not listen");
    this.#ports = { port: mqttPort, httpPort };
    if (account) this.#token = await signIn(httpPort);
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
   * Lets an attack go on and looks at the daemon meanwhile.
   * @param isDone whether the metrics show what is waited for; then it ends, but not before `seconds`, and at the latest
   *   `MORE_S` later
   */
  async during(attack: string, seconds: number, isDone: (metrics: string) => boolean): Promise<Need> {
    const restMiB = this.#memoryMiB("VmRSS");
    this.#forgetPeak();
    await this.metrics();
    const watch: Watch = { isOver: false, delaysMs: [], wireMs: [], brokerMs: [] };
    const order: Order = { name: attack, ...this.#ports, token: this.#token };
    const attacker = new Attacker(order, seconds + MORE_S);
    const everyMs = Math.max(TRIP_EVERY_MS, ((seconds + MORE_S) * 1000) / (ZONES.length * TRIPS_OF_ZONE));
    const startMs = performance.now();
    const watching = [
      this.#look(watch, isDone, startMs, seconds),
      this.#trips("door", watch, watch.wireMs, everyMs),
      this.#trips("gate", watch, watch.brokerMs, everyMs),
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
      watch.delaysMs.push(delayOf(metrics));
      const hasTripped = watch.wireMs.length > 0 && watch.brokerMs.length > 0;
      const endS = isDone(metrics) && hasTripped ? seconds : seconds + MORE_S;
      watch.isOver = performance.now() - startMs >= endS * 1000;
    }
  }

  /** Opens and closes one contact of a kind after the other; one that is open at the end is waited for. */
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

  /** The kernel counts the most memory from here on (proc_pid_clear_refs(5)); what a start needs is not meant. */
  #forgetPeak(): void {
    writeFileSync(`/proc/${this.#daemon.pid}/clear_refs`, "5");
  }
}

/** A door on a wire and a gate at the broker. */
function zonesYaml(number: number): string {
  const both = "kind: fire, objective: { type: obiective/cladiri, id: 1 }";
  return `{ id: door-${number}, name: Door ${number}, ${both}, input: { gpio: ${number + 1}, contact: nc } },
  { id: gate-${number}, name: Gate ${number}, ${both}, input: { mqtt: gate-${number}, path: /contact, open: [false], normal: [true] } }`;
}

/** @throws when the daemon does not answer: then it has ended, or is no longer there for its sensors */
async function answered<T>(what: string, answer: Promise<T> | undefined): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${ANSWER_WITHIN_MS} ms: ${what}`)),
      ANSWER_WITHIN_MS,
    );
  });
  try {
    return await Promise.race([answer as Promise<T>, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function signIn(httpPort: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${httpPort}/auth/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(EDGE),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  return ((await answer.json()) as { token: string }).token;
}

/** The longest delay of the event loop since the last look, milliseconds. */
function delayOf(metrics: string): number {
  return Number(/^santinela_event_loop_delay_seconds\{quantile="1"\} (.+)$/m.exec(metrics)?.[1]) * 1000;
}
