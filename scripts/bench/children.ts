import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How a process is started. */
export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Called with its output. */
  readonly logFile: string;
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** Of the user and the group that it runs as; those of the benchmark by default. */
  readonly userId?: number;
}

/** Time between SIGTERM and SIGKILL. */
const END_MS = 10_000;

/** Ticks per second of the processor times in /proc (proc(5)). */
const TICKS_PER_SECOND = 100;

/** All processes of the benchmark, so that none outlives it. */
export class Children {
  readonly #running = new Set<Child>();

  /** Starts a process. It is not ready yet when this returns. */
  start(options: ChildOptions): Child {
    const child = new Child(options, () => this.#running.delete(child));
    this.#running.add(child);
    return child;
  }

  /** Stops all of them, the newest first. */
  async endAll(): Promise<void> {
    for (const child of [...this.#running].toReversed()) await child.end();
  }
}

/** One process, known by its pid. */
export class Child {
  readonly #process: ChildProcess;
  readonly #logFile: string;
  readonly #gone: Promise<void>;

  constructor({ command, args, logFile, environment, folder, userId }: ChildOptions, onGone: () => void) {
    this.#logFile = logFile;
    const log = openSync(logFile, "a");
    this.#process = spawn(command, args, {
      stdio: ["ignore", log, log],
      env: { ...process.env, ...environment },
      ...(folder === undefined ? {} : { cwd: folder }),
      ...(userId === undefined ? {} : { uid: userId, gid: userId }),
    });
    closeSync(log);
    this.#gone = new Promise((resolve) => {
      const over = (): void => {
        onGone();
        resolve();
      };
      this.#process.once("exit", over);
      this.#process.once("error", over);
    });
  }

  /** @throws Error when it could not be started at all */
  get pid(): number {
    if (this.#process.pid === undefined) throw new Error(`a process did not start: ${this.#logFile}`);
    return this.#process.pid;
  }

  /** The end of its output. */
  get said(): string {
    return readFileSync(this.#logFile, "utf8").slice(-2_000);
  }

  /**
   * Polls until `look` returns true.
   * @throws Error with the output of the process if it ends, or after `withinMs`
   */
  async until(what: string, look: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
    const end = performance.now() + withinMs;
    while (!(await look())) {
      if (this.#isOver) throw new Error(`ended while waiting for ${what}: ${this.said}`);
      if (performance.now() > end)
        throw new Error(`${what} has not come within ${withinMs} ms: ${this.said}`);
      await delay(5);
    }
  }

  /** Resident memory now, in MB. */
  get residentMb(): number {
    return this.#memoryMb("VmRSS");
  }

  /** Peak resident memory since `forgetPeak`, in MB. */
  get peakMb(): number {
    return this.#memoryMb("VmHWM");
  }

  /** Resets the peak (proc(5), clear_refs). */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
  }

  /** Written to the storage device so far, in KiB (proc(5), io: the pages that it has made dirty). */
  get writtenKib(): number {
    const counters = readFileSync(`/proc/${this.pid}/io`, "utf8");
    return Number(/^write_bytes: (\d+)$/m.exec(counters)?.[1]) / 1024;
  }

  /** Processor time used, in milliseconds. */
  get cpuMs(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  }

  /** Stops it with SIGTERM, or with SIGKILL if that takes too long. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#process.kill("SIGTERM");
    const force = setTimeout(() => this.#process.kill("SIGKILL"), END_MS);
    await this.#gone;
    clearTimeout(force);
  }

  get #isOver(): boolean {
    return (
      this.#process.exitCode !== null || this.#process.signalCode !== null || this.#process.pid === undefined
    );
  }

  #memoryMb(field: "VmRSS" | "VmHWM"): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  }
}
