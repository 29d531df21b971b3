import type { ThreadUse } from "./ops/thread-use.ts";
import type { BrokerObserver, BrokerStarted, BrokerThreadData } from "./broker-thread.ts";
import type { Remote } from "./domain/remote.ts";
import type { Broker, BrokerUse } from "./inputs/broker.ts";
import type { BuiltInBroker, BuiltInBrokerOptions } from "./inputs/built-in-broker.ts";
import { BufferCollection } from "./ops/buffer-collection.ts";
import { SupervisedThread } from "./threads/supervised-thread.ts";
import type { SharedLogLevel } from "./threads/thread-log.ts";

/** It reads no database, so that a start that takes longer does not end. */
const START_MS_MAX = 20_000;

/** The built-in broker in a thread of its own: a flood, a defect or a full heap in it does not delay a line. */
export class ThreadedBroker implements Broker {
  use: BrokerUse = { limits: [], heldBytes: 0 };
  onRestarted = (): void => {};
  readonly #options: BuiltInBrokerOptions;
  readonly #thread: SupervisedThread<BrokerStarted>;
  readonly #broker: Remote<BuiltInBroker>;
  /** Of this thread, which gets a copy of each message. */
  readonly #buffers = new BufferCollection({ hasOldBuffers: false });
  /** After the first start the port that the system has chosen: the clients know it. */
  #port: number;

  constructor(
    options: BuiltInBrokerOptions,
    { logLevel, failpoint }: { readonly logLevel: SharedLogLevel; readonly failpoint: string | undefined },
  ) {
    const { host, port, accounts = [], clock, log, conditions } = options;
    this.#options = options;
    this.#port = port;
    this.#thread = new SupervisedThread({
      clock,
      log,
      conditions,
      // While it does not run, no sensor is read: the broker clears the condition once it listens.
      onFailed: () =>
        conditions.raise("mqtt-broker-not-listening", "the built-in broker has failed and is started again"),
      name: "broker",
      startMsMax: START_MS_MAX,
      entry: new URL("broker-thread.js", import.meta.url),
      data: (): BrokerThreadData => ({
        host,
        port: this.#port,
        accounts,
        failpoint,
        logLevel: logLevel.memory,
      }),
      components: { observer: this.#observer() },
    });
    this.#broker = this.#thread.remote("broker");
  }

  /** As that of its thread. */
  takeUse(): ThreadUse | undefined {
    return this.#thread.takeUse();
  }

  get port(): number | undefined {
    return this.#port === 0 ? undefined : this.#port;
  }

  /** The daemon runs without a broker whose thread cannot be started: it monitors the lines, and starts the thread again. */
  async start(): Promise<void> {
    const started = await this.#thread.startOrRetry((later) => {
      this.#started(later);
      this.onRestarted();
    });
    if (started) this.#started(started);
  }

  async stop(): Promise<void> {
    await this.#thread.stop();
  }

  #started({ port }: BrokerStarted): void {
    this.#port = port ?? this.#port;
  }

  async listen(topics: readonly string[]): Promise<void> {
    // Without a zone there is nothing to read, and with a failed thread nothing is left to read.
    if (topics.length > 0)
      await this.#broker
        .listen(topics)
        .catch((error: unknown) => this.#options.log.warn("mqtt-retained-read-failed", { error }));
  }

  async leave(): Promise<void> {
    return Promise.resolve();
  }

  publish(topic: string, payload: string): Promise<void> {
    return this.#broker.publish(topic, payload);
  }

  #observer(): BrokerObserver {
    const { zones, record } = this.#options;
    return {
      deliver: (message) => {
        this.#buffers.read(message.payload.byteLength);
        return zones.deliver(message);
      },
      connected: (session, resumes) => zones.deduplication.connected(session, resumes),
      active: (session) => zones.deduplication.onActivity(session),
      denied: (topic, reason, sizeBytes) => void zones.counts.note(topic, reason, sizeBytes),
      record,
      used: (use) => {
        this.use = use;
      },
    };
  }
}
