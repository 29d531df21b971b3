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
  #hasBegun = false;

  /** @param seconds duration, whatever the daemon does */
  constructor(order: Order, seconds: number) {
    const attacker = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...order, seconds })]);
    this.#process = attacker;
    attacker.stdin.on("error", () => "it has ended already");
    let written = "";
    let output = "";
    attacker.stdout.on("data", (chunk: Buffer) => {
      this.#hasBegun = true;
      written += chunk.toString();
    });
    attacker.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    this.#ended = new Promise((resolve, reject) => {
      attacker.once("error", reject);
      attacker.once("close", (code, signal) => {
        if (code === 0) resolve(JSON.parse(written) as Done);
        else reject(new Error(`the attack ${order.name} ended with ${code ?? signal}: ${output}`));
      });
    });
    // Checked when it is stopped.
    this.#ended.catch(() => {});
  }

  /** Whether the daemon has accepted something of it: on a busy machine its process starts late. */
  get hasBegun(): boolean {
    return this.#hasBegun;
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
