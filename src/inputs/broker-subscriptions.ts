import type { MqttClient } from "mqtt";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";

export interface BrokerSubscriptionsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** From this return code on a subscription is refused (MQTT 3.1.1, 3.9.3). */
const SUBACK_FAILURE = 0x80;
/** A broker that has not answered by then is about to be found gone; its next connection subscribes again. */
const ANSWER_WITHIN_MS = 5_000;

/** What the session at a broker is subscribed to, and what of it the broker does not allow. */
export class BrokerSubscriptions {
  readonly #options: BrokerSubscriptionsOptions;
  readonly #refused = new Set<string>();
  /** What the broker's session may still have and no zone listens to. */
  readonly #left = new Set<string>();

  constructor(options: BrokerSubscriptionsOptions) {
    this.#options = options;
  }

  /** To be called with everything that is listened to on every connection. */
  connected(client: MqttClient, topics: readonly string[]): void {
    void this.listen(client, topics);
    void this.leave(client, []);
  }

  /**
   * Has the broker send what is published there, and what it keeps there once more.
   * @returns once it has answered, or after a few seconds
   */
  listen(client: MqttClient, topics: readonly string[]): Promise<void> {
    if (topics.length === 0) return Promise.resolve();
    for (const topic of topics) this.#left.delete(topic);
    return this.#answered((done) => {
      client.subscribe([...topics], { qos: 1 }, (error, _granted, answer) => {
        // Without the broker's answer it was the connection that failed; the next one subscribes again.
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

  /** Has the broker send no more of that; one that is not connected is asked when it is. @returns as `listen` */
  leave(client: MqttClient | undefined, topics: readonly string[]): Promise<void> {
    for (const topic of topics) this.#left.add(topic);
    this.#tell(topics);
    const left = [...this.#left];
    if (!client?.connected || left.length === 0) return Promise.resolve();
    return this.#answered((done) => {
      client.unsubscribe(left, (error) => {
        if (!error) for (const topic of left) this.#left.delete(topic);
        done();
      });
    });
  }

  #note(topics: readonly string[], refused: readonly string[]): void {
    this.#tell(topics);
    for (const topic of refused) this.#refused.add(topic);
    const { conditions, log } = this.#options;
    if (this.#refused.size > 0)
      conditions.raise("mqtt-subscription-refused", { topics: [...this.#refused].join(", ") });
    else log.info("mqtt-subscribed", { topics: topics.length });
  }

  /** Nothing is refused of these, as far as is known. */
  #tell(topics: readonly string[]): void {
    for (const topic of topics) this.#refused.delete(topic);
    if (this.#refused.size === 0) this.#options.conditions.clear("mqtt-subscription-refused");
  }

  #answered(ask: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ANSWER_WITHIN_MS, resolve);
      ask(() => {
        cancel();
        resolve();
      });
    });
  }
}
