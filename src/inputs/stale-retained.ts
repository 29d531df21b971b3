import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { matchesFilter } from "../domain/topic-filter.ts";
import { messageHash } from "./message-deduplication.ts";

interface StaleRetainedOptions {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly conditions: Conditions;
  /** The filters that are subscribed. */
  readonly filters: () => readonly string[];
  /** Lets the broker send the retained messages of a filter again. */
  readonly readAgain: (filter: string) => void;
}

/** Some brokers store a retained message a little after they have sent it to subscribers. */
const READ_AGAIN_MS = 5_000;
/** The broker is asked for a stale one at most this often: its sender may retain its messages by now. */
const STALE_AGAIN_MS = 600_000;
/** Topics that are compared; those of an installation are fewer. */
const TOPICS_MAX = 10_000;
/** Topics that the condition names. */
const NAMED_MAX = 5;

/** The last retained message of a topic. */
interface Retained {
  readonly hash: string;
  isStale: boolean;
  /** Whether it was sent on this connection. */
  isSent: boolean;
  /** Monotonic time of the first newer message that differs; undefined while none does, or once one is the same again. */
  differsSinceMs: number | undefined;
  /** `asked` once the broker was asked again, so long after that time; `answered` once it has sent the same again. */
  question: "none" | "asked" | "answered";
}

/**
 * `stale`: newer messages of its topic are not retained, so it must not disarm. `repeated`: sent only because it was asked for
 * again, and older than what was read since.
 */
export type RetainedAge = "current" | "stale" | "repeated";

/**
 * Detects retained messages that newer ones do not replace: one published by hand, or by a device whose retain option was switched off
 * later. After each interruption they would be read as the present state. The broker is asked again, once for each filter and
 * connection, after a new message that differs: if its sender retains its messages, the broker has the new one. For a stale one
 * it is asked every ten minutes after such a message, until it has another one.
 */
export class StaleRetained {
  readonly #options: StaleRetainedOptions;
  readonly #topics = new Map<string, Retained>();
  /** Monotonic time at which each filter was asked for again on this connection. */
  readonly #asked = new Map<string, number>();
  /** The next question for each filter. */
  readonly #planned = new Map<string, CancelTimer>();

  constructor(options: StaleRetainedOptions) {
    this.#options = options;
  }

  /** To be called on each connection. */
  connected(): void {
    this.closed();
    this.#asked.clear();
    for (const retained of this.#topics.values()) {
      retained.isSent = false;
      agree(retained);
    }
  }

  /** To be called once a connection has ended: nothing can be asked. */
  closed(): void {
    for (const cancel of this.#planned.values()) cancel();
    this.#planned.clear();
  }

  /** To be called once a connection is stable: what it was not sent is no longer retained. */
  stable(): void {
    for (const [topic, { isSent }] of this.#topics) if (!isSent) this.#forget(topic);
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
    if (known?.hash !== hash) {
      this.#forget(topic);
      this.#topics.set(topic, {
        hash,
        isStale: false,
        isSent: true,
        differsSinceMs: undefined,
        question: "none",
      });
      const [oldest] = this.#topics.keys();
      if (this.#topics.size > TOPICS_MAX && oldest !== undefined) this.#forget(oldest);
      return "current";
    }
    known.isSent = true;
    if (known.question === "asked") {
      known.question = "answered";
      known.isStale = true;
      this.#report();
    }
    if (known.differsSinceMs !== undefined) return "repeated";
    return known.isStale ? "stale" : "current";
  }

  #compare(topic: string, hash: string, known: Retained): void {
    // What the broker queued during an interruption may be older than the retained message.
    if (!known.isSent) return;
    // The same value again may now be a retained one.
    if (known.hash === hash) return agree(known);
    if (known.differsSinceMs !== undefined && known.question !== "answered") return;
    known.differsSinceMs ??= this.#options.clock.monotonicMs();
    known.question = "none";
    const filter = this.#options.filters().find((one) => matchesFilter(topic, one));
    if (filter !== undefined) this.#plan(filter, known.isStale);
  }

  #plan(filter: string, isStale: boolean): void {
    if (this.#planned.has(filter)) return;
    const { clock } = this.#options;
    const askedMs = this.#asked.get(filter);
    if (askedMs !== undefined && !isStale) return;
    const againMs = askedMs === undefined ? 0 : askedMs + STALE_AGAIN_MS - clock.monotonicMs();
    const cancel = clock.after(Math.max(READ_AGAIN_MS, againMs), () => this.#ask(filter));
    this.#planned.set(filter, cancel);
  }

  /** Asks for a filter because of what has differed long enough. */
  #ask(filter: string): void {
    this.#planned.delete(filter);
    const nowMs = this.#options.clock.monotonicMs();
    const lasting: Retained[] = [];
    const later: Retained[] = [];
    for (const [topic, retained] of this.#topics) {
      const { differsSinceMs } = retained;
      if (differsSinceMs === undefined || !matchesFilter(topic, filter)) continue;
      (nowMs - differsSinceMs >= READ_AGAIN_MS ? lasting : later).push(retained);
    }
    for (const retained of lasting) retained.question = "asked";
    if (lasting.length > 0) {
      this.#asked.set(filter, nowMs);
      this.#options.readAgain(filter);
    }
    if (later.length > 0)
      this.#plan(
        filter,
        later.some(({ isStale }) => isStale),
      );
  }

  #forget(topic: string): void {
    const known = this.#topics.get(topic);
    this.#topics.delete(topic);
    if (known?.isStale === true) this.#report();
  }

  #report(): void {
    const stale = [...this.#topics].flatMap(([topic, { isStale }]) => (isStale ? [topic] : []));
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

/** No newer message differs from a retained one. */
function agree(retained: Retained): void {
  retained.differsSinceMs = undefined;
  retained.question = "none";
}
