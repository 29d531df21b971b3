import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";

const KERNEL = process.env["TEST_VM_KERNEL"] ?? "";
const DISK = process.env["TEST_VM_DISK"] ?? "";

/** A start takes 15 s by itself and minutes beside other work on two cores. */
const BOOT_LIMIT_MS = 600_000;
/** A hardware-supported start is at its kernel by then; where /dev/kvm is there and hangs, it never is. */
const PROBE_LIMIT_MS = 20_000;
/** The service's start alone takes a minute on a machine with ten times its work. */
const RUN_LIMIT_MS = 300_000;
/** Until the guest opens its serial line nothing keeps what is written to it, so the greeting is repeated. */
const GREETING_INTERVAL_MS = 4000;

/**
 * A computer with Debian, the installed package and 54 simulated GPIO lines, driven through a shell on its second serial
 * line. What it cannot show: a Raspberry Pi's own chip, and a disk that lies about what it has written.
 */
export class Machine {
  readonly #folder = mkdtempSync(join(tmpdir(), "santinela-machine-"));
  readonly #qemu: ChildProcess;
  /** How QEMU has ended. */
  #end: string | undefined;
  /** What the kernel and systemd print. */
  #console = "";
  #shell: Socket | undefined;
  #heard = "";
  #commands = 0;

  private constructor(accelerator: string, disk: string) {
    this.#qemu = spawn(
      "qemu-system-x86_64",
      [
        // One processor: an emulator's second one only waits for the first one's locks.
        ...`-M q35,accel=${accelerator} -cpu ${accelerator === "kvm" ? "host" : "max"} -m 640 -smp 1`.split(
          " ",
        ),
        "-nodefaults",
        "-no-reboot",
        "-display",
        "none",
        "-serial",
        "stdio",
        "-serial",
        `unix:${this.#socket},server=on,wait=off`,
        "-kernel",
        join(KERNEL, "vmlinuz"),
        "-initrd",
        join(KERNEL, "initrd"),
        "-append",
        "console=ttyS0 loglevel=4 panic=-1 mitigations=off nokaslr audit=0 random.trust_cpu=on",
        "-drive",
        disk,
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    this.#qemu.once("error", (error) => (this.#end = `with ${error.message}`));
    this.#qemu.once(
      "exit",
      (code, signal) => (this.#end = signal === null ? `with ${code}` : `by ${signal}`),
    );
    this.#qemu.stdout?.on("data", (chunk: Buffer) => (this.#console += chunk.toString()));
    this.#qemu.stderr?.on("data", (chunk: Buffer) => (this.#console += chunk.toString()));
  }

  /** Boots from the disk under test and forgets every change to it at the end. */
  static boot(): Promise<Machine> {
    return Machine.#boot(`file=${DISK},if=virtio,format=raw,snapshot=on`);
  }

  /** Boots from a disk that keeps what was flushed to it. */
  static bootFrom(disk: string): Promise<Machine> {
    return Machine.#boot(`file=${disk},if=virtio,format=raw`);
  }

  static async #boot(disk: string): Promise<Machine> {
    const machine = await Machine.#started(disk);
    try {
      machine.#shell = await machine.#connected();
      await machine.#greeted();
      const state = await machine.run("systemctl is-system-running --wait || true", BOOT_LIMIT_MS);
      if (!/running|degraded/.test(state)) throw new Error(`systemd is ${state}`);
    } catch (error) {
      await machine.cutPower();
      throw new Error(`the machine did not start: ${String(error)}`, { cause: error });
    }
    return machine;
  }

  /** With the hardware's help where that boots, which the presence of /dev/kvm does not say. */
  static async #started(disk: string): Promise<Machine> {
    if (accelerator === "kvm" || accelerator === undefined) {
      const machine = new Machine("kvm", disk);
      const isBooting = (): boolean => /systemd\[1\]|Welcome to/.test(machine.#console);
      await machine.#shows("a sign of the kernel", isBooting, PROBE_LIMIT_MS).catch(() => {});
      if (isBooting()) {
        accelerator = "kvm";
        return machine;
      }
      await machine.cutPower();
      accelerator = "tcg";
    }
    return new Machine("tcg", disk);
  }

