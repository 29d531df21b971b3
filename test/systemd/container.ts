import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { eventually } from "../support/eventually.ts";

/** Result of a command in the container. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The Debian releases to test, as prepared by `scripts/test-systemd.sh`. */
export const SUITES: readonly { suite: string; root: string }[] = (process.env["TEST_ROOTS"] ?? "")
  .split(" ")
  .filter((word) => word !== "")
  .map((word) => {
    const [suite = "", root = ""] = word.split("=");
    return { suite, root };
  });

/** Directory of the packages under test, mounted as /packages. */
const PACKAGES = process.env["TEST_PACKAGES"] ?? "";

/** Time limit of an outcome on a busy machine: it ends a hung test and does not measure speed. */
export const LIMIT_MS = 180_000;

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * A Debian container with systemd as PID 1, over a read-only root file system. It does not cover memory limits,
 * udev and GPIO; those are tested in the virtual machine.
 */
export class Container {
  readonly #process: ChildProcess;
  #leader = 0;
  /** Exit of systemd-nspawn, and its output. */
  #end: string | undefined;

  private constructor(process: ChildProcess) {
    this.#process = process;
    let said = "";
    process.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
    process.once("error", (error) => (this.#end = `with ${error.message}`));
    process.once(
      "close",
      (code, signal) => (this.#end = `${signal === null ? `with ${code}` : `by ${signal}`}: ${said}`),
    );
  }

  /**
   * Boots and waits until systemd has started everything.
   * @param shown files and directories of this machine, mounted at the same paths
   * @param options further ones of systemd-nspawn
   */
  static async boot(
    root: string,
    shown: readonly string[] = [],
    options: readonly string[] = [],
  ): Promise<Container> {
    const nspawn = spawn(
      "scripts/test-container.sh",
      [
        root,
        `--bind-ro=${PACKAGES}:/packages`,
        ...shown.map((path) => `--bind-ro=${path}`),
        // For an installation from this source tree.
        `--bind-ro=${process.cwd()}:/source`,
        `--bind-ro=${process.execPath}:/usr/local/bin/node`,
        ...options,
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const container = new Container(nspawn);
    const hasStarted = async (): Promise<boolean> => {
      container.#leader = leaderOf(nspawn.pid ?? 0);
      return /running|degraded/.test((await container.run("systemctl is-system-running")).stdout);
    };
    await eventually(
      "systemd has started everything, or its container has ended",
      async () => container.#end !== undefined || (await hasStarted()),
      LIMIT_MS,
    );
    if (container.#end !== undefined) throw new Error(`the container has ended ${container.#end}`);
    return container;
  }

  /** Process id of its init on this machine. */
  get leader(): number {
    return this.#leader;
  }

  /** Runs a shell command as root. */
  run(line: string, input = ""): Promise<Outcome> {
    return this.#execute([...this.#entry, "sh", "-c", line], input);
  }

  /** Runs a program as root under strace of this machine. @param options of strace */
  traced(options: readonly string[], ...words: readonly string[]): Promise<Outcome> {
    return this.#execute(["strace", "-f", ...options, ...this.#entry, ...words]);
  }

  get #entry(): string[] {
    return ["nsenter", "-t", String(this.#leader), "-a", "env", "-i", `PATH=${PATH}`, "LC_ALL=C.UTF-8"];
  }

  /** Connects it to a network of its own, in which it has the address; further ones are added. */
  async addAddress(address: string): Promise<void> {
    const inside = ["nsenter", "-t", String(this.#leader), "-n", "sh", "-c"];
    const made = await this.#execute([
      ...inside,
      `ip link show lan0 >/dev/null 2>&1 || ip link add lan0 type veth peer name lan1
      ip link set lan0 up && ip link set lan1 up && ip address add ${address}/24 dev lan0`,
    ]);
    if (made.code !== 0) throw new Error(`no address ${address}: ${made.stderr}`);
  }

  #execute([program = "", ...words]: readonly string[], input = ""): Promise<Outcome> {
    return new Promise((resolve) => {
      const child = execFile(
        program,
        words,
        { timeout: 300_000, maxBuffer: 16 * 1_048_576 },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
          resolve({ code, stdout, stderr });
        },
      );
      // A command that reads nothing may exit before its input is written.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
  }

  /** Runs a shell command that must succeed. @returns its output without the last line break */
  async ok(line: string, input = ""): Promise<string> {
    const { code, stdout, stderr } = await this.run(line, input);
    if (code !== 0) throw new Error(`${line}: ended with ${code}\n${stdout}${stderr}`);
    return stdout.trimEnd();
  }

  /** A systemd property of the service. */
  async property(name: string, unit = "santinela.service"): Promise<string> {
    return this.ok(`systemctl show --property=${name} --value ${unit}`);
  }

  write(path: string, text: string): Promise<string> {
    return this.ok(`mkdir -p "$(dirname ${path})" && cat > ${path}`, text);
  }

  /** Cuts its power. */
  async stop(): Promise<void> {
    if (this.#end !== undefined) return;
    const gone = new Promise((resolve) => this.#process.once("close", resolve));
    if (this.#leader > 0) process.kill(this.#leader, "SIGKILL");
    else this.#process.kill("SIGKILL");
    await gone;
  }
}

function leaderOf(nspawn: number): number {
  try {
    return Number(execFileSync("ps", ["-o", "pid=", "--ppid", String(nspawn)], { encoding: "utf8" }).trim());
  } catch {
    return 0;
  }
}
