import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { describeUnless } from "./installed.ts";

export interface TracedDaemonOptions {
  /** Path of the program's main file. */
  readonly main: string;
  readonly configFile: string;
  /** What strace is told to watch or to break, as its own options. */
  readonly trace: readonly string[];
  /** Where strace writes what it has seen. */
  readonly output: string;
}

/**
 * A daemon whose calls to the kernel are watched or broken by strace, so that a plug can be pulled or a disk can fail at
 * any one of them while the program itself is the one that is shipped.
 */
export class TracedDaemon {
  readonly #options: TracedDaemonOptions;
  #process: ChildProcess | undefined;
  /** What it wrote to its standard output, a line each. */
  readonly lines: string[] = [];

  constructor(options: TracedDaemonOptions) {
    this.#options = options;
  }

  /** Starts it. @returns whether it became ready; false when it ended before that */
  start(): Promise<boolean> {
    const { main, configFile, trace, output } = this.#options;
    const daemon = spawn(
      "strace",
      ["-f", "-o", output, ...trace, process.execPath, main, "serve", "--config", configFile],
      // A group of its own: strace leaves signals to the one it watches.
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

  /** Waits until it is gone, for whatever reason. */
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

/** Tests that need strace: skipped with a sentence where it is missing or may not watch another process. */
export function describeWithStrace(name: string, tests: () => void): void {
  const works = spawnSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "true"]).status === 0;
  describeUnless(works ? undefined : MISSING, name, tests);
}

const MISSING = "strace is not installed or may not trace here; on Debian: sudo apt-get install strace";
