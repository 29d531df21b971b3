import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerCountStore } from "../store/messages.ts";

interface BrokerDropsOptions {
  /** Its host and port. */
  readonly broker: string;
  readonly brokerCounts: BrokerCountStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

/** Topic of Mosquitto's counter of messages dropped because of a full queue, since its start. */
export const DROPPED_TOPIC = "$SYS/broker/publish/messages/dropped";

/** Time after the last dropped message for which the condition stays visible. */
const CONDITION_LIFETIME_MS = 86_400_000;

/**
 * Watches the broker's counter of dropped messages. The broker does not report whose messages they were; a trip may be
 * among them.
 */
export class DroppedMessages {
  readonly #options: BrokerDropsOptions;
  #dropped = 0;
  #cancelClearing: CancelTimer | undefined;

  constructor(options: BrokerDropsOptions) {
    this.#options = options;
  }

  /** Takes the broker's counter. Drops before the first reading may be old and are not reported. */
  read(payload: Uint8Array): void {
    const count = Number(Buffer.from(payload).toString("latin1").slice(0, 20));
    if (!Number.isSafeInteger(count) || count < 0) return;
    const { broker, brokerCounts, log } = this.#options;
    const earlier = brokerCounts.find(broker) ?? count;
    // A restarted broker counts from zero again.
    const addedDrops = count >= earlier ? count - earlier : count;
    if (addedDrops > 0) this.#report(addedDrops);
    try {
      brokerCounts.keep(broker, count);
    } catch (error) {
      // The next count is compared with an older one, and the same drops are reported again.
      log.warn("mqtt-drop-count-write-failed", { reason: messageOf(error) });
    }
  }

  stop(): void {
    this.#cancelClearing?.();
  }

  #report(addedDrops: number): void {
    this.#dropped += addedDrops;
    this.#options.conditions.raise(
      "mqtt-broker-drops-messages",
      `the MQTT broker has dropped ${this.#dropped} messages because a client's queue was full; trips may be missing. Set max_queued_messages 0 in its configuration (santinela doctor names a file with all settings) and check the sensors for events in this time.`,
    );
    this.#cancelClearing?.();
    this.#cancelClearing = this.#options.clock.after(CONDITION_LIFETIME_MS, () => {
      this.#dropped = 0;
      this.#options.conditions.clear("mqtt-broker-drops-messages");
    });
  }
}
