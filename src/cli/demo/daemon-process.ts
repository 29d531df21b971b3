import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { Role } from "../../domain/principal.ts";
import { ControlClient } from "../control-client.ts";

export interface DaemonProcessOptions {
  /** Path of the program's main file. */
  readonly main: string;
  readonly configFile: string;
  readonly dataDir: string;
}

/** What a daemon says of itself when it is ready. */
export interface DaemonPorts {
  readonly httpPort: number;
  /** Port of its built-in broker, where it has one. */
  readonly mqttPort: number | undefined;
}

/** A Santinela daemon in a process of its own, as systemd would run it. */
export class DaemonProcess {
  readonly #main: string;
  readonly #configFile: string;
  readonly #client: ControlClient;
  #process: ChildProcessWithoutNullStreams | undefined;

  constructor({ main, configFile, dataDir }: DaemonProcessOptions) {
    this.#main = main;
    this.#configFile = configFile;
    this.#client = new ControlClient(dataDir);
  }

  /**
   * Starts it and waits until it answers.
   * @param environment instead of this process's own
   * @throws Error with what it said when it ends instead
   */
  start(environment?: NodeJS.ProcessEnv): Promise<DaemonPorts> {
    const options = environment ? { env: environment } : {};
    const daemon = spawn(process.execPath, [this.#main, "serve", "--config", this.#configFile], options);
    this.#process = daemon;
    let said = "";
    let mqttPort: number | undefined;
    daemon.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    return new Promise((resolve, reject) => {
      daemon.once("error", reject);
      daemon.once("exit", (code, signal) =>
        reject(new Error(`a daemon ended with ${code ?? signal}: ${said}`)),
      );
      createInterface({ input: daemon.stdout }).on("line", (line) => {
        const entry = JSON.parse(line) as { event: string; port?: number };
        if (entry.event === "mqtt-broker-listening") mqttPort = entry.port;
        if (entry.event === "ready" && entry.port !== undefined) resolve({ httpPort: entry.port, mqttPort });
        if (entry.event.endsWith("-failed")) said += `${line}\n`;
      });
    });
  }

  /** Waits until it is gone, for whatever reason. */
  async gone(): Promise<void> {
    const daemon = this.#process;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    await new Promise((resolve) => {
      daemon.once("exit", resolve);
    });
  }

  /** Runs a command of the command line against this daemon's configuration. */
  run(command: readonly string[], input = ""): Promise<void> {
    const child = spawn(process.execPath, [this.#main, ...command, "--config", this.#configFile]);
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.resume();
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) =>
        code === 0
          ? resolve()
          : reject(new Error(`santinela ${command.join(" ")} ended with ${code}: ${said}`)),
      );
    });
  }

  /** Gives somebody an account, whether it runs or not. */
  addAccount(account: { email: string; password: string }, role: Role): Promise<void> {
    const words = ["user", "add", "--email", account.email, "--role", role, "--password-stdin"];
    return this.run(words, account.password);
  }

  /** Asks the running daemon through its control socket. */
  get<T>(path: string): Promise<T> {
    return this.#client.get(path);
  }

  /** Its number; undefined before it is started. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Sends it SIGHUP, which has it load its configuration. */
  hangUp(): void {
    this.#process?.kill("SIGHUP");
  }

  /** Ends it, at once with SIGKILL or in order with SIGTERM, and waits until it is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#process?.kill(signal);
    await this.gone();
  }
}
