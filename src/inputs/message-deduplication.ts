import { createHash } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { MESSAGES_MAX, type DeduplicationEntry } from "../store/messages.ts";
import type { Journal } from "../store/journal.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import { PausedSessions } from "./paused-sessions.ts";
import type { ZoneContext } from "./zone-context.ts";

/** How a message with QoS 1 or 2 was delivered. */
export interface Delivery {
  /** The client id of the session that assigns the packet ids. */
  readonly session: string;
  readonly packetId: number;
  /** The sender marks the message as a possible duplicate (DUP). */
  readonly isRepeated: boolean;
}

/**
 * Activity of a sender this long after an acknowledgement on the same connection means that it has received it. Activity
 * this long after a reconnection means that it has resent its messages. Longer than clients wait before they resend, and
 * shorter than the 30 s after which a sensor without restores may send the same message for a new trip.
 */
const DEDUPLICATION_WINDOW_MS = 20_000;
/**
 * Some clients resend without DUP, such as mqtt.js and so zigbee2mqtt, which detects a dead connection within 90 s.
 * Within this time, the same message with the same packet id on a new connection is probably a duplicate. It may also be a
 * new one of a sensor that has started again, so only what may be lost is ignored.
 */
const UNFLAGGED_DUPLICATE_WINDOW_MS = 120_000;

/** A message that was perhaps read before. */
export interface Repetition {
  /** `flagged`: with DUP, certainly read before; `unflagged`: without it, see above. */
  readonly kind: "flagged" | "unflagged";
  /** When it was first read, monotonic. */
  readonly firstAtMs: number;
}

/** What is to be read of a message. */
export interface MessagePart {
  readonly read: () => void;
  /**
   * Whether what the sender has sent since the first delivery must be read again once it is repeated too: otherwise an older
   * value would be the last.
   */
  readonly isFollowed: boolean;
}

interface Entry {
  readonly message: DeduplicationEntry;
  readonly atMs: number;
  /** When the first of its repetitions was read. */
  readonly firstAtMs: number;
  /** Activity of the sender from this time on confirms the acknowledgement; undefined while the sender is offline. */
  confirmsAtMs: number | undefined;
  /** Whether the sender has reconnected since. */
  isFromEarlierConnection: boolean;
}

/**
 * Detects duplicate messages: an acknowledgement can be lost, and then the sender resends the message. After an opening
 * and a restore, the resent message would be a new edge and open a second intervention.
 *
 * Messages are stored for each zone separately, because each zone's change is its own commit. An entry is removed once
 * the acknowledgement is confirmed: packet ids are reused, and a sensor's next opening must not count as a duplicate.
 */
export class MessageDeduplication {
  readonly #clock: Clock;
  readonly #log: Log;
  /** In the order of reading. */
  readonly #entries: TransactionalMap<string, Entry>;
  readonly #journal: Pick<Journal, "groupCommit" | "processedMessages">;
  /** Sessions that have to repeat their messages. */
  readonly paused = new PausedSessions();

  constructor({ journal, clock, log }: Pick<ZoneContext, "journal" | "clock" | "log">) {
    this.#journal = journal;
    this.#entries = new TransactionalMap(journal);
    this.#clock = clock;
    this.#log = log;
    try {
      journal.processedMessages.prune();
    } catch (error) {
      this.#warn(error);
    }
    for (const message of journal.processedMessages.load()) {
      // By the wall clock, which may have been set since; then only messages with DUP count as duplicates.
      const ageMs = Math.abs(clock.wallMs() - message.atWallMs);
      const atMs = clock.monotonicMs() - ageMs;
      const known = { message, atMs, firstAtMs: atMs };
      this.#add({ ...known, confirmsAtMs: undefined, isFromEarlierConnection: true });
    }
  }

