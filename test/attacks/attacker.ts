import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("attacker.mjs", import.meta.url));
/** A process that still runs this long after its time is killed. */
const GRACE_MS = 5_000;

/** The type of an attack, and the ports of the daemon. */
export interface Order {
  readonly name: string;
  /** Port of the built-in broker. */
  readonly port: number;
  readonly httpPort: number;
  /** Token of an operator. */
  readonly token: string;
  /** Number of random requests, after which that attack only waits for its end. */
  readonly requests: number;
}

/** Amount of an attack. */
export interface Done {
  /** Messages, filters or requests that the daemon accepted. */
  readonly done: number;
  /** Requests with another response, or without one. */
  readonly failed: number;
}

/** An attacker in its own process. */
export class Attacker {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<Done>;
  #done = 0;

  /** @param seconds duration, whatever the daemon does */
  constructor(order: Order, seconds: number) {
    const attacker = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...order, seconds })]);
    this.#process = attacker;
    attacker.stdin.on("error", () => "it has ended already");
    let written = "";
    let output = "";
    attacker.stdout.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      this.#done = Number(written.split("\n").at(-2) ?? 0);
    });
    attacker.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    this.#ended = new Promise((resolve, reject) => {
      attacker.once("error", reject);
      attacker.once("close", (code, signal) => {
        if (code === 0) resolve(JSON.parse(written.split("\n").at(-1) ?? "") as Done);
        else reject(new Error(`the attack ${order.name} ended with ${code ?? signal}: ${output}`));
      });
    });
    // Checked when it is stopped.
    this.#ended.catch(() => {});
  }

  /** What the daemon has accepted so far: on a busy machine its process starts late. */
  get done(): number {
    return this.#done;
  }

  /** Waits until it has ended on time. */
  onTime(): Promise<Done> {
    return this.#ended;
  }

  /** Stops it if it still runs, and waits for its exit. */
  async end(): Promise<Done> {
    this.#process.stdin.end();
    const kill = setTimeout(() => this.#process.kill("SIGKILL"), GRACE_MS);
    try {
      return await this.#ended;
    } finally {
      clearTimeout(kill);
    }
  }
}
