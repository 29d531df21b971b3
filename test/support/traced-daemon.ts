import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { describeUnless } from "./required-programs.ts";

export interface TracedDaemonOptions {
  /** Path of the program's main file. */
  readonly main: string;
  readonly configFile: string;
  /** Options of strace that select calls or inject faults. */
  readonly trace: readonly string[];
  /** Output file of strace. */
  readonly output: string;
}

/**
 * A daemon under strace, which records system calls or makes them fail: a power cut or a disk error at any call
 * of the shipped program.
 */
export class TracedDaemon {
  readonly #options: TracedDaemonOptions;
  #process: ChildProcess | undefined;
  /** Lines of its standard output. */
  readonly lines: string[] = [];

  constructor(options: TracedDaemonOptions) {
    this.#options = options;
  }

  /** Starts it. @returns whether it became ready; false if it exited before */
  start(): Promise<boolean> {
    const { main, configFile, trace, output } = this.#options;
    const daemon = spawn(
      "strace",
      ["-f", "-o", output, ...trace, process.execPath, main, "serve", "--config", configFile],
      // A process group of its own: strace forwards no signals.
      { stdio: ["ignore", "pipe", "ignore"], detached: true },
    );
    this.#process = daemon;
    return new Promise((resolve, reject) => {
      daemon.once("error", reject);
      daemon.once("exit", () => resolve(false));
      createInterface({ input: daemon.stdout }).on("line", (line) => {
        this.lines.push(line);
        if (line.includes('"event":"ready"')) resolve(true);
      });
    });
  }

  get isGone(): boolean {
    return this.#process?.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Waits until it has exited. */
  async gone(): Promise<void> {
    const daemon = this.#process;
    if (this.isGone || !daemon) return;
    await new Promise((resolve) => {
      daemon.once("exit", resolve);
    });
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined || this.isGone) return;
    process.kill(-pid, signal);
    await this.gone();
  }
}

/** Tests that require strace; skipped with a reason if it is missing or may not trace processes. */
export function describeWithStrace(name: string, tests: () => void): void {
  const works = spawnSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]).status === 0;
  describeUnless(works ? undefined : MISSING, name, tests);
}

const MISSING = "strace is not installed or may not trace here; on Debian: sudo apt-get install strace";
