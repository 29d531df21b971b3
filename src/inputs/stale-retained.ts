import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { matchesFilter } from "../domain/topic-filter.ts";
import { messageHash } from "./message-deduplication.ts";

interface StaleRetainedOptions {
  readonly clock: Pick<Clock, "after">;
  readonly conditions: Conditions;
  /** The filters that are subscribed. */
  readonly filters: () => readonly string[];
  /** Lets the broker send the retained messages of a filter again. */
  readonly readAgain: (filter: string) => void;
}

/** Some brokers store a retained message a little after they have sent it to subscribers. */
const READ_AGAIN_MS = 5_000;
/** Topics that are compared; those of an installation are fewer. */
const TOPICS_MAX = 10_000;
/** Topics that the condition names. */
const NAMED_MAX = 5;

interface Retained {
  readonly hash: string;
  /** `doubted` once a new message differs; `asked` once the broker was asked again; `stale` once it sent the same again. */
  state: "read" | "doubted" | "asked" | "stale";
}

/**
 * `stale`: newer messages of its topic are not retained, so it must not disarm. `repeated`: sent only because it was asked for
 * again, and older than what was read since.
 */
export type RetainedAge = "current" | "stale" | "repeated";

/**
 * Detects retained messages that newer ones do not replace: one published by hand, or by a device whose retain option was switched off
 * later. After each interruption they would be read as the present state. The broker is asked again, once for each filter and
 * connection, after a new message that differs: if its sender retains its messages, the broker has the new one.
 */
export class StaleRetained {
  readonly #options: StaleRetainedOptions;
  readonly #topics = new Map<string, Retained>();
  /** Filters that were asked for again on this connection. */
  readonly #asked = new Set<string>();
  /** Topics whose retained message was sent on this connection. */
  readonly #seen = new Set<string>();

  constructor(options: StaleRetainedOptions) {
    this.#options = options;
  }

  /** To be called on each connection. */
  connected(): void {
    this.#asked.clear();
    this.#seen.clear();
    for (const retained of this.#topics.values()) if (retained.state !== "stale") retained.state = "read";
  }

  /** To be called once a connection is stable: what it was not sent is no longer retained. */
  stable(): void {
    for (const topic of this.#topics.keys()) if (!this.#seen.has(topic)) this.#forget(topic);
  }

  /** To be called with each message in the order of arrival. @returns whether a retained one is the present state */
  ageOf(topic: string, payload: Uint8Array, isRetained: boolean): RetainedAge {
    const known = this.#topics.get(topic);
    // Retained messages are removed with an empty one.
    if (payload.byteLength === 0) this.#forget(topic);
    else if (isRetained) return this.#readRetained(topic, messageHash(topic, payload), known);
    else if (known) this.#compare(topic, messageHash(topic, payload), known);
    return "current";
  }

  #readRetained(topic: string, hash: string, known: Retained | undefined): RetainedAge {
    const isAgain = this.#seen.has(topic);
    this.#seen.add(topic);
    if (known?.hash !== hash) {
      this.#forget(topic);
      this.#topics.set(topic, { hash, state: "read" });
      const [oldest] = this.#topics.keys();
      if (this.#topics.size > TOPICS_MAX && oldest !== undefined) this.#forget(oldest);
      return "current";
    }
    if (known.state === "stale") return "stale";
    if (!isAgain || known.state === "read") return "current";
    if (known.state === "asked") {
      known.state = "stale";
      this.#report();
    }
    return "repeated";
  }

  #compare(topic: string, hash: string, known: Retained): void {
    // What the broker queued during an interruption may be older than the retained message.
    if (known.state === "stale" || !this.#seen.has(topic)) return;
    // The same value again may now be a retained one.
    if (known.hash === hash) known.state = "read";
    else if (known.state === "read") this.#doubt(topic, known);
  }

  #doubt(topic: string, known: Retained): void {
    const filter = this.#options.filters().find((one) => matchesFilter(topic, one));
    if (filter === undefined || this.#asked.has(filter)) return;
    known.state = "doubted";
    this.#options.clock.after(READ_AGAIN_MS, () => {
      if (known.state !== "doubted" || this.#topics.get(topic) !== known || this.#asked.has(filter)) return;
      for (const [other, retained] of this.#topics)
        if (retained.state === "doubted" && matchesFilter(other, filter)) retained.state = "asked";
      this.#asked.add(filter);
      this.#options.readAgain(filter);
    });
  }

  #forget(topic: string): void {
    const known = this.#topics.get(topic);
    this.#topics.delete(topic);
    if (known?.state === "stale") this.#report();
  }

  #report(): void {
    const stale = [...this.#topics].flatMap(([topic, { state }]) => (state === "stale" ? [topic] : []));
    const { conditions } = this.#options;
    if (stale.length === 0) conditions.clear("mqtt-retained-stale");
    else
      conditions.raise("mqtt-retained-stale", {
        topics: stale.slice(0, NAMED_MAX).join(", "),
        count: stale.length,
        topic: stale[0] ?? "",
      });
  }
}
