import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";

const KERNEL = process.env["TEST_VM_KERNEL"] ?? "";
const DISK = process.env["TEST_VM_DISK"] ?? "";

/** A start takes 15 s alone and minutes under load on two cores. */
const BOOT_LIMIT_MS = 600_000;
/** A start with hardware virtualisation has reached its kernel by then; one with a hanging /dev/kvm never does. */
const PROBE_LIMIT_MS = 20_000;
/** Inside some virtual machines KVM accepts a guest and then cannot run its instructions. QEMU keeps waiting then. */
const KVM_FAILURE = /emulation failure|KVM internal error|failed to initialize kvm/i;
/** The start of the service alone takes a minute on a machine under heavy load. */
const RUN_LIMIT_MS = 300_000;
/** Data is lost until the guest opens its serial line, so the greeting is repeated. */
const GREETING_INTERVAL_MS = 4000;

/**
 * no_timer_check: the kernel's check counts ticks, and panics when a busy host delays them. Collecting huge pages took a third of
 * the emulated processor after the start.
 */
const KERNEL_PARAMETERS =
  "console=ttyS0 loglevel=4 panic=-1 mitigations=off nokaslr audit=0 no_timer_check transparent_hugepage=never random.trust_cpu=on";

interface MachineOptions {
  /** Further parameters of the kernel. */
  readonly kernel?: string;
  /** Further parameters of QEMU. */
  readonly hardware?: readonly string[];
  /**
   * Has a hardware watchdog, and starts again after a reset. Without hardware virtualisation its time follows its instructions:
   * otherwise a busy host would make it look like one that hangs.
   */
  readonly watchdog?: boolean;
}

/**
 * A virtual machine with Debian, the installed package and 54 simulated GPIO lines, driven through a shell on
 * its second serial line. It does not cover the chip of a Raspberry Pi, and disks that report false writes.
 */
export class Machine {
  readonly #folder = mkdtempSync(join(tmpdir(), "santinela-machine-"));
  readonly #qemu: ChildProcess;
  /** Exit of QEMU. */
  #end: string | undefined;
  /** Output of the kernel and systemd. */
  #console = "";
  #shell: Socket | undefined;
  #heard = "";
  #commands = 0;

  /** Where the output since the last start begins. */
  #consoleFrom = 0;
  #heardFrom = 0;

  private constructor(accelerator: string, disk: string, { watchdog, kernel, hardware }: MachineOptions) {
    this.#qemu = spawn(
      "qemu-system-x86_64",
      [
        // One processor: a second emulated one only waits for locks.
        ...`-M q35,accel=${accelerator} -cpu ${accelerator === "kvm" ? "host" : "max"} -m 640 -smp 1`.split(
          " ",
        ),
        "-nodefaults",
        ...(watchdog === true ? ["-device", "i6300esb", "-action", "watchdog=reset"] : ["-no-reboot"]),
        ...(watchdog === true && accelerator === "tcg" ? ["-icount", "shift=1"] : []),
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
        `${KERNEL_PARAMETERS} ${kernel ?? ""}`,
        ...(hardware ?? []),
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

  /** Boots from the disk under test and discards all changes. */
  static boot(): Promise<Machine> {
    return Machine.#boot(`file=${DISK},if=virtio,format=raw,snapshot=on`);
  }

  /** Boots from a disk that keeps flushed data. */
  static bootFrom(disk: string, options?: MachineOptions): Promise<Machine> {
    return Machine.#boot(`file=${disk},if=virtio,format=raw`, options);
  }

  static async #boot(disk: string, options: MachineOptions = {}): Promise<Machine> {
    const machine = await Machine.#started(disk, options);
    try {
      machine.#shell = await machine.#connected();
      await machine.#hasStarted();
    } catch (error) {
      await machine.cutPower();
      throw new Error(`the machine did not start: ${String(error)}`, { cause: error });
    }
    return machine;
  }

  /** With hardware virtualisation where it works; /dev/kvm alone does not show this. */
  static async #started(disk: string, options: MachineOptions): Promise<Machine> {
    if (accelerator === "kvm" || accelerator === undefined) {
      const machine = new Machine("kvm", disk, options);
      const isBooting = (): boolean => /systemd\[1\]|Welcome to/.test(machine.#console);
      const isDecided = (): boolean => isBooting() || KVM_FAILURE.test(machine.#console);
      await machine.#shows("a sign of the kernel", isDecided, PROBE_LIMIT_MS).catch(() => {});
      if (isBooting()) {
        accelerator = "kvm";
        return machine;
      }
      await machine.cutPower();
      accelerator = "tcg";
    }
    return new Machine("tcg", disk, options);
  }

  get #socket(): string {
    return join(this.#folder, "shell.sock");
  }

  /**
   * Waits for console output.
   * @throws Error with the last console lines at the time-out, or at once when QEMU has exited
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
    // The exit of QEMU closes the line; the exit is reported.
    socket.on("error", () => {});
    return socket;
  }

  /** Waits until systemd has started everything. */
  async #hasStarted(): Promise<void> {
    await this.#greeted();
    const state = await this.run("systemctl is-system-running --wait || true", BOOT_LIMIT_MS);
    if (!/running|degraded/.test(state)) throw new Error(`systemd is ${state}`);
  }

  /** Does what makes a machine with a watchdog hang, and waits for its next start. */
  async reset(hang: string): Promise<void> {
    [this.#consoleFrom, this.#heardFrom] = [this.#console.length, this.#heard.length];
    this.#shell?.write(`${hang}\n`);
    await this.#shows(
      "the next start",
      () => this.#console.slice(this.#consoleFrom).includes("Welcome to"),
      BOOT_LIMIT_MS,
    );
    await this.#hasStarted();
  }

  /** Makes the kernel panic, and waits for the end of QEMU. A kernel that panics writes nothing more to the disk. */
  async panics(): Promise<void> {
    this.#shell?.write("echo c > /proc/sysrq-trigger\n");
    const isOver = (): boolean => this.#end !== undefined && this.#console.includes("Kernel panic");
    await this.#shows("the panic", isOver, RUN_LIMIT_MS);
  }

  /** Waits for the shell. The command does not contain the greeting literally, so that its echo does not match. */
  async #greeted(): Promise<void> {
    const greet = (): unknown => this.#shell?.write("\nprintf 'shell %s\\n' listens\n");
    const greeting = setInterval(greet, GREETING_INTERVAL_MS);
    try {
      await this.#shows(
        "the shell's greeting",
        () => this.#heard.slice(this.#heardFrom).includes("shell listens"),
        BOOT_LIMIT_MS,
      );
    } finally {
      clearInterval(greeting);
    }
  }

  /**
   * Runs a shell command as root.
   * @returns its output on both streams, without the last line break
   * @throws Error with its output when it fails
   */
  async run(line: string, limitMs = RUN_LIMIT_MS): Promise<string> {
    const name = `end-${(this.#commands += 1)}`;
    // Encoded, so that no character is special to the serial line; it does not contain the end marker
    // literally.
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

  /** Process id of QEMU. */
  get pid(): number {
    return this.#qemu.pid ?? 0;
  }

  /** All data received from the shell. */
  get heard(): string {
    return this.#heard;
  }

  /** Kills it at once, with the loss of its memory. */
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

/** Determined by the first machine of a run. */
let accelerator: "kvm" | "tcg" | undefined;
