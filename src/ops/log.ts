import { LevelLog, type LogFields, type LogLevel } from "../domain/log.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";

/** Syslog priorities, the most severe the lowest; journald reads them from the start of a line. */
const SYSLOG: Readonly<Record<LogLevel, number>> = { debug: 7, info: 6, warn: 4, error: 3 };

interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Writes one complete line with its newline. */
  readonly write: (line: string) => void;
  /** Prefix lines with `<n>` for journald, which adds its own timestamp. */
  readonly forJournald?: boolean;
  /** Called with the lowest level that is written, at the start and at each change. */
  readonly onLevel?: (level: LogLevel) => void;
}

/** Writes one JSON line per event. */
export class JsonLog extends LevelLog {
  readonly #options: LogOptions;
  #configured: LogLevel;
  #threshold: LogLevel;
  #cancelReturn: CancelTimer = () => {};

  constructor(options: LogOptions) {
    super();
    this.#options = options;
    this.#configured = options.level;
    this.#threshold = options.level;
    options.onLevel?.(options.level);
  }

  /** Sets the configured level; a debug period continues to its end. */
  useLevel(level: LogLevel): void {
    if (this.#threshold === this.#configured) this.#setThreshold(level);
    this.#configured = level;
  }

  /**
   * Logs at debug level for a while, then at the configured level again.
   * @param forMs duration in milliseconds
   */
  enableDebug(forMs: number): void {
    this.#setThreshold("debug");
    this.#cancelReturn();
    this.#cancelReturn = this.#options.clock.after(forMs, () => this.restoreLevel());
  }

  /** Ends the debug period. */
  restoreLevel(): void {
    this.#cancelReturn();
    this.#setThreshold(this.#configured);
  }

  #setThreshold(level: LogLevel): void {
    this.#threshold = level;
    this.#options.onLevel?.(level);
  }

  protected override write(level: LogLevel, event: string, fields: LogFields = {}): void {
    const { clock, write, forJournald } = this.#options;
    if (SYSLOG[level] > SYSLOG[this.#threshold]) return;
    const time = new Date(clock.wallMs()).toISOString();
    // JSON escapes line breaks, so a field cannot forge a second line. Time, level and event are set last, so a
    // field cannot replace them.
    const head: LogFields = { time, level, event };
    const line = JSON.stringify({ ...head, ...fields, ...head }, errorsAsText);
    write(`${forJournald ? `<${SYSLOG[level]}>` : ""}${line}\n`);
  }
}

/** Replacer of `JSON.stringify`: an error as its stack. */
export function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? (value.stack ?? value.message) : value;
}
