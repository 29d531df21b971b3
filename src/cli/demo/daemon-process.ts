import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Role } from "../../domain/principal.ts";
import { ControlClient } from "../control-client.ts";

interface DaemonProcessOptions {
  /** Path of the program's main file. */
  readonly main: string;
  readonly configFile: string;
  readonly dataDir: string;
  /** The command that runs it; default `serve`. */
  readonly command?: "serve" | "centre";
}

/** Ports of a daemon that is ready. */
interface DaemonPorts {
  readonly httpPort: number;
  /** Port of its built-in broker, if enabled. */
  readonly mqttPort: number | undefined;
}

/** A Santinela daemon in a separate process, as under systemd. */
export class DaemonProcess {
  readonly #main: string;
  readonly #configFile: string;
  readonly #command: "serve" | "centre";
  readonly #client: ControlClient;
  #process: ChildProcessWithoutNullStreams | undefined;

  constructor({ main, configFile, dataDir, command = "serve" }: DaemonProcessOptions) {
    this.#command = command;
    this.#main = main;
    this.#configFile = configFile;
    this.#client = new ControlClient(dataDir);
  }

  /**
   * Starts the daemon and waits until it is ready.
   * @param environment default: the environment of this process
   * @throws Error with the daemon's error output if it exits
   */
  start(environment?: NodeJS.ProcessEnv): Promise<DaemonPorts> {
    const options = environment ? { env: environment } : {};
    const daemon = spawn(
      process.execPath,
      [this.#main, this.#command, "--config", this.#configFile],
      options,
    );
    this.#process = daemon;
    let errorOutput = "";
    let mqttPort: number | undefined;
    daemon.stderr.on("data", (chunk: Buffer) => (errorOutput += chunk.toString()));
    return new Promise((resolve, reject) => {
      daemon.once("error", reject);
      daemon.once("exit", (code, signal) =>
        reject(new Error(`a daemon exited with ${code ?? signal}: ${errorOutput}`)),
      );
      createInterface({ input: daemon.stdout }).on("line", (line) => {
        const entry = JSON.parse(line) as { event: string; port?: number };
        if (entry.event === "mqtt-broker-listening") mqttPort = entry.port;
        if (entry.event === "ready" && entry.port !== undefined) resolve({ httpPort: entry.port, mqttPort });
        if (entry.event.endsWith("-failed")) errorOutput += `${line}\n`;
      });
    });
  }

  /** Waits until the process has exited. */
  async exited(): Promise<void> {
    const daemon = this.#process;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    await once(daemon, "exit");
  }

  /** Runs a CLI command with this daemon's configuration. */
  run(command: readonly string[], input = ""): Promise<void> {
    const child = spawn(process.execPath, [this.#main, ...command, "--config", this.#configFile]);
    let errorOutput = "";
    child.stderr.on("data", (chunk: Buffer) => (errorOutput += chunk.toString()));
    child.stdout.resume();
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) =>
        code === 0
          ? resolve()
          : reject(new Error(`santinela ${command.join(" ")} exited with ${code}: ${errorOutput}`)),
      );
    });
  }

  /** Adds an account, whether the daemon runs or not. */
  addAccount(account: { email: string; password: string }, role: Role): Promise<void> {
    const command = ["user", "add", "--email", account.email, "--role", role, "--password-stdin"];
    return this.run(command, account.password);
  }

  /** Sends a GET request over the control socket. */
  get<T>(path: string): Promise<T> {
    return this.#client.get(path);
  }

  /** Process id; undefined before the start. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Sends SIGHUP, which reloads the configuration. */
  hangUp(): void {
    this.#process?.kill("SIGHUP");
  }

  /** Stops the process, with SIGKILL immediately or with SIGTERM cleanly, and waits until it has exited. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.#process?.kill(signal);
    await this.exited();
  }
}
