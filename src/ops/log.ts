import type { Log, LogFields, LogLevel } from "../domain/log.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
/** Syslog's numbers, which journald reads from the start of a line. */
const SYSLOG: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Takes one finished line with its newline. */
  readonly write: (line: string) => void;
  /** Lines start with `<n>` for journald, which stamps them itself. */
  readonly forJournald?: boolean;
}

/** One JSON line an event on the given stream. */
export class JsonLog implements Log {
  readonly #options: LogOptions;
  #configured: LogLevel;
  #least: LogLevel;
  #cancelReturn: CancelTimer = () => {};

  constructor(options: LogOptions) {
    this.#options = options;
    this.#configured = options.level;
    this.#least = options.level;
  }

  /** The configuration asks for another level; `tellAll` goes on until its end. */
  useLevel(level: LogLevel): void {
    if (this.#least === this.#configured) this.#least = level;
    this.#configured = level;
  }

  /** Writes everything down for a while, then what the configuration asks for again. @param forMs how long, milliseconds */
  enableDebug(forMs: number): void {
    this.#least = "debug";
    this.#cancelReturn();
    this.#cancelReturn = this.#options.clock.after(forMs, () => this.restoreLevel());
  }

  /** Ends that while. */
  restoreLevel(): void {
    this.#cancelReturn();
    this.#least = this.#configured;
  }

  debug(event: string, fields?: LogFields): void {
    this.#write("debug", event, fields);
  }

  info(event: string, fields?: LogFields): void {
    this.#write("info", event, fields);
  }

  warn(event: string, fields?: LogFields): void {
    this.#write("warn", event, fields);
  }

  error(event: string, fields?: LogFields): void {
    this.#write("error", event, fields);
  }

  #write(level: LogLevel, event: string, fields: LogFields = {}): void {
    const { clock, write, forJournald } = this.#options;
    if (SEVERITY[level] < SEVERITY[this.#least]) return;
    const time = new Date(clock.wallMs()).toISOString();
    // JSON escapes line ends, so no field can forge a second line.
    // The name of an event is what people search for, so no field can take its place.
    const head: LogFields = { time, level, event };
    const line = JSON.stringify({ ...head, ...fields, ...head }, errorsAsText);
    write(`${forJournald ? `<${SYSLOG[level]}>` : ""}${line}\n`);
  }
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}
