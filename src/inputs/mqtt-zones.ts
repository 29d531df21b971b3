import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { MqttInput } from "../generated/types.ts";
import type { Zone } from "../domain/zone.ts";
import { readContact } from "./payload.ts";
import type { ZoneMonitor } from "./zone-monitor.ts";

export interface MqttZonesOptions {
  readonly zones: readonly Zone[];
  readonly monitor: ZoneMonitor;
  readonly clock: Clock;
  readonly log: Log;
}

type MqttZone = { readonly id: string; readonly input: MqttInput };

/** A topic whose messages cannot be read is complained of once in so long. */
const COMPLAINT_EVERY_MS = 60_000;

/** Which zones a topic feeds, and what each makes of a message: the same for every broker. */
export class MqttZones {
  readonly #options: MqttZonesOptions;
  readonly #byTopic = new Map<string, MqttZone[]>();
  readonly #complaints = new Map<string, { refused: number; saidAtMs: number }>();

  constructor(options: MqttZonesOptions) {
    this.#options = options;
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
  deliver(topic: string, payload: Uint8Array, { retained }: { retained: boolean }): void {
    let refused: string | undefined;
    for (const { id, input } of this.#byTopic.get(topic) ?? []) {
      const reading = readContact(input, payload);
      if ("refused" in reading) refused = reading.refused;
      else this.#options.monitor.read(id, reading.contact, { live: !retained });
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
