import type { EventEmitter } from "node:events";
import type { MessagePort, Worker } from "node:worker_threads";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Remote } from "../domain/remote.ts";
import { errorOf, errorValue, type ErrorValue } from "../store/error-values.ts";

interface Call {
  readonly id: number;
  readonly component: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: ErrorValue });

/** Everything of one event loop turn, or a connection to a third thread. */
type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

type Message =
  | { readonly calls: readonly Call[]; readonly replies: readonly Reply[] }
  | { readonly port: MessagePort };

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The objects that the other side may call, by name. */
export type Components = Readonly<Record<string, object>>;

/** One end of a connection: a worker as its parent sees it, or a port. */
type ChannelEnd = MessagePort | Worker;

/**
 * Calls methods of objects in another thread, in both directions. Arguments and results are copied, so they must be plain
 * data. All calls and replies of one event loop turn are one message: under load that saves most of the cost.
 */
export class Channel {
  readonly #end: ChannelEnd;
  readonly #clock: Pick<Clock, "afterEventLoopTurn">;
  readonly #components: Components;
  readonly #onPort: (port: MessagePort) => void;
  readonly #pending = new Map<number, Pending>();
  #calls: Call[] = [];
  #replies: Reply[] = [];
  #lastId = 0;
  #closedBy: AppError | undefined;

  /**
   * @param components the other side may call their methods
   * @param onPort called with a connection to a third thread
   */
  constructor(
    end: ChannelEnd,
    clock: Pick<Clock, "afterEventLoopTurn">,
    components: Components,
    onPort: (port: MessagePort) => void = () => {},
  ) {
    this.#end = end;
    this.#clock = clock;
    this.#components = components;
    this.#onPort = onPort;
    // A worker ends with `exit`, which its supervisor handles.
    const emitter = end as EventEmitter;
    emitter.on("message", (message: Message) => this.#receive(message));
    emitter.on("close", () => this.close());
  }

  /** Passes a connection to a third thread to the other side; closes it if the other side has ended. */
  pass(port: MessagePort): void {
    if (this.#closedBy) port.close();
    else this.#end.postMessage({ port } satisfies Message, [port]);
  }

  /** Rejects the calls without an answer, and all later ones. */
  close(): void {
    this.#closedBy ??= unavailable();
    for (const { reject } of this.#pending.values()) reject(this.#closedBy);
    this.#pending.clear();
  }

  /** Calls a method of the other side. Rejects with its error, or with `unavailable` once the channel is closed. */
  call(component: string, method: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy) return reject(this.#closedBy);
      const id = (this.#lastId += 1);
      this.#pending.set(id, { resolve, reject });
      this.#requestFlush();
      this.#calls.push({ id, component, method, args });
    });
  }

  #receive(message: Message): void {
    if ("port" in message) return this.#onPort(message.port);
    const { calls, replies } = message;
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ("error" in reply) pending?.reject(errorOf(reply.error));
      else pending?.resolve(reply.value);
    }
    for (const call of calls) void this.#answer(call);
  }

  async #answer({ id, component, method, args }: Call): Promise<void> {
    let reply: Reply;
    try {
      const target = this.#components[component] as Methods | undefined;
      // Its start has failed, or has not come so far.
      if (!target) throw unavailable();
      reply = { id, value: await target[method]?.(...args) };
    } catch (error) {
      reply = { id, error: errorValue(error) };
    }
    this.#requestFlush();
    this.#replies.push(reply);
  }

  #requestFlush(): void {
    if (this.#calls.length + this.#replies.length === 0) this.#clock.afterEventLoopTurn(() => this.#flush());
  }

  #flush(): void {
    const calls = this.#calls;
    const replies = this.#replies;
    this.#calls = [];
    this.#replies = [];
    if (this.#closedBy) return;
    try {
      this.#post({ calls, replies });
    } catch {
      // One of them cannot be copied; the others must not fail with it, nor the thread.
      for (const call of calls) this.#postAlone(call);
      for (const reply of replies) this.#replyAlone(reply);
    }
  }

  #post(message: Message): void {
    this.#end.postMessage(message, []);
  }

  #postAlone(call: Call): void {
    try {
      this.#post({ calls: [call], replies: [] });
    } catch (error) {
      this.#pending.get(call.id)?.reject(notCopied(error));
      this.#pending.delete(call.id);
    }
  }

  #replyAlone(reply: Reply): void {
    try {
      this.#post({ calls: [], replies: [reply] });
    } catch (error) {
      this.#post({ calls: [], replies: [{ id: reply.id, error: errorValue(notCopied(error)) }] });
    }
  }
}

function notCopied(cause: unknown): Error {
  return new Error("a value cannot be copied to another thread", { cause });
}

/** The current channel to a thread that may be started again. */
export class Connection {
  #channel: Channel | undefined;

  /** Uses another channel from now on. Calls over the one before get no further answer, so they are rejected. */
  use(channel: Channel): void {
    this.#channel?.close();
    this.#channel = channel;
  }

  /** A component of the other side, over whatever channel there is at each call. */
  remote<T extends object>(component: string): Remote<T> {
    const call = async (method: string, args: unknown[]): Promise<unknown> => {
      if (!this.#channel) throw unavailable();
      return this.#channel.call(component, method, args);
    };
    return new Proxy({} as Remote<T>, {
      // Not `then`: the object itself is no promise.
      get: (_target, method) =>
        method === "then" ? undefined : (...args: unknown[]) => call(String(method), args),
    });
  }
}

/** The error of calls to a thread that does not run. */
export function unavailable(): AppError {
  return new AppError("unavailable", "a part of the daemon is restarting; try again shortly", {
    retryAfterS: 1,
  });
}
