import { isUtf8 } from "node:buffer";
import { DEVICE_LIST_BYTES_MAX } from "../domain/device-list.ts";
import type { DiscoveryOptions, ReceivedMessage } from "../domain/discovery/device.ts";
import { isAnnouncement, messageKey } from "../domain/discovery/sources.ts";

/** Messages of sensors are far smaller; larger ones are pictures. */
const OTHER_BYTES_MAX = 16 * 1024;
/** Parsed, messages take several times their size: this thread has 96 MB. */
const ANNOUNCED_BYTES_MAX = 4 * 1024 * 1024;
const OTHERS_BYTES_MAX = 2 * 1024 * 1024;
/** A building has a few hundred devices with a few topics each. */
const MESSAGES_MAX = 4_000;
const TOPIC_LENGTH_MAX = 512;
/** Whatever may be kept fits: an announcement with its topic. */
export const PACKET_BYTES_MAX = DEVICE_LIST_BYTES_MAX + 64 * 1024;

/** Messages of one sort, the oldest first, with their size. */
class Kept {
  readonly byKey = new Map<string, Message>();
  bytes = 0;

  add(key: string, message: Message): void {
    this.remove(key);
    this.byKey.set(key, message);
    this.bytes += message.bytes;
  }

  remove(key: string): boolean {
    const before = this.byKey.get(key);
    this.bytes -= before?.bytes ?? 0;
    return this.byKey.delete(key);
  }
}

/** The newest message of each topic or device, with limits: the announcements of devices are kept before all others. */
export class ReceivedMessages {
  readonly #options: DiscoveryOptions;
  readonly #announced = new Kept();
  readonly #others = new Kept();
  /** Messages that did not fit within the limits, since the start. */
  left = 0;
  readonly #unreadAnnouncements = new Set<string>();
  #hasForgottenTopics = false;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** @returns whether there may be a new announcement of a device */
  take(topic: string, payload: Uint8Array, isRetained: boolean, atMs: number): boolean {
    const isAnnounced = isAnnouncement(topic, this.#options);
    const sizeMax = isAnnounced ? DEVICE_LIST_BYTES_MAX : OTHER_BYTES_MAX;
    if (payload.byteLength > sizeMax || topic.length > TOPIC_LENGTH_MAX || !isUtf8(payload)) {
      this.leave(topic);
      return false;
    }
    const message = new Message(topic, Buffer.from(payload).toString("utf8"), isRetained, atMs);
    const kept = isAnnounced ? this.#announced : this.#others;
    // An empty message withdraws what was retained.
    if (message.text === "") return kept.remove(topic) && isAnnounced;
    const key = messageKey(message);
    const isNew = isAnnounced || !kept.byKey.has(key);
    kept.add(key, message);
    return this.#makeRoom(kept, key) && isNew;
  }

  /** Counts a message that is not kept. */
  leave(topic: string): void {
    this.left += 1;
    if (isAnnouncement(topic, this.#options)) this.#noteUnread(topic);
  }

  /** All kept messages, what devices say about themselves first. */
  all(): readonly ReceivedMessage[] {
    return [...this.#announced.byKey.values(), ...this.#others.byKey.values()];
  }

  /** Messages that say nothing about a device, the newest last. */
  others(): readonly ReceivedMessage[] {
    return [...this.#others.byKey.values()];
  }

  /** Topics of announcements that did not fit; at most as many as there is room for. */
  get unreadAnnouncements(): number {
    return this.#unreadAnnouncements.size;
  }

  /** Whether messages of unknown topics had to make room for newer ones. */
  get hasForgottenTopics(): boolean {
    return this.#hasForgottenTopics;
  }

  #noteUnread(topic: string): void {
    if (this.#unreadAnnouncements.size < MESSAGES_MAX)
      this.#unreadAnnouncements.add(topic.slice(0, TOPIC_LENGTH_MAX));
  }

  /** @returns whether the message of the key was kept */
  #makeRoom(kept: Kept, key: string): boolean {
    const bytesMax = kept === this.#announced ? ANNOUNCED_BYTES_MAX : OTHERS_BYTES_MAX;
    while (kept.bytes > bytesMax || kept.byKey.size > MESSAGES_MAX) {
      // A flood of announcements must not remove the devices that are already known.
      const oldest = kept === this.#announced ? key : kept.byKey.keys().next().value;
      if (oldest === undefined) break;
      const removed = kept.byKey.get(oldest);
      kept.remove(oldest);
      this.left += 1;
      if (kept === this.#announced) this.#noteUnread(removed?.topic ?? oldest);
      else this.#hasForgottenTopics = true;
    }
    return kept.byKey.has(key);
  }
}

/** A message that is parsed when it is first looked into. */
class Message implements ReceivedMessage {
  readonly topic: string;
  readonly text: string;
  readonly isRetained: boolean;
  readonly atMs: number;
  #json: unknown = undefined;
  #isParsed = false;

  constructor(topic: string, text: string, isRetained: boolean, atMs: number) {
    this.topic = topic;
    this.text = text;
    this.isRetained = isRetained;
    this.atMs = atMs;
  }

  get bytes(): number {
    return this.topic.length + this.text.length;
  }

  get json(): unknown {
    if (!this.#isParsed) this.#json = parsed(this.text);
    this.#isParsed = true;
    return this.#json;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that is not JSON is a value of its own, such as ON.
    return undefined;
  }
}
