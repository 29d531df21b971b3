import type { ReceivedMessage } from "../domain/discovery/device.ts";
import type { Clock } from "../domain/clock.ts";
import type { Scalar } from "../domain/plain-value.ts";

/** Characters of a message that are kept: a sensor sends a few hundred. */
const TEXT_LENGTH_MAX = 2_000;
/** In UTF-8, for each code unit of the text. */
const BYTES_OF_CHARACTER_MAX = 3;
/** An installation has 512 zones; those of former configurations give way first. */
const ZONES_MAX = 1_024;

/** A message as a person sees it. */
export type ZoneMessage = Pick<ReceivedMessage, "topic" | "text" | "isRetained" | "atMs">;

/** The last message that each zone has read since the start, for a technician in front of its sensor. */
export class ZoneMessages {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #last = new Map<string, ZoneMessage>();
  readonly #unnamed = new Map<string, Scalar>();

  constructor(clock: Pick<Clock, "wallMs">) {
    this.#clock = clock;
  }

  of(zoneId: string): ZoneMessage | undefined {
    return this.#last.get(zoneId);
  }

  /** The value of the last message about the contact of a zone, if the zone named it neither as open nor as normal. */
  unnamedValueOf(zoneId: string): Scalar | undefined {
    return this.#unnamed.get(zoneId);
  }

  /** @param value as in the signal of a contact; undefined after one that the zone names */
  noteValue(zoneId: string, value: Scalar | undefined): void {
    this.#unnamed.delete(zoneId);
    if (value === undefined) return;
    this.#unnamed.set(zoneId, typeof value === "string" ? startOf(value) : value);
    forgetOldest(this.#unnamed);
  }

  take(zoneId: string, topic: string, payload: Uint8Array | string, isRetained: boolean): void {
    const text = startOf(payload);
    const before = this.#last.get(zoneId);
    // After a reconnection the broker repeats what was read before: its time stays.
    if (isRetained && before?.text === text) return;
    this.#last.delete(zoneId);
    this.#last.set(zoneId, { topic, text, isRetained, atMs: this.#clock.wallMs() });
    forgetOldest(this.#last);
  }
}

function forgetOldest(ofZones: Map<string, unknown>): void {
  const [oldest] = ofZones.keys();
  if (ofZones.size > ZONES_MAX && oldest !== undefined) ofZones.delete(oldest);
}

/** The first characters, copied: a part of a string keeps the whole one in memory. */
function startOf(payload: Uint8Array | string): string {
  const bytes =
    typeof payload === "string"
      ? Buffer.from(payload.slice(0, TEXT_LENGTH_MAX))
      : Buffer.from(payload.slice(0, TEXT_LENGTH_MAX * BYTES_OF_CHARACTER_MAX));
  return Buffer.from(bytes.toString("utf8").slice(0, TEXT_LENGTH_MAX)).toString("utf8");
}
