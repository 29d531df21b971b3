import type { Conditions } from "../../domain/condition.ts";

interface ReceiverAcceptanceOptions {
  /** Of the receiver, for the conditions. */
  readonly address: string;
  readonly conditions: Conditions;
}

/** What a receiver has replied to a message. */
interface Replied {
  readonly isEvent: boolean;
  /** Undefined for an acknowledgement. */
  readonly reason: string | undefined;
  /** Whether it replied with DUH. */
  readonly isDuh: boolean;
}

/**
 * Reports a receiver that does not accept messages of this site. Some know no supervision messages, and take alarms all the same:
 * that is a condition of its own, so that the other one does not come and go with each alarm.
 */
export class ReceiverAcceptance {
  readonly #options: ReceiverAcceptanceOptions;
  /** What became of its last event: an acknowledged supervision message does not show that it takes alarms. */
  #lastEvent: "acknowledged" | "rejected" | undefined;

  constructor(options: ReceiverAcceptanceOptions) {
    this.#options = options;
  }

  note({ isEvent, reason, isDuh }: Replied): void {
    const { conditions, address } = this.#options;
    if (isEvent) this.#lastEvent = reason === undefined ? "acknowledged" : "rejected";
    if (reason === undefined) {
      if (!isEvent) conditions.clear("monitoring-receiver-supervision", address);
      if (this.#lastEvent !== "rejected") conditions.clear("monitoring-receiver-rejects", address);
      return;
    }
    if (!isEvent && isDuh && this.#lastEvent === "acknowledged")
      conditions.raise("monitoring-receiver-supervision", { receiver: address }, address);
    else conditions.raise("monitoring-receiver-rejects", { receiver: address, answer: reason }, address);
  }

  /** Notes an event of which it is not known whether it was accepted. */
  noteUncertain(): void {
    this.#lastEvent = "rejected";
  }
}
