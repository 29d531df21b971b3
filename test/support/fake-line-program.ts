import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";

/** What stands for Perl: the same commands and output, with levels from files. It reports each level 50 times a second. */
const PROGRAM = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, unlinkSync } = require("node:fs");
const { spawn } = require("node:child_process");
const { basename, dirname, join } = require("node:path");
const folder = dirname(process.argv[1]);
const mode = process.argv[4];
const levelOf = (line) => (existsSync(join(folder, line)) ? readFileSync(join(folder, line), "utf8") : "0");
if (mode === "chips" || mode === "list") {
  for (const path of process.argv.slice(5)) {
    const { label, lines, fault } = JSON.parse(readFileSync(join(folder, "chip-" + basename(path)), "utf8"));
    if (fault === mode || fault === "chips") {
      // A call that waits in the kernel: nothing behind it is reached.
      setInterval(() => {}, 1000);
      break;
    }
    if (fault === "EACCES") console.log("error\\t" + path + "\\tEACCES");
    else console.log("chip\\t" + path + "\\t" + label + "\\t" + lines + "\\nend\\t" + path);
  }
} else {
  appendFileSync(join(folder, "pids"), process.pid + "\\n");
  appendFileSync(join(folder, "paths"), process.argv[5] + "\\n");
  const chip = join(folder, "chip-" + basename(process.argv[5]));
  // A call that waits in the kernel: nothing is read or reported.
  if (JSON.parse(readFileSync(chip, "utf8")).fault === "watch") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (existsSync(join(folder, "lasting"))) {
    const holder = spawn("sleep", ["600"], { stdio: ["ignore", "inherit", "ignore"] });
    appendFileSync(join(folder, "holders"), holder.pid + "\\n");
  }
  const open = new Set();
  const report = () => open.forEach((line) => {
    const error = join(folder, "error-" + line);
    if (existsSync(error)) {
      console.log("error\\t" + line + "\\t" + readFileSync(error, "utf8"));
      unlinkSync(error);
      open.delete(line);
    } else console.log("level\\t" + line + "\\t" + levelOf(line));
  });
  require("node:readline").createInterface({ input: process.stdin }).on("line", (text) => {
    const [command, line, level] = text.split(" ");
    if (command === "set") console.log("set\\t" + line + "\\t" + level);
    else if (command === "close") open.delete(line);
    else open.add(line);
    if (command === "open") report();
  }).on("close", () => process.exit(0));
  setInterval(report, 20);
}
`;

interface FakeChip {
  readonly label: string;
  readonly lines: number;
  /** Hangs when it is asked for its levels (`list`), its lines are opened (`watch`) or for anything (`chips`), or cannot be opened. */
  readonly fault?: "list" | "watch" | "chips" | "EACCES";
}

/** The program that reads or drives lines, first in the path of this process: real processes, without a chip. */
export class FakeLineProgram {
  readonly #folder = mkdtempSync(join(tmpdir(), "santinela-lines-"));
  readonly #path = process.env["PATH"];

  /** Directory of device files; those that every machine has stand for chips. */
  readonly devices = join(this.#folder, "dev");

  constructor() {
    mkdirSync(this.devices);
    const file = join(this.#folder, "perl");
    writeFileSync(file, PROGRAM);
    chmodSync(file, 0o755);
    process.env["PATH"] = `${this.#folder}:${this.#path}`;
    this.plug("gpiochip0", "/dev/null", { label: "pinctrl-bcm2711", lines: 58 });
  }

  /** Adds a chip, or changes what it answers. @param device of another chip by the number of a former one */
  plug(name: string, device: string, chip: FakeChip): void {
    const path = join(this.devices, name);
    rmSync(path, { force: true });
    symlinkSync(device, path);
    writeFileSync(join(this.#folder, `chip-${name}`), JSON.stringify(chip));
  }

  /** Restores the path, and ends what is left. */
  remove(): void {
    process.env["PATH"] = this.#path;
    for (const pid of [...this.#pidsIn("pids"), ...this.#pidsIn("holders")]) this.#signal(pid, "SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  set(line: number, level: 0 | 1): void {
    writeFileSync(join(this.#folder, String(line)), String(level));
  }

  /** The kernel reports an error for a line, once. @param code as in errno(3) */
  fail(line: number, code: string): void {
    writeFileSync(join(this.#folder, `error-${line}`), code);
  }

  /** The device files that processes were started for, the newest last. */
  get paths(): readonly string[] {
    return readFileSync(join(this.#folder, "paths"), "utf8").trim().split("\n");
  }

  /** The processes that were started for lines, the newest last. */
  get pids(): readonly number[] {
    return this.#pidsIn("pids");
  }

  /** Whether a killed program lasts, for its parent, as one does that waits in the kernel: a child keeps its output open. */
  set isLasting(isLasting: boolean) {
    if (isLasting) appendFileSync(join(this.#folder, "lasting"), "");
    else rmSync(join(this.#folder, "lasting"));
  }

  kill(): void {
    this.#signal(this.pids.at(-1) ?? 0, "SIGKILL");
  }

  /** Stops the newest process, and waits until its output has arrived. */
  async hang(): Promise<void> {
    const pid = this.pids.at(-1) ?? 0;
    this.#signal(pid, "SIGSTOP");
    const isStopped = (): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    await eventually("the program to be stopped", isStopped);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  }

  #pidsIn(name: string): number[] {
    const file = join(this.#folder, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  }

  #signal(pid: number, signal: NodeJS.Signals): void {
    try {
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}
