import { createHash } from "node:crypto";
import type { Clock } from "../../domain/clock.ts";
import type { Journal } from "../../store/journal.ts";
import { TransactionalMap } from "../../store/transactional-map.ts";
import type { MessageContent, MessageHead } from "../../dc09/message.ts";

/** What identifies a message of a panel. */
interface MessageIdentity {
  readonly account: string;
  readonly sequence: string;
  /** Of token and content, without padding and time, which a panel may renew when it repeats. */
  readonly hash: string;
  /** The panel's time if it was checked; otherwise null. */
  readonly sentWallMs: number | null;
}

interface Entry {
  readonly seq: number;
  readonly sequence: string;
  readonly hash: string;
  readonly sentWallMs: number | null;
  /** Monotonic. */
  readonly atMs: number;
}

/**
 * Within this time the same sequence with the same content is a repetition. Panels repeat every few seconds, and a
 * panel at the rate limit of 10 messages a second needs 16 minutes for all sequences.
 */
const WINDOW_MS = 600_000;
/**
 * The newest message of a panel that counts its sequences is a repetition for this time: the link may fail before the
 * acknowledgement, and another message would have another sequence.
 */
const NEWEST_WINDOW_MS = 86_400_000;
/** Remembered messages of one account; a panel repeats the last few. */
const MESSAGES_MAX = 256;

/**
 * Recognises repetitions: an acknowledgement can be lost, and then the panel sends the message again, with another time
 * and padding. A sequence alone identifies nothing: it returns after 9,999 messages or when the panel starts again.
 * Times are monotonic, so that setting the clock neither repeats nor swallows an alarm.
 */
export class RepeatedMessages {
  readonly #clock: Clock;
  readonly #journal: Journal;
  /** By account, oldest first. */
  readonly #entries: TransactionalMap<string, readonly Entry[]>;

  constructor({ journal, clock }: { readonly journal: Journal; readonly clock: Clock }) {
    this.#journal = journal;
    this.#clock = clock;
    this.#entries = new TransactionalMap(journal);
    for (const { seq, account, sequence, hash, sentWallMs, atWallMs } of journal.alarmPanels.messages()) {
      const atMs = clock.monotonicMs() - Math.abs(clock.wallMs() - atWallMs);
      this.#add(account, { seq, sequence, hash, sentWallMs, atMs });
    }
  }

  /** @param sentWallMs the panel's time, checked or not */
  isRepeated({ account, sequence, hash, sentWallMs }: MessageIdentity): boolean {
    const entries = this.#entries.get(account) ?? [];
    const ofSequence = entries.filter((entry) => entry.sequence === sequence);
    if (ofSequence.some((entry) => entry.hash === hash && isSameTime(entry.sentWallMs, sentWallMs)))
      return true;
    // A panel that has used the sequence for another message since does not count: what it sends now is new.
    const earlier = ofSequence.at(-1);
    if (earlier?.hash !== hash) return false;
    const ageMs = this.#clock.monotonicMs() - earlier.atMs;
    if (ageMs <= WINDOW_MS) return true;
    const previous = entries.at(-2);
    const countsSequences = previous !== undefined && previous.sequence !== sequence;
    return earlier === entries.at(-1) && countsSequences && ageMs <= NEWEST_WINDOW_MS;
  }

  /** Stores a message in the caller's transaction. @throws any error of the journal */
  remember({ account, sequence, hash, sentWallMs }: MessageIdentity): void {
    const { alarmPanels } = this.#journal;
    const atWallMs = this.#clock.wallMs();
    const seq = alarmPanels.addMessage({ account, sequence, hash, sentWallMs, atWallMs });
    const removed = this.#add(account, {
      seq,
      sequence,
      hash,
      sentWallMs,
      atMs: this.#clock.monotonicMs(),
    });
    if (removed) alarmPanels.removeMessage(removed.seq);
  }

  /** Takes back the newest message of an account, in the caller's transaction: its repetition is a new message. */
  forgetNewest(account: string): void {
    const entries = this.#entries.get(account) ?? [];
    const newest = entries.at(-1);
    if (!newest) return;
    this.#entries.set(account, entries.slice(0, -1));
    this.#journal.alarmPanels.removeMessage(newest.seq);
  }

  #add(account: string, entry: Entry): Entry | undefined {
    const entries = [...(this.#entries.get(account) ?? []), entry];
    const removed = entries.length > MESSAGES_MAX ? entries.shift() : undefined;
    this.#entries.set(account, entries);
    return removed;
  }
}

function isSameTime(checkedWallMs: number | null, sentWallMs: number | null): boolean {
  return checkedWallMs !== null && checkedWallMs === sentWallMs;
}

/** Hash of what a repetition has in common with its message. */
export function contentHash({ token }: Pick<MessageHead, "token">, content: MessageContent): string {
  const { account, data, extended } = content;
  return createHash("sha256")
    .update(JSON.stringify([token, account, data, extended]))
    .digest("base64url")
    .slice(0, 22);
}