  get #socket(): string {
    return join(this.#folder, "shell.sock");
  }

  /**
   * Waits for what the machine shows.
   * @throws Error with the console's last lines when it has not come in time, or at once when QEMU has ended
   */
  async #shows<T>(what: string, look: () => T | undefined | false, limitMs: number): Promise<T> {
    const consoleEnd = (): string => `the console's last lines:\n${this.#console.slice(-2000)}`;
    const { seen } = await eventually(
      what,
      () => {
        const seen = look();
        if (seen !== undefined && seen !== false) return { seen };
        return this.#end !== undefined && { seen: undefined };
      },
      limitMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; ${consoleEnd()}`);
    });
    if (seen === undefined) throw new Error(`QEMU has ended ${this.#end} before ${what}; ${consoleEnd()}`);
    return seen;
  }

  async #connected(): Promise<Socket> {
    await this.#shows("the serial line", () => existsSync(this.#socket), BOOT_LIMIT_MS);
    const socket = createConnection(this.#socket);
    socket.on("data", (chunk) => (this.#heard += chunk.toString()));
    // QEMU's end breaks the line; the machine's own end is what is reported.
    socket.on("error", () => {});
    return socket;
  }

  /** Waits for the shell. The greeting's own words stand nowhere in the line, so that its echo is no answer. */
  async #greeted(): Promise<void> {
    const greet = (): unknown => this.#shell?.write("\nprintf 'shell %s\\n' listens\n");
    const greeting = setInterval(greet, GREETING_INTERVAL_MS);
    try {
      await this.#shows("the shell's greeting", () => this.#heard.includes("shell listens"), BOOT_LIMIT_MS);
    } finally {
      clearInterval(greeting);
    }
  }

  /**
   * Runs a shell line as root.
   * @returns what it printed on both streams, without the last line's end
   * @throws Error with what it printed when it fails
   */
  async run(line: string, limitMs = RUN_LIMIT_MS): Promise<string> {
    const name = `end-${(this.#commands += 1)}`;
    // Packed, so that no character of it means anything to the serial line; the words of the end stand nowhere in it.
    const packed = Buffer.from(line).toString("base64");
    const begin = `begin-${this.#commands}`;
    this.#shell?.write(
      `printf '%s\\n' begin-"${this.#commands}"; echo ${packed} | base64 -d | sh 2>&1; printf '\\n%s %s\\n' end-"${this.#commands}" $?\n`,
    );
    const end = new RegExp(`${begin}\\r?\\n([^]*?)\\r?\\n${name} (\\d+)`);
    const match = await this.#shows(`the end of: ${line}`, () => end.exec(this.#heard) ?? undefined, limitMs);
    const [, text = "", code] = match;
    const output = text.replaceAll("\r", "").trimEnd();
    if (code !== "0") throw new Error(`${line}: ended with ${code}\n${output}`);
    return output;
  }

  write(path: string, text: string): Promise<string> {
    const packed = Buffer.from(text).toString("base64");
    return this.run(`mkdir -p "$(dirname ${path})" && echo ${packed} | base64 -d > ${path}`);
  }

  /** The number of QEMU's process. */
  get pid(): number {
    return this.#qemu.pid ?? 0;
  }

  /** Everything that came over the shell's line. */
  get heard(): string {
    return this.#heard;
  }

  /** Ends it at once, with everything that was only in its memory. */
  async cutPower(): Promise<void> {
    this.#shell?.destroy();
    if (this.#end === undefined) {
      const gone = new Promise((resolve) => this.#qemu.once("exit", resolve));
      this.#qemu.kill("SIGKILL");
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Found by the first machine of a run. */
let accelerator: "kvm" | "tcg" | undefined;
