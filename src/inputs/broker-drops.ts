import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";

/** Where Mosquitto counts the messages that it has thrown away because a queue was full, since its start. */
export const DROPPED_TOPIC = "$SYS/broker/publish/messages/dropped";

/** So long after the last dropped message people have had a day to see it. */
const SHOWN_FOR_MS = 86_400_000;

/**
 * Watches the broker's own count of dropped messages. The broker does not say whose messages they were; ours may be
 * among them, and then a trip is missing.
 */
export class BrokerDrops {
  readonly #clock: Clock;
  readonly #conditions: Conditions;
  #counted: number | undefined;
  #dropped = 0;
  #cancelClearing: CancelTimer | undefined;

  constructor({ clock, conditions }: { clock: Clock; conditions: Conditions }) {
    this.#clock = clock;
    this.#conditions = conditions;
  }

  /** Takes the broker's count. What was dropped before the first one is not known to be recent. */
  read(payload: Uint8Array): void {
    const count = Number(Buffer.from(payload).toString("latin1").slice(0, 20));
    if (!Number.isSafeInteger(count) || count < 0) return;
    // A broker that was restarted counts from zero again.
    const more = count >= (this.#counted ?? count) ? count - (this.#counted ?? count) : count;
    this.#counted = count;
    if (more > 0) this.#report(more);
  }

  stop(): void {
    this.#cancelClearing?.();
  }

  #report(more: number): void {
    this.#dropped += more;
    this.#conditions.raise(
      "mqtt-broker-drops-messages",
      `the MQTT broker has dropped ${this.#dropped} messages because a client's queue was full; trips may be among them. Set max_queued_messages 0 in its configuration (systemd/mosquitto/santinela.conf) and look at what the sensors did meanwhile.`,
    );
    this.#cancelClearing?.();
    this.#cancelClearing = this.#clock.after(SHOWN_FOR_MS, () => {
      this.#dropped = 0;
      this.#conditions.clear("mqtt-broker-drops-messages");
    });
  }
}
