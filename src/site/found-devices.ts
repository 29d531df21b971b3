import { isoTime } from "../domain/clock.ts";
import { likelyContacts } from "../domain/discovery/contact-guess.ts";
import type { DiscoveredDevice, ReceivedMessage } from "../domain/discovery/device.ts";
import { doubtText } from "../domain/discovery/doubt.ts";
import { scalarsIn } from "../domain/discovery/message-fields.ts";
import { KnownZones } from "../domain/discovery/known-zones.ts";
import { configuredName, uniqueId } from "../domain/discovery/proposed-zone.ts";
import type { ReadableTopics } from "../domain/discovery/readable-topics.ts";
import { matchesFilter } from "../domain/topic-filter.ts";
import type { Zone } from "../domain/zone.ts";
import type { FoundDeviceView, LastMessageView, UnknownTopicView } from "./discovery-view.ts";

/** Of a payload in a view. */
const PAYLOAD_LENGTH_MAX = 2_000;

/** The devices with the zones that they could be, and their last message; without such a zone with their topics. */
export function deviceViews(
  devices: readonly DiscoveredDevice[],
  {
    messages,
    topics: readable,
  }: { messages: readonly ReceivedMessage[]; topics: ReadableTopics["ofDevices"] },
  zones: readonly Zone[],
): FoundDeviceView[] {
  const usedIds = new Set(zones.map(({ id }) => id));
  const known = new KnownZones(zones, devices);
  const asked = devices.flatMap(({ topics, proposals }) => [
    ...topics,
    ...proposals.map(({ input }) => input.mqtt),
  ]);
  const lastMessages = new LastMessages(messages, new Set(asked));
  return devices.map((device) => {
    const { id, source, name, model, topics, proposals } = device;
    const last =
      lastMessages.of(topics) ?? proposals.flatMap(({ input }) => lastMessages.of([input.mqtt]) ?? [])[0];
    return {
      id: `${source} ${id}`,
      source,
      name,
      model: model ?? null,
      lastMessage: last ? messageView(last) : null,
      topics: (readable.get(device) ?? []).map((message) => topicView(message, zones, name)),
      proposals: known.proposalsOf(device).map((proposal) => {
        const { doubts, name: long, ...zone } = proposal;
        const configured = known.readerOf(proposal);
        return {
          zoneId: configured?.id ?? null,
          zone: { id: configured?.id ?? uniqueId(long, usedIds), name: configuredName(long), ...zone },
          doubts: doubts.map((doubt) => ({
            code: doubt.code,
            values: doubt.values ?? {},
            text: doubtText(doubt),
          })),
        };
      }),
    };
  });
}

/** A message with the values in it that a zone could read. @param name of its device, if that is known */
export function topicView(message: ReceivedMessage, zones: readonly Zone[], name?: string): UnknownTopicView {
  const values = scalarsIn(message);
  return {
    lastMessage: messageView(message),
    fields: values,
    guesses: likelyContacts({ topic: message.topic, values }, name),
    zoneIds: zones
      .filter(({ input }) => input.source === "mqtt" && matchesFilter(message.topic, input.mqtt))
      .map(({ id }) => id),
  };
}

/** A message as it is shown; its payload may be cut. */
function messageView({ topic, text, atMs, isRetained }: ReceivedMessage): LastMessageView {
  return { topic, payload: text.slice(0, PAYLOAD_LENGTH_MAX), at: isoTime(atMs), isRetained };
}

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
