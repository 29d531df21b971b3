import type { Messages, ReceivedMessage } from "./device.ts";

/*
 * Others decide how many devices announce themselves, and how many messages there are. To look through all messages for each
 * device kept the thread busy for up to a minute.
 */

const indexes = new WeakMap<Messages, ReadonlyMap<string, ReceivedMessage>>();

/** The first message of a topic; undefined if there is none. */
export function messageAt(messages: Messages, topic: string): ReceivedMessage | undefined {
  let index = indexes.get(messages);
  if (!index) {
    // A later entry replaces an earlier one, and the first message counts.
    index = new Map(messages.map((message) => [message.topic, message] as const).toReversed());
    indexes.set(messages, index);
  }
  return index.get(topic);
}

/** The messages below each of some topics, in their order. */
export function messagesBelow(
  messages: Messages,
  topics: readonly string[],
): ReadonlyMap<string, readonly ReceivedMessage[]> {
  const found = new Map(topics.map((topic) => [topic, [] as ReceivedMessage[]]));
  for (const message of messages) {
    const { topic } = message;
    for (let end = topic.lastIndexOf("/"); end > 0; end = topic.lastIndexOf("/", end - 1))
      found.get(topic.slice(0, end))?.push(message);
  }
  return found;
}
