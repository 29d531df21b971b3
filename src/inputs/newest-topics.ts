import { createHash } from "node:crypto";
import { canonical } from "../domain/zone-changes.ts";
import { OTHER_TOPICS, TOPICS_OF_SOURCE_MAX, type ActiveTopics } from "./active-topics.ts";

/** A message, for its topic. */
export interface TopicMessage {
  readonly topic: string;
  readonly text: string;
  readonly isRetained: boolean;
}

/** 48 bits: a repetition is only told from another message of the same topic. */
const HASH_LENGTH = 12;

/**
 * The topics of a sensor with several ways to the broker: its newest message decides, whatever its topic. A gateway that has
 * missed it retains an older one, which must not decide again.
 */
export class NewestTopics {
  readonly #active: ActiveTopics;
  readonly #key: string;
  readonly #endedKey: string;
  readonly #seenKey: string;

  constructor(active: ActiveTopics, key: string) {
    this.#active = active;
    this.#key = key;
    this.#endedKey = canonical(["ended", key]);
    this.#seenKey = canonical(["seen", key]);
  }

  /** All under which its topics are kept. */
  get keys(): readonly string[] {
    return [this.#key, this.#endedKey, this.#seenKey];
  }

  /** The topics that have reported what is active now: not those that have missed how it ended. */
  get open(): readonly string[] {
    const ended = this.#active.of(this.#endedKey);
    return this.#active.of(this.#key).filter((topic) => !ended.includes(topic));
  }

  /**
   * Notes what a message reports. A retained one that contradicts the newest message counts only if it is not the last one of its
   * topic.
   * @returns whether the source is active; undefined if the message is an old one
   */
  note(message: TopicMessage, isActive: boolean): boolean | undefined {
    const { topic, isRetained } = message;
    const wasOpen = this.open.length > 0;
    const isSame = this.#active.of(this.#key).includes(topic) === isActive;
    const isKnown = this.#noteSeen(message) && isSame;
    this.#active.note(this.#key, topic, isActive);
    if (isRetained && isKnown && isActive !== wasOpen) return undefined;
    // The newest message has ended those beyond the limit too.
    if (!isActive) this.#active.forget(this.#key, OTHER_TOPICS);
    const noted = this.#active.of(this.#key).includes(topic) ? topic : OTHER_TOPICS;
    const ended = isActive
      ? this.#active.of(this.#endedKey).filter((other) => other !== noted)
      : this.#active.of(this.#key);
    this.#change(wasOpen, ended);
    return isActive;
  }

  /** Forgets a topic that is gone. @returns whether the source is still active; undefined if that topic did not keep it so */
  forget(topic: string): boolean | undefined {
    const { open } = this;
    const ended = this.#active.of(this.#endedKey).filter((other) => other !== topic);
    const seen = this.#seen.filter((entry) => topicOf(entry) !== topic);
    this.#active.seen.set(this.#key, seen);
    this.#active.note(this.#key, topic, false);
    this.#change(open.length > 0, ended);
    return open.includes(topic) ? this.open.length > 0 : undefined;
  }

  /** Only what contradicts the newest message is compared after a restart, so the last messages are stored when it changes. */
  #change(wasOpen: boolean, ended: readonly string[]): void {
    this.#active.replace(this.#endedKey, ended);
    if (this.open.length > 0 !== wasOpen) this.#active.replace(this.#seenKey, this.#seen);
  }

  /** The last message of each topic, as its hash and the topic. */
  get #seen(): readonly string[] {
    return this.#active.seen.get(this.#key) ?? this.#active.of(this.#seenKey);
  }

  /** @returns whether it may be the last message of its topic, which is not known of every topic */
  #noteSeen({ topic, text }: TopicMessage): boolean {
    const entry = `${createHash("sha256").update(text).digest("hex").slice(0, HASH_LENGTH)} ${topic}`;
    const before = this.#seen.find((other) => topicOf(other) === topic);
    const others = this.#seen.filter((other) => topicOf(other) !== topic);
    this.#active.seen.set(this.#key, [...others, entry].slice(-TOPICS_OF_SOURCE_MAX));
    return before === undefined || before === entry;
  }
}

function topicOf(entry: string): string {
  return entry.slice(HASH_LENGTH + 1);
}
