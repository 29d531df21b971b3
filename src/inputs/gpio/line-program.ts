import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import type { CancelTimer, Clock } from "../../domain/clock.ts";
import { CHARACTER_DEVICE_PERL } from "../../generated/character-device.ts";

/** The end of the program. */
export interface ProgramEnd {
  readonly reason: string;
  /** Since when it has not read the lines, monotonic. */
  readonly sinceMs: number;
  /** Whether it still runs, because even SIGKILL had no effect: the kernel keeps its lines. */
  readonly isStuck: boolean;
}

interface LineProgramOptions {
  /** Device file of the chip. */
  readonly path: string;
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
    const program = spawn("perl", ["-e", CHARACTER_DEVICE_PERL, "watch", options.path]);
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

  /** Ends it; `onEnd` is not called. */
  close(): void {
    this.#isEnded = true;
    this.#cancel();
    this.#child.stdin.end();
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
    if (this.#isKilled)
      return this.#end(
        "the process that reads it does not respond and cannot be ended",
        this.#reportedMs,
        true,
      );
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
    const { clock } = this.#options;
    if (this.#isKilled) this.#end("the process that reads it did not respond", this.#reportedMs, false);
    else this.#end("the process that reads it has exited", clock.monotonicMs(), false);
  }

  #end(reason: string, sinceMs: number, isStuck: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#cancel();
    this.#options.onEnd({ reason, sinceMs, isStuck });
  }
}
