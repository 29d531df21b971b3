import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerCountStore } from "../store/broker-counts.ts";

export interface BrokerDropsOptions {
  /** Its host and port. */
  readonly broker: string;
  readonly brokerCounts: BrokerCountStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Where Mosquitto counts the messages that it has thrown away because a queue was full, since its start. */
export const DROPPED_TOPIC = "$SYS/broker/publish/messages/dropped";

/** So long after the last dropped message people have had a day to see it. */
const CONDITION_LIFETIME_MS = 86_400_000;

/**
 * Watches the broker's own count of dropped messages. The broker does not say whose messages they were; ours may be
 * among them, and then a trip is missing.
 */
export class DroppedMessages {
  readonly #options: BrokerDropsOptions;
  #dropped = 0;
  #cancelClearing: CancelTimer | undefined;

  constructor(options: BrokerDropsOptions) {
    this.#options = options;
  }

  /** Takes the broker's count. What it had dropped before it was first heard is not known to be recent. */
  read(payload: Uint8Array): void {
    const count = Number(Buffer.from(payload).toString("latin1").slice(0, 20));
    if (!Number.isSafeInteger(count) || count < 0) return;
    const { broker, brokerCounts, log } = this.#options;
    const earlier = brokerCounts.find(broker) ?? count;
    // A broker that was restarted counts from zero again.
    const more = count >= earlier ? count - earlier : count;
    if (more > 0) this.#report(more);
    try {
      brokerCounts.keep(broker, count);
    } catch (error) {
      // The next count is compared with an older one then, and the same is told once more.
      log.warn("mqtt-drop-count-write-failed", { reason: messageOf(error) });
    }
  }

  stop(): void {
    this.#cancelClearing?.();
  }

  #report(more: number): void {
    this.#dropped += more;
    this.#options.conditions.raise(
      "mqtt-broker-drops-messages",
      `the MQTT broker has dropped ${this.#dropped} messages because a client's queue was full; trips may be among them. Set max_queued_messages 0 in its configuration (systemd/mosquitto/santinela.conf) and look at what the sensors did meanwhile.`,
    );
    this.#cancelClearing?.();
    this.#cancelClearing = this.#options.clock.after(CONDITION_LIFETIME_MS, () => {
      this.#dropped = 0;
      this.#options.conditions.clear("mqtt-broker-drops-messages");
    });
  }
}
