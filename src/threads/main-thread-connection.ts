import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import type { Clock } from "../domain/clock.ts";
import type { ConditionCode, ConditionDetail, Conditions } from "../domain/condition.ts";
import type { Log, LogFields, LogLevel } from "../domain/log.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { Channel, Connection } from "./channel.ts";
import { SharedLogLevel, ThreadLog } from "./thread-log.ts";

/** Sends a message without waiting: if it does not arrive, the main thread has ended, and with it this one. */
export function send(sent: Promise<void>): void {
  sent.catch(() => "so will this one");
}

/** Every thread's `workerData`. */
export interface ThreadData {
  /** Memory of the shared log level. */
  readonly logLevel: SharedArrayBuffer;
}

/** The component `main` of the main thread. */
export interface MainThread {
  log(level: LogLevel, event: string, fields: LogFields): void;
  raise<Code extends ConditionCode>(code: Code, detail: ConditionDetail<Code>, subject?: string): void;
  clear(code: ConditionCode, subject?: string): void;
}

/** What a thread has of the process that it runs in. */
interface ThreadSide<Data> {
  readonly data: Data;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly main: Connection;
}

/**
 * Connects the calling thread with the main thread. Log lines and conditions are sent without waiting.
 * @param components that the main thread may call; more may be added until it calls them
 * @param onPort called with a connection to a third thread
 */
export function connectToMainThread<Data extends ThreadData>(
  components: Record<string, object>,
  onPort: (port: MessagePort, clock: Clock) => void,
): ThreadSide<Data> {
  if (!parentPort) throw new Error("this module runs only as a thread of the daemon");
  const clock = new SystemClock();
  const data = workerData as Data;
  const main = new Connection();
  main.use(new Channel(parentPort, clock, components, (port) => onPort(port, clock)));
  const remote = main.remote<MainThread>("main");
  return {
    data,
    clock,
    main,
    log: new ThreadLog(new SharedLogLevel(data.logLevel), (level, event, fields) =>
      send(remote.log(level, event, fields)),
    ),
    conditions: {
      raise: (code, detail, subject) => send(remote.raise(code, detail, subject)),
      clear: (code, subject) => send(remote.clear(code, subject)),
    },
  };
}

/** What a thread calls in the main thread, over its log and conditions. */
export function mainThreadOf({
  log,
  conditions,
}: {
  readonly log: Log;
  readonly conditions: Conditions;
}): MainThread {
  return {
    log: (level, event, fields) => log[level](event, fields),
    raise: (code, detail, subject) => conditions.raise(code, detail, subject),
    clear: (code, subject) => conditions.clear(code, subject),
  };
}
