import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";

/** Messages of one topic that changed nothing, since the daemon started. */
export interface MessageCount {
  readonly topic: string;
  /** `no-zone`: about none of the zones that listen to the topic; else why it cannot be read. */
  readonly reason: string;
  readonly count: number;
}

/** Messages of one topic and reason are logged once in this time. */
const LOGGED_EVERY_MS = 60_000;
/** Topics that are counted apart; under a broad filter a client may invent more. */
const TOPICS_MAX = 256;
const OTHER_TOPICS = "other topics";
/** A topic may have 64 KiB; a line of the log and a label of a metric should not. */
const TOPIC_LENGTH_MAX = 200;

interface Counted extends MessageCount {
  readonly loggedAtMs: number;
}

/** Counts the messages that changed nothing, by topic and reason. */
export class MessageCounts {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #counted = new Map<string, Counted>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  note(messageTopic: string, reason: string, sizeBytes: number): void {
    const full = messageTopic.slice(0, TOPIC_LENGTH_MAX);
    const isKnown = this.#counted.has(`${reason} ${full}`) || this.#counted.size < TOPICS_MAX;
    const topic = isKnown ? full : OTHER_TOPICS;
    const key = `${reason} ${topic}`;
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#counted.get(key);
    const count = (earlier?.count ?? 0) + 1;
    const isDue = earlier === undefined || nowMs - earlier.loggedAtMs >= LOGGED_EVERY_MS;
    this.#counted.set(key, { topic, reason, count, loggedAtMs: isDue ? nowMs : earlier.loggedAtMs });
    if (!isDue) return;
    // On a topic that several sensors share, a message of one without a zone is nothing to worry about.
    if (reason === "no-zone") this.#log.info("mqtt-message-for-no-zone", { topic: full, count });
    else this.#log.warn("mqtt-payload-refused", { topic: full, reason, sizeBytes, refused: count });
  }

  /** The most frequent first. */
  list(): MessageCount[] {
    return [...this.#counted.values()]
      .map(({ topic, reason, count }) => ({ topic, reason, count }))
      .toSorted((a, b) => b.count - a.count);
  }
}
