import type { MqttClient } from "mqtt";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { isDeviceList } from "../domain/device-list.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { OptionalSubscription } from "./optional-subscription.ts";

/** The filters that the session may have at the broker, for the next start. */
export interface FilterStore {
  list(): readonly string[];
  /** @throws the error of the file system */
  save(filters: readonly string[]): void;
}

interface BrokerSubscriptionsOptions {
  /** Without one, only filters of this run are unsubscribed. */
  readonly filterStore?: FilterStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Return codes from this one on deny a subscription (MQTT 3.1.1, 3.9.3). */
const SUBACK_FAILURE = 0x80;
/** A broker that has not responded by then is probably offline; the next connection subscribes again. */
const RESPONSE_TIMEOUT_MS = 5_000;
/** Maximum in the window; two daemons with one client id reach it in half a minute. */
const TAKEOVERS_MAX = 5;
const WINDOW_MS = 60_000;

/** The subscriptions of the session at a broker, and those that the broker denies. */
export class BrokerSubscriptions {
  readonly #options: BrokerSubscriptionsOptions;
  readonly #denied = new Set<string>();
  /** Device lists, which only explain why a zone is silent. */
  readonly #lists: OptionalSubscription;
  /** Filters that the broker's session may still have but no zone uses. */
  readonly #unused: Set<string>;
  /** Those that it may have at all. */
  readonly #all: Set<string>;

  constructor(options: BrokerSubscriptionsOptions) {
    this.#options = options;
    const stored = options.filterStore?.list() ?? [];
    this.#unused = new Set(stored);
    this.#all = new Set(stored);
    this.#lists = new OptionalSubscription((reason) =>
      options.log.debug("mqtt-device-lists-unavailable", { reason }),
    );
  }

  /** To be called once a connection is stable. */
  retryOptional(): void {
    this.#lists.retry();
  }

  /** To be called on every connection, with all topics in use. */
  connected(client: MqttClient, topics: readonly string[]): void {
    void this.listen(client, topics);
    void this.leave(client, []);
  }

  /**
   * Subscribes; the broker sends its retained messages again.
   * @returns once the broker has responded, or after a few seconds
   */
  async listen(client: MqttClient, all: readonly string[]): Promise<void> {
    for (const topic of all) this.#unused.delete(topic);
    // Before they are subscribed: a power cut may follow.
    this.#store([...this.#all, ...all]);
    const topics = all.filter((topic) => !isDeviceList(topic));
    this.#lists.subscribe(client, all.filter(isDeviceList), 1);
    if (topics.length === 0) return;
    await this.#awaitResponse((done) => {
      client.subscribe([...topics], { qos: 1 }, (error, _granted, answer) => {
        // Without return codes the connection failed; the next one subscribes again.
        if (!error) this.#note(topics, []);
        else if (answer?.granted) {
          const codes = answer.granted;
          this.#note(
            topics,
            topics.filter((_topic, index) => Number(codes[index]) >= SUBACK_FAILURE),
          );
        }
        done();
      });
    });
  }

  /** Unsubscribes, on the next connection if there is none now. @returns as `listen` */
  leave(client: MqttClient | undefined, topics: readonly string[]): Promise<void> {
    for (const topic of topics) this.#unused.add(topic);
    this.#clearDenied(topics);
    const unused = [...this.#unused];
    if (!client?.connected || unused.length === 0) return Promise.resolve();
    return this.#awaitResponse((done) => {
      client.unsubscribe(unused, (error) => {
        if (!error) this.#left(unused);
        done();
      });
    });
  }

  #left(topics: readonly string[]): void {
    // A topic may be in use again meanwhile.
    const gone = topics.filter((topic) => this.#unused.delete(topic));
    this.#store([...this.#all].filter((topic) => !gone.includes(topic)));
  }

  #store(filters: readonly string[]): void {
    const before = this.#all.size;
    const isAdded = filters.some((filter) => !this.#all.has(filter));
    this.#all.clear();
    for (const filter of filters) this.#all.add(filter);
    if (!isAdded && this.#all.size === before) return;
    try {
      this.#options.filterStore?.save([...this.#all]);
    } catch (error) {
      // A filter that is removed before the next start stays subscribed.
      this.#options.log.warn("mqtt-subscriptions-write-failed", { reason: messageOf(error) });
    }
  }

  #note(topics: readonly string[], denied: readonly string[]): void {
    this.#clearDenied(topics);
    for (const topic of denied) this.#denied.add(topic);
    const { conditions, log } = this.#options;
    if (this.#denied.size > 0)
      conditions.raise("mqtt-subscription-refused", { topics: [...this.#denied].join(", ") });
    else log.info("mqtt-subscribed", { topics: topics.length });
  }

  /** Assumes access to these until the broker denies it. */
  #clearDenied(topics: readonly string[]): void {
    for (const topic of topics) this.#denied.delete(topic);
    if (this.#denied.size === 0) this.#options.conditions.clear("mqtt-subscription-refused");
  }

  #awaitResponse(send: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(RESPONSE_TIMEOUT_MS, resolve);
      send(() => {
        cancel();
        resolve();
      });
    });
  }
}

/** A broker that restarts is back sooner, with the messages of the meantime. */
const ABSENCE_MS_MAX = 300_000;

/** Reports a broker that is not connected for five minutes. */
export class BrokerAbsence {
  readonly #clock: Clock;
  readonly #onLong: () => void;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock, onLong: () => void) {
    this.#clock = clock;
    this.#onLong = onLong;
  }

  /** To be called at each end of a connection, or of an attempt. */
  begin(): void {
    this.#cancel ??= this.#clock.after(ABSENCE_MS_MAX, this.#onLong);
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/**
 * Counts connections that the broker had accepted and closed without an error. A broker does so when another client
 * connects with the same client id (MQTT 3.1.1, 3.1.4).
 */
export class SessionTakeovers {
  readonly #clock: Clock;
  #atMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one. @returns whether the limit is reached, so that reconnecting is useless */
  count(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#atMs = [...this.#atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    return this.#atMs.length >= TAKEOVERS_MAX;
  }

  /** Resets the count, after a connection error or a pause. */
  reset(): void {
    this.#atMs = [];
  }
}
