import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";

/** Messages of one topic that changed nothing, since the daemon started. */
export interface MessageCount {
  readonly topic: string;
  /** `no-zone`: the topic is used, but no zone matches; otherwise why the message cannot be read. */
  readonly reason: string;
  readonly count: number;
}

/** Messages of one topic are logged once in this time. */
const LOGGED_EVERY_MS = 60_000;
/** Topics counted separately; under a broad filter a client may invent more. */
const TOPICS_MAX = 256;
const OTHER_TOPICS = "other topics";
/** A topic may have 64 KiB, which is too long for a log line or a metric label. */
const TOPIC_LENGTH_MAX = 200;

/** Counts the messages that changed nothing, by topic and reason. */
export class MessageCounts {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #counts = new Map<string, MessageCount>();
  /** By event and topic: time of the last log line, and number of messages. */
  readonly #logged = new Map<string, { readonly atMs: number; readonly count: number }>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  note(messageTopic: string, reason: string, sizeBytes: number): void {
    // Copied, because a part of a string keeps the whole one in memory.
    const named = Buffer.from(messageTopic.slice(0, TOPIC_LENGTH_MAX)).toString();
    const isKnown = this.#counts.has(`${reason} ${named}`) || this.#counts.size < TOPICS_MAX;
    const topic = isKnown ? named : OTHER_TOPICS;
    const key = `${reason} ${topic}`;
    this.#counts.set(key, { topic, reason, count: (this.#counts.get(key)?.count ?? 0) + 1 });
    const event = reason === "no-zone" ? "mqtt-message-for-no-zone" : "mqtt-payload-rejected";
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#logged.get(`${event} ${topic}`);
    const count = (earlier?.count ?? 0) + 1;
    const isDue = earlier === undefined || nowMs - earlier.atMs >= LOGGED_EVERY_MS;
    this.#logged.set(`${event} ${topic}`, { atMs: isDue ? nowMs : earlier.atMs, count });
    if (!isDue) return;
    // On a topic that several sensors share, a message that matches no zone is normal.
    if (reason === "no-zone") this.#log.info(event, { topic: named, count });
    else this.#log.warn(event, { topic: named, reason, sizeBytes, refused: count });
  }

  /** Returns the counts, the highest first. */
  list(): MessageCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.count - a.count);
  }
}
