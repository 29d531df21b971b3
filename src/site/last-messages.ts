import type { ReceivedMessage } from "../domain/discovery/device.ts";

/**
 * The last message at or below each of some topics. The messages are read once, because others decide how many devices
 * announce themselves: 4,000 of them with 4,000 messages, compared each with each, kept the thread busy for over 20 s.
 */
export class LastMessages {
  readonly #last = new Map<string, ReceivedMessage>();

  /** @param topics those that are asked for later, and no others */
  constructor(messages: readonly ReceivedMessage[], topics: ReadonlySet<string>) {
    for (const message of messages) {
      const { topic } = message;
      for (let end = topic.length; end > 0; end = topic.lastIndexOf("/", end - 1)) {
        const own = topic.slice(0, end);
        if (topics.has(own)) this.#last.set(own, later(this.#last.get(own), message));
      }
    }
  }

  /** @returns the last message of any of the topics; undefined if there is none */
  of(topics: readonly string[]): ReceivedMessage | undefined {
    return topics.reduce<ReceivedMessage | undefined>((last, topic) => {
      const one = this.#last.get(topic);
      return one ? later(last, one) : last;
    }, undefined);
  }
}

/** Of two messages of one time the second one. */
function later(one: ReceivedMessage | undefined, other: ReceivedMessage): ReceivedMessage {
  return one && one.atMs > other.atMs ? one : other;
}
