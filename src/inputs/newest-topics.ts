import { canonical } from "../domain/zone-changes.ts";
import type { ActiveTopics } from "./active-topics.ts";

/** A message, for its topic. */
export interface TopicMessage {
  readonly topic: string;
  readonly isRetained: boolean;
}

/**
 * The topics of a sensor with several ways to the broker: its newest message decides, whatever its topic. A gateway that has
 * missed it retains an older one, which must not decide again.
 */
export class NewestTopics {
  readonly #active: ActiveTopics;
  readonly #key: string;
  readonly #endedKey: string;

  constructor(active: ActiveTopics, key: string) {
    this.#active = active;
    this.#key = key;
    this.#endedKey = canonical(["ended", key]);
  }

  /** All under which its topics are kept. */
  get keys(): readonly string[] {
    return [this.#key, this.#endedKey];
  }

  /** The topics that have reported what is active now: not those that have missed how it ended. */
  get open(): readonly string[] {
    const ended = this.#active.of(this.#endedKey);
    return this.#active.of(this.#key).filter((topic) => !ended.includes(topic));
  }

  /**
   * Notes what a message reports. A retained one that contradicts the newest message counts only if it differs from the last one of
   * its topic.
   * @returns whether the source is active; undefined if the message is an old one
   */
  note({ topic, isRetained }: TopicMessage, isActive: boolean): boolean | undefined {
    const wasOpen = this.open.length > 0;
    const isKnown = this.#active.of(this.#key).includes(topic) === isActive;
    this.#active.note(this.#key, topic, isActive);
    if (isRetained && isKnown && isActive !== wasOpen) return undefined;
    const ended = isActive
      ? this.#active.of(this.#endedKey).filter((other) => other !== topic)
      : this.#active.of(this.#key);
    this.#active.replace(this.#endedKey, ended);
    return isActive;
  }

  /** Forgets a topic that is gone. @returns whether the source is still active; undefined if that topic did not keep it so */
  forget(topic: string): boolean | undefined {
    const { open } = this;
    const ended = this.#active.of(this.#endedKey).filter((other) => other !== topic);
    this.#active.note(this.#key, topic, false);
    this.#active.replace(this.#endedKey, ended);
    return open.includes(topic) ? this.open.length > 0 : undefined;
  }
}
