import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { MqttInput } from "../generated/types.ts";
import type { Zone } from "../domain/zone.ts";
import type { TakenMessageStore } from "../store/taken-message-store.ts";
import { readContact } from "./payload.ts";
import { hashOf, TakenMessages, type Delivery } from "./taken-messages.ts";
import type { ZoneMonitor } from "./zone-monitor.ts";

export interface MqttZonesOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneMonitor;
  readonly takenMessages: TakenMessageStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** A value that the broker kept, not one that comes as it happens. */
  readonly isRetained: boolean;
  /** Absent for QoS 0, which nobody repeats. */
  readonly delivery?: Delivery;
}

type MqttZone = { readonly id: string; readonly input: MqttInput };

/** A topic whose messages cannot be read is complained of once in so long. */
const COMPLAINT_EVERY_MS = 60_000;

/** Which zones a topic feeds, and what each makes of a message: the same for every broker. */
export class MqttZones {
  readonly #options: MqttZonesOptions;
  /** What is not to be read once more. */
  readonly taken: TakenMessages;
  readonly #byTopic = new Map<string, MqttZone[]>();
  readonly #complaints = new Map<string, { refused: number; saidAtMs: number }>();

  constructor(options: MqttZonesOptions) {
    this.#options = options;
    this.taken = new TakenMessages({ ...options, store: options.takenMessages });
    for (const { id, input } of options.zones) {
      if (input.source !== "mqtt") continue;
      const sharing = this.#byTopic.get(input.mqtt) ?? [];
      this.#byTopic.set(input.mqtt, [...sharing, { id, input }]);
    }
  }

  /** The topics to subscribe to. */
  get topics(): readonly string[] {
    return [...this.#byTopic.keys()];
  }

  /**
   * Reads a message for every zone of its topic. When it returns, what the message means is on the disk and it may be
   * acknowledged.
   * @throws whatever the journal threw; the message must come again then, and what is already written is no edge any more
   */
  deliver({ topic, payload, isRetained, delivery }: MqttMessage): void {
    const zones = this.#byTopic.get(topic) ?? [];
    const hash = delivery && zones.length > 0 ? hashOf(topic, payload) : "";
    let refused: string | undefined;
    for (const { id, input } of zones) {
      const reading = readContact(input, payload);
      if ("refused" in reading) {
        refused = reading.refused;
        continue;
      }
      const read = (): void => void this.#options.monitor.read(id, reading.contact, { live: !isRetained });
      if (delivery) this.taken.once(delivery, id, hash, read);
      else read();
    }
    if (refused !== undefined) this.#complain(topic, refused, payload.byteLength);
  }

  #complain(topic: string, reason: string, sizeBytes: number): void {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    const earlier = this.#complaints.get(topic);
    const refused = (earlier?.refused ?? 0) + 1;
    const isDue = earlier === undefined || nowMs - earlier.saidAtMs >= COMPLAINT_EVERY_MS;
    this.#complaints.set(topic, { refused, saidAtMs: isDue ? nowMs : earlier.saidAtMs });
    if (isDue) log.warn("mqtt-payload-refused", { topic, reason, sizeBytes, refused });
  }
}
