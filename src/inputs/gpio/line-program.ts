import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import type { CancelTimer, Clock } from "../../domain/clock.ts";
import { CHARACTER_DEVICE_PERL } from "../../generated/character-device.ts";

/** The end of the program. */
export interface ProgramEnd {
  readonly reason: string;
  readonly remedy: string;
  /** Since when it has not read the lines, monotonic. */
  readonly sinceMs: number;
  /** Whether it still runs, because even SIGKILL had no effect: the kernel keeps its lines. */
  readonly isStuck: boolean;
}

interface LineProgramOptions {
  /** Device file of the chip. */
  readonly path: string;
  /** Label of the chip: another chip that has got its file is not read. */
  readonly label: string;
  readonly clock: Clock;
  /** Whether it has lines, and must report them every ten seconds. */
  readonly hasLines: () => boolean;
  /** Called with each line of its output. */
  readonly onOutput: (text: string) => void;
  /** Called once, if it was not closed. */
  readonly onEnd: (end: ProgramEnd) => void;
}

const CHECK_INTERVAL_MS = 5_000;
/**
 * Checks without any output after which it hangs: 35 s, three of its reports. They are counted, because time also passes while
 * the daemon is stopped or busy: its timers then run before it takes the output that has arrived.
 */
const SILENT_CHECKS_MAX = 7;
/** A program that has been closed ends at once, unless it hangs. */
const CLOSE_MS_MAX = 2_000;

const STUCK = "the process that reads it does not respond and cannot be ended";
const CHECK_BUS = "Check its supply and the wires of its bus.";

/**
 * Programs that SIGKILL has not ended, because they wait in the kernel, by device. Of the process: a later run of the daemon
 * must not add another one.
 */
const STUCK_AT = new Map<string, ChildProcessWithoutNullStreams>();

/** Why no program can read a chip now; undefined if one can. @param path device file of the chip */
export function stuckAt(path: string): Pick<ProgramEnd, "reason" | "remedy"> | undefined {
  const device = deviceOf(path);
  const program = STUCK_AT.get(device);
  if (program === undefined) return undefined;
  if (!hasExited(program)) return { reason: STUCK, remedy: CHECK_BUS };
  STUCK_AT.delete(device);
  return undefined;
}

/** Notes a program of a chip that was killed because it hung: no other one is started before it has ended. */
export function noteKilled(path: string, program: ChildProcessWithoutNullStreams): void {
  STUCK_AT.set(deviceOf(path), program);
  program.unref();
  for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy();
}

/** A chip that was plugged in again has another file, also under the same name. */
function deviceOf(path: string): string {
  try {
    return `${path} ${statSync(path).ino}`;
  } catch {
    return path;
  }
}

function hasExited({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}

/** The Perl program that reads the lines of a chip; it is ended if it hangs, as at a bus that does not answer. */
export class LineProgram {
  readonly #options: LineProgramOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  #cancel: CancelTimer = () => {};
  /** Checks since its last output. */
  #silentChecks = 0;
  /** Monotonic time of its last output. */
  #reportedMs: number;
  #isKilled = false;
  #isEnded = false;

  constructor(options: LineProgramOptions) {
    this.#options = options;
    this.#reportedMs = options.clock.monotonicMs();
    const program = spawn("perl", ["-e", CHARACTER_DEVICE_PERL, "watch", options.path, options.label]);
    createInterface({ input: program.stdout }).on("line", (text) => this.#receive(text));
    // A command that the ended process did not read is repeated: the next check reopens each line.
    program.stdin.on("error", () => {});
    program.on("error", () => this.#onExit());
    // After its last output: an old level must not follow a new one.
    program.on("close", () => this.#onExit());
    this.#child = program;
    this.#arm();
  }

  send(command: string): void {
    this.#child.stdin.write(`${command}\n`);
  }

  /** Ends it, by force after two seconds; `onEnd` is not called. It never keeps this process from ending. */
  close(): void {
    this.#isEnded = true;
    this.#cancel();
    this.#child.stdin.end();
    this.#cancel = this.#options.clock.after(CLOSE_MS_MAX, () => {
      if (hasExited(this.#child)) return;
      this.#child.kill("SIGKILL");
      noteKilled(this.#options.path, this.#child);
    });
  }

  #receive(text: string): void {
    this.#silentChecks = 0;
    this.#reportedMs = this.#options.clock.monotonicMs();
    if (!this.#isEnded) this.#options.onOutput(text);
  }

  #arm(): void {
    this.#cancel = this.#options.clock.after(CHECK_INTERVAL_MS, () => this.#check());
  }

  #check(): void {
    const { hasLines, clock } = this.#options;
    if (this.#isKilled) {
      noteKilled(this.#options.path, this.#child);
      return this.#end({ reason: STUCK, remedy: CHECK_BUS, sinceMs: this.#reportedMs, isStuck: true });
    }
    this.#arm();
    this.#silentChecks += 1;
    if (!hasLines()) {
      this.#silentChecks = 0;
      this.#reportedMs = clock.monotonicMs();
    }
    if (this.#silentChecks < SILENT_CHECKS_MAX) return;
    this.#isKilled = true;
    this.#child.kill("SIGKILL");
  }

  #onExit(): void {
    if (this.#isEnded) return this.#cancel();
    const common = { isStuck: false, remedy: CHECK_BUS };
    if (this.#isKilled)
      this.#end({
        ...common,
        reason: "the process that reads it did not respond",
        sinceMs: this.#reportedMs,
      });
    else
      this.#end({
        ...common,
        reason: "the process that reads it has exited",
        remedy: "Check that Perl works (perl -v) and that memory is free.",
        sinceMs: this.#options.clock.monotonicMs(),
      });
  }

  #end(end: ProgramEnd): void {
    this.#isEnded = true;
    this.#cancel();
    this.#options.onEnd(end);
  }
}
