import type { MqttClient } from "mqtt";

/** So that a connection that is interrupted at the same time does not count as a refusal. */
const ENDS_MAX = 3;

/**
 * A subscription without which the zones are monitored all the same. A broker may deny it, or end the connection at it: after a
 * few consecutive ends it is left out, until a connection without it has lasted a while.
 */
export class OptionalSubscription {
  readonly #onUnavailable: (reason: string) => void;
  /** Consecutive connections that ended at it. */
  #ends = 0;

  /** @param onUnavailable called with the reason of each attempt that failed */
  constructor(onUnavailable: (reason: string) => void) {
    this.#onUnavailable = onUnavailable;
  }

  subscribe(client: MqttClient, topics: readonly string[], qos: 0 | 1): void {
    if (topics.length === 0 || this.#ends >= ENDS_MAX) return;
    client.subscribe([...topics], { qos }, (error, _granted, answer) => {
      this.#ends = error && !answer ? this.#ends + 1 : 0;
      if (error) this.#onUnavailable(error.message);
    });
  }

  /** To be called once a connection is stable. */
  retry(): void {
    this.#ends = 0;
  }
}
