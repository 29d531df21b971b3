import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import type { StatusView } from "../../src/http/site/status-view.ts";
import { eventually } from "../support/eventually.ts";
import type { FloodTime } from "./broker-floods.ts";
import { Installation, pause } from "../support/installation.ts";

const LOOK_EVERY_MS = 500;
const TRIP_EVERY_MS = 1000;
/** A busy machine may need longer until what is waited for has happened. */
const MORE_S = 40;

/** What a daemon needed of its machine while something went on. */
export interface Need {
  readonly restMiB: number;
  readonly mostMiB: number;
  /** The longest that its event loop was held, and the median of the worst of each half second. */
  readonly longestDelayMs: number;
  readonly usualDelayMs: number;
  /** From the order to the record, of the trips beside. */
  readonly tripsMs: readonly number[];
}

/** A daemon in a process of its own with a door on a wire and a gate on the built-in broker. */
export class WatchedDaemon {
  readonly #installation = new Installation();
  readonly #daemon: DaemonProcess;
  readonly #control: ControlClient;
  port = 0;
  #gate: MqttClient | undefined;

  constructor(more = "") {
    this.#daemon = this.#installation.daemon(
      "site",
      `site: { ref: site }
http: { port: 0 }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Hall } ] }
zones:
  - { id: door, name: Door, kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
  - id: gate
    name: Gate
    kind: fire
    objective: { type: obiective/cladiri, id: 1 }
    input: { mqtt: gate, path: /contact, open: [false], normal: [true] }
${more}`,
    );
    this.#control = new ControlClient(join(this.#installation.folder, "site"));
  }

  async start(): Promise<void> {
    const { mqttPort } = await this.#daemon.start();
    if (mqttPort === undefined) throw new Error("the built-in broker does not listen");
    this.port = mqttPort;
    this.#gate = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      clientId: "gate",
      reconnectPeriod: 100,
    });
    this.#gate.on("error", () => "it reconnects");
  }

  async remove(): Promise<void> {
    await this.#gate?.endAsync(true);
    await this.#installation.remove();
  }

  status(): Promise<StatusView> {
    return this.#control.get("/site/status");
  }

  metrics(): Promise<string> {
    return this.#control.text("/metrics");
  }

  /** Opens the door on its wire and the gate at the broker. @returns how long each took to be a row of the journal */
  async trip(): Promise<number> {
    const before = await this.#trips();
    const startedMs = performance.now();
    await this.#control.post("/site/simulate", { zone: "door", contact: "open" });
    await this.#control.post("/site/simulate", { zone: "door", contact: "normal" });
    for (const contact of [true, false, true])
      await this.#gate?.publishAsync("gate", JSON.stringify({ contact }), { qos: 1 });
    await eventually("both trips as records", async () => {
      const now = await this.#trips();
      return now.door > before.door && now.gate > before.gate;
    });
    return performance.now() - startedMs;
  }

  /**
   * Lets something go on and looks at the daemon meanwhile.
   * @param isDone whether the metrics show what is waited for; then it ends, but not before `seconds`
   * @param go ends when its time is over
   */
  async during(
    seconds: number,
    isDone: (metrics: string) => boolean,
    go: (time: FloodTime) => Promise<void>,
  ): Promise<Need> {
    const restMiB = this.#rssMiB();
    await this.metrics();
    const startMs = performance.now();
    let isOver = false;
    const rss = [restMiB];
    const delays: number[] = [];
    const tripsMs: number[] = [];
    const look = async (): Promise<void> => {
      while (!isOver) {
        await pause(LOOK_EVERY_MS);
        rss.push(this.#rssMiB());
        const metrics = await this.metrics();
        delays.push(delayOf(metrics));
        rss.push(this.#rssMiB());
        const elapsedMs = performance.now() - startMs;
        isOver = elapsedMs >= (isDone(metrics) && tripsMs.length > 0 ? seconds : seconds + MORE_S) * 1000;
      }
    };
    const hasEnded = (): boolean => isOver;
    const trip = async (): Promise<void> => {
      while (!hasEnded()) {
        tripsMs.push(await this.trip());
        await pause(TRIP_EVERY_MS);
      }
    };
    const over = look();
    await Promise.all([over, trip(), go({ isOver: () => isOver, over })]);
    const sorted = delays.toSorted((a, b) => a - b);
    return {
      restMiB,
      mostMiB: Math.max(...rss),
      longestDelayMs: sorted.at(-1) ?? 0,
      usualDelayMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
      tripsMs,
    };
  }

  async #trips(): Promise<{ door: number; gate: number }> {
    const trips = await this.#control.get<readonly Trip[]>("/site/trips?limit=1000");
    const count = (zone: string): number =>
      trips.filter(({ zoneId, interventionId }) => zoneId === zone && interventionId !== null).length;
    return { door: count("door"), gate: count("gate") };
  }

  #rssMiB(): number {
    const status = readFileSync(`/proc/${this.#daemon.pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
  }
}

/** The longest delay of the event loop since the last look, milliseconds. */
function delayOf(metrics: string): number {
  return Number(/^santinela_event_loop_delay_seconds\{quantile="1"\} (.+)$/m.exec(metrics)?.[1]) * 1000;
}

/** A line for the page of the proof. */
export function lineOf(name: string, need: Need): string {
  const { restMiB, mostMiB, longestDelayMs, usualDelayMs, tripsMs } = need;
  const slowest = Math.max(0, ...tripsMs);
  const numbers = [restMiB, mostMiB, usualDelayMs, longestDelayMs, tripsMs.length, slowest];
  return `| ${name} | ${numbers.map((number) => String(Math.round(number))).join(" | ")} |`;
}
