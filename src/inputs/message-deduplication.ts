import { createHash } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Journal } from "../store/journal.ts";
import type { DeduplicationEntry, DeduplicationStore } from "../store/deduplication-store.ts";

/** How a message with QoS 1 or 2 was delivered. */
export interface Delivery {
  /** The client id under which the sender numbers its messages. */
  readonly session: string;
  readonly packetId: number;
  /** The sender says that it may have sent this message before (DUP). */
  readonly isRepeated: boolean;
}

/**
 * A sender that is heard so long after an acknowledgement, on the same connection, has got it; one that is heard so long
 * after it came back has sent again what it wanted to. Longer than clients wait before they repeat, shorter than the
 * 30 s after which a sensor that sends no restore may trip anew with the very same message.
 */
const DEDUPLICATION_WINDOW_MS = 20_000;
/**
 * Some clients repeat without saying so (mqtt.js, and with it zigbee2mqtt, which notices a dead line after 90 s at the
 * latest). So soon after the first one the same words under the same number on a new connection are a repetition; should
 * they ever be news, they belong to an incident that is already open.
 */
const UNFLAGGED_DUPLICATE_WINDOW_MS = 120_000;
/** Beyond so many the oldest is forgotten; a broker has some twenty unacknowledged, a sensor one. */
const MESSAGES_MAX = 4_096;

export interface TakenMessagesOptions {
  readonly journal: Pick<Journal, "takenMessages" | "groupCommit" | "onRollback">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Taken {
  readonly message: DeduplicationEntry;
  readonly atMs: number;
  /** When hearing from its sender settles it; undefined while its sender is away. */
  settlesAtMs: number | undefined;
  /** Its sender has connected again since. */
  isFromEarlierConnection: boolean;
}

/**
 * What was taken out of messages whose acknowledgement may have been lost on its way. Such a message comes again, and
 * after an opening and a closing it would be a new edge: one opening, two interventions.
 *
 * A message counts as taken for each zone by itself, because each zone's change is a commit of its own. It is left out
 * only until it is settled: packet ids are used again, and a sensor's next opening must not be taken for its last one.
 */
export class MessageDeduplication {
  readonly #store: DeduplicationStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** In the order in which they were taken. */
  readonly #taken = new Map<string, Taken>();

  readonly #journal: Pick<Journal, "groupCommit" | "onRollback">;

  constructor({ journal, clock, log }: TakenMessagesOptions) {
    const store = journal.takenMessages;
    this.#journal = journal;
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    for (const message of store.load()) {
      // By the wall clock, which may have been set since; then only what is marked counts as a repetition.
      const ageMs = Math.abs(clock.wallMs() - message.atWallMs);
      const atMs = clock.monotonicMs() - ageMs;
      this.#keep({ message, atMs, settlesAtMs: undefined, isFromEarlierConnection: true });
    }
  }

  /** A sender has come (back). @param resumes false when it knows nothing of an earlier connection */
  connected(session: string, resumes: boolean): void {
    const own = this.#of(session);
    if (!resumes) this.#forget(own);
    const settlesAtMs = this.#clock.monotonicMs() + DEDUPLICATION_WINDOW_MS;
    for (const taken of own) {
      taken.settlesAtMs = settlesAtMs;
      taken.isFromEarlierConnection = true;
    }
  }

  /** Anything has come from a sender. */
  onActivity(session: string): void {
    const nowMs = this.#clock.monotonicMs();
    const settled: Taken[] = [];
    for (const taken of this.#taken.values()) {
      // Those behind were taken later, and nothing settles earlier than this.
      if (taken.atMs + DEDUPLICATION_WINDOW_MS > nowMs) break;
      if (taken.message.session === session && (taken.settlesAtMs ?? Infinity) <= nowMs) settled.push(taken);
    }
    if (settled.length === 0) return;
    // Here at once; on the disk with whatever else is written at this moment, for in a burst each message settles one.
    this.#purgeMemory(settled);
    void this.#journal.groupCommit(() => this.#purgeStore(settled)).catch((error) => this.#warn(error));
  }

  /**
   * Runs `read` unless this very message was taken for the zone before.
   * @param hash of the message, see `hashOf`
   * @throws whatever `read` throws; the message is not taken then
   */
  once({ session, packetId, isRepeated }: Delivery, zoneId: string, hash: string, read: () => void): void {
    const atMs = this.#clock.monotonicMs();
    const message = { session, packetId, zoneId, hash, atWallMs: this.#clock.wallMs() };
    const earlier = this.#taken.get(keyOf(message));
    if (earlier && earlier.message.hash === hash) {
      const isUnmarked =
        earlier.isFromEarlierConnection && atMs - earlier.atMs <= UNFLAGGED_DUPLICATE_WINDOW_MS;
      if (isRepeated || isUnmarked) {
        this.#log.info("mqtt-duplicate-ignored", { session, packetId, zone: zoneId });
        return;
      }
    }
    if (earlier) this.#forget([earlier]);
    const taken = {
      message,
      atMs,
      settlesAtMs: atMs + DEDUPLICATION_WINDOW_MS,
      isFromEarlierConnection: false,
    };
    this.#keep(taken);
    // Before the zone's change, to be in its transaction; and lost with it.
    this.#store.add(message);
    this.#journal.onRollback(() => this.#forget([taken]));
    try {
      read();
    } catch (error) {
      this.#forget([taken]);
      throw error;
    }
  }

  #of(session: string): Taken[] {
    return [...this.#taken.values()].filter(({ message }) => message.session === session);
  }

  #keep(taken: Taken): void {
    this.#taken.set(keyOf(taken.message), taken);
    const oldest = this.#taken.size > MESSAGES_MAX ? this.#taken.values().next().value : undefined;
    if (oldest) this.#forget([oldest]);
  }

  #forget(forgotten: readonly Taken[]): void {
    if (forgotten.length === 0) return;
    this.#purgeMemory(forgotten);
    try {
      this.#purgeStore(forgotten);
    } catch (error) {
      this.#warn(error);
    }
  }

  #purgeMemory(forgotten: readonly Taken[]): void {
    for (const taken of forgotten) {
      const key = keyOf(taken.message);
      if (this.#taken.get(key) === taken) this.#taken.delete(key);
    }
  }

  #purgeStore(forgotten: readonly Taken[]): void {
    this.#store.remove(forgotten.map(({ message }) => message));
  }

  /** What stays on the disk is in nobody's way before the next start, and then hardly ever. */
  #warn(error: unknown): void {
    this.#log.warn("mqtt-deduplication-purge-failed", { reason: messageOf(error) });
  }
}

/**
 * How a packet was delivered, for `MqttMessage`; nothing for QoS 0, which nobody repeats, and for a last will, which is
 * the broker's.
 */
export function deliveryOf(
  { messageId, dup }: { readonly messageId?: number | undefined; readonly dup: boolean },
  session: string | undefined,
): { readonly delivery?: Delivery } {
  if (session === undefined || messageId === undefined || messageId === 0) return {};
  return { delivery: { session, packetId: messageId, isRepeated: dup } };
}

/** What tells two messages under one packet id apart. */
export function hashOf(topic: string, payload: Uint8Array): string {
  return createHash("sha256").update(topic).update("\0").update(payload).digest("base64url").slice(0, 22);
}

function keyOf({ session, packetId, zoneId }: DeduplicationEntry): string {
  return JSON.stringify([session, packetId, zoneId]);
}
