import { LevelLog, type LogFields, type LogLevel } from "../domain/log.ts";
import { errorsAsText } from "../ops/log.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The lowest level that is written, in memory that all threads share. */
export class SharedLogLevel {
  readonly #index: Int32Array;

  /** @param memory of another thread's; by default new, at `debug` */
  constructor(memory = new SharedArrayBuffer(4)) {
    this.#index = new Int32Array(memory);
  }

  get memory(): SharedArrayBuffer {
    return this.#index.buffer as SharedArrayBuffer;
  }

  set(level: LogLevel): void {
    Atomics.store(this.#index, 0, LEVELS.indexOf(level));
  }

  includes(level: LogLevel): boolean {
    return LEVELS.indexOf(level) >= Atomics.load(this.#index, 0);
  }
}

/** The log of a thread: the main thread writes its lines, so that there is one log. */
export class ThreadLog extends LevelLog {
  readonly #level: SharedLogLevel;
  readonly #send: (level: LogLevel, event: string, fields: LogFields) => void;

  constructor(level: SharedLogLevel, send: (level: LogLevel, event: string, fields: LogFields) => void) {
    super();
    this.#level = level;
    this.#send = send;
  }

  protected override write(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (!this.#level.includes(level)) return;
    // As the line will have them: what cannot be copied to another thread would end this one.
    this.#send(level, event, JSON.parse(JSON.stringify(fields, errorsAsText)) as LogFields);
  }
}
