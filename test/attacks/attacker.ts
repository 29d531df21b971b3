import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("attacker.mjs", import.meta.url));
/** A process that still runs this long after its time is killed. */
const GRACE_MS = 5_000;

/** What one attack does, and to which doors of the daemon. */
export interface Order {
  readonly name: string;
  /** Port of the built-in broker. */
  readonly port: number;
  readonly httpPort: number;
  /** Of an operator at the interface. */
  readonly token: string;
}

/** How much an attack has done. */
export interface Done {
  /** Messages, filters or requests that the daemon took. */
  readonly done: number;
  /** Requests that were answered otherwise, or not. */
  readonly failed: number;
}

/** A machine that attacks the daemon, in a process of its own. */
export class Attacker {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<Done>;

  /** @param seconds after which it ends, whatever the daemon does */
  constructor(order: Order, seconds: number) {
    const attacker = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...order, seconds })]);
    this.#process = attacker;
    attacker.stdin.on("error", () => "it has ended already");
    let written = "";
    let said = "";
    attacker.stdout.on("data", (chunk: Buffer) => (written += chunk.toString()));
    attacker.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    this.#ended = new Promise((resolve, reject) => {
      attacker.once("error", reject);
      attacker.once("close", (code, signal) => {
        if (code === 0) resolve(JSON.parse(written) as Done);
        else reject(new Error(`the attack ${order.name} ended with ${code ?? signal}: ${said}`));
      });
    });
    // Looked at when it is ended.
    this.#ended.catch(() => {});
  }

  /** Waits until it has ended by its own clock. */
  onTime(): Promise<Done> {
    return this.#ended;
  }

  /** Ends it, if it still runs, and waits until it is gone. */
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