  /** A sender has connected. @param resumes false when its session has no earlier messages */
  connected(session: string, resumes: boolean): void {
    this.paused.connected(session);
    const own = [...this.#entries.values()].filter(({ message }) => message.session === session);
    if (!resumes) this.#remove(own);
    const confirmsAtMs = this.#clock.monotonicMs() + DEDUPLICATION_WINDOW_MS;
    for (const entry of own) {
      entry.confirmsAtMs = confirmsAtMs;
      entry.isFromEarlierConnection = true;
    }
  }

  /** The sender has sent any packet. */
  onActivity(session: string): void {
    const nowMs = this.#clock.monotonicMs();
    const confirmed: Entry[] = [];
    for (const entry of this.#entries.values()) {
      // The entries are ordered by time, and none is confirmed earlier than this.
      if (entry.atMs + DEDUPLICATION_WINDOW_MS > nowMs) break;
      if (entry.message.session === session && (entry.confirmsAtMs ?? Infinity) <= nowMs)
        confirmed.push(entry);
    }
    if (confirmed.length === 0) return;
    // The memory is updated now; the store with the next group commit, because in a burst each message confirms one.
    this.#purgeMemory(confirmed);
    void this.#journal.groupCommit(() => this.#purgeStore(confirmed)).catch((error) => this.#warn(error));
  }

  /** Forgets the messages of zones or gates whose state is unknown: repeated messages are then new to them. */
  forget(ownerIds: readonly string[]): void {
    this.#remove([...this.#entries.values()].filter(({ message }) => ownerIds.includes(message.zoneId)));
  }

  /**
   * Reads a message for a zone or gate, which decides what to ignore of one that was read before.
   * @param ownerId of the zone or gate
   * @param hash of the message, see `messageHash`
   * @param partOf returns what is to be read; undefined for nothing
   * @throws any error of the reading; the message then does not count as read
   */
  once(
    { session, packetId, isRepeated }: Delivery,
    ownerId: string,
    hash: string,
    partOf: (repetition: Repetition | undefined) => MessagePart | undefined,
  ): void {
    const atMs = this.#clock.monotonicMs();
    const message = { session, packetId, zoneId: ownerId, hash, atWallMs: this.#clock.wallMs() };
    const earlier = this.#entries.get(keyOf(message));
    const repetition = earlier?.message.hash === hash ? repetitionOf(earlier, isRepeated, atMs) : undefined;
    const part = partOf(repetition);
    if (!part) {
      this.#log.info("mqtt-duplicate-ignored", { session, packetId, zone: ownerId });
      return;
    }
    if (earlier) this.#remove(repetition && part.isFollowed ? this.#from(earlier) : [earlier]);
    const confirmsAtMs = atMs + DEDUPLICATION_WINDOW_MS;
    const firstAtMs = repetition?.firstAtMs ?? atMs;
    const entry = { message, atMs, firstAtMs, confirmsAtMs, isFromEarlierConnection: false };
    this.#add(entry);
    // Stored before the zone's change, to be in its transaction.
    this.#journal.processedMessages.add(message);
    try {
      part.read();
    } catch (error) {
      this.#remove([entry]);
      throw error;
    }
  }

  /** A message, and what its sender has sent to the same zone since. */
  #from(earlier: Entry): readonly Entry[] {
    const { session, zoneId } = earlier.message;
    const own = [...this.#entries.values()].filter(
      ({ message }) => message.session === session && message.zoneId === zoneId,
    );
    return own.slice(own.indexOf(earlier));
  }

  #add(entry: Entry): void {
    this.#entries.set(keyOf(entry.message), entry);
    const oldest = this.#entries.size > MESSAGES_MAX ? this.#entries.values().next().value : undefined;
    if (oldest) this.#remove([oldest]);
  }

  #remove(removed: readonly Entry[]): void {
    if (removed.length === 0) return;
    this.#purgeMemory(removed);
    try {
      this.#purgeStore(removed);
    } catch (error) {
      this.#warn(error);
    }
  }

  #purgeMemory(removed: readonly Entry[]): void {
    for (const entry of removed) {
      const key = keyOf(entry.message);
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    }
  }

  #purgeStore(removed: readonly Entry[]): void {
    this.#journal.processedMessages.remove(removed.map(({ message }) => message));
  }

  /** Entries left in the store matter only at the next start, and rarely then. */
  #warn(error: unknown): void {
    this.#log.warn("mqtt-deduplication-purge-failed", { reason: messageOf(error) });
  }
}

function repetitionOf(earlier: Entry, isFlagged: boolean, atMs: number): Repetition | undefined {
  const { firstAtMs, isFromEarlierConnection } = earlier;
  if (isFlagged) return { kind: "flagged", firstAtMs };
  const isRecent = atMs - earlier.atMs <= UNFLAGGED_DUPLICATE_WINDOW_MS;
  return isFromEarlierConnection && isRecent ? { kind: "unflagged", firstAtMs } : undefined;
}

/**
 * The delivery of a packet, for `MqttMessage`. None for QoS 0, which is never resent, and for a last will, which the
 * broker sends.
 */
export function deliveryOf(
  { messageId, dup }: { readonly messageId?: number | undefined; readonly dup: boolean },
  session: string | undefined,
): { readonly delivery?: Delivery } {
  if (session === undefined || messageId === undefined || messageId === 0) return {};
  return { delivery: { session, packetId: messageId, isRepeated: dup } };
}

/** Distinguishes two messages with one packet id. */
export function messageHash(topic: string, payload: Uint8Array): string {
  return createHash("sha256").update(topic).update("\0").update(payload).digest("base64url").slice(0, 22);
}

function keyOf({ session, packetId, zoneId }: DeduplicationEntry): string {
  return JSON.stringify([session, packetId, zoneId]);
}
