import type { Clock } from "../../domain/clock.ts";
import type { Journal } from "../../store/journal.ts";
import { TransactionalMap } from "../../store/transactional-map.ts";
import type { MessageIdentity } from "./message-identity.ts";
import { follows, isBetween, isSameTime, NO_SEQUENCE, readHash, storedHash } from "./message-sequences.ts";

interface Entry {
  readonly seq: number;
  readonly sequence: string;
  readonly hash: string;
  /** Undefined if all events of the message are stored. */
  readonly part: StoredPart | undefined;
  readonly sentWallMs: number | null;
  readonly lastBlock: string | null;
  /** Monotonic. */
  readonly atMs: number;
}

/** Indexes of the events of a message that are stored, if not all are. */
export type StoredPart = ReadonlySet<number>;

/**
 * Within this time the same sequence with the same content is a repetition of the newest message, and of one before it if its time
 * shows that. Panels repeat every few seconds, and a panel at the rate limit of 10 messages a second needs 16 minutes for all
 * sequences.
 */
const WINDOW_MS = 600_000;
/**
 * The newest message of a panel that counts its sequences is a repetition for this time: the link may fail before the
 * acknowledgement, and another message would have another sequence.
 */
const NEWEST_WINDOW_MS = 86_400_000;
/**
 * Of a panel that gives all its messages one sequence: such a panel may report the same again soon. It repeats a message without
 * a reply every 20 s (DC-09, 5.5.2); some do not give up while no reply arrives, so the time counts from the last copy.
 */
const UNCOUNTED_WINDOW_MS = 90_000;
/** Hours after it, a panel has more probably started again than repeated this one of its 9,999 sequences. */
const FIRST_SEQUENCE = "0001";
/** Remembered messages of one account; a panel repeats the last few. */
const MESSAGES_MAX = 256;

/**
 * Recognises repetitions: an acknowledgement can be lost, and then the panel sends the message again, with another time
 * and padding. A sequence alone identifies nothing: it returns after 9,999 messages, or at once when the panel starts again.
 * Times are monotonic, so that setting the clock neither repeats nor swallows an alarm.
 */
export class RepeatedMessages {
  readonly #clock: Clock;
  readonly #journal: Journal;
  /** By account, oldest first. */
  readonly #entries: TransactionalMap<string, readonly Entry[]>;
  /** When a message was last repeated, monotonic. Not on disk: each write would wear it, and in doubt an alarm is new. */
  readonly #repeatedMs = new WeakMap<Entry, number>();
  /** Of the newest message of a panel, the last other sequence that came after it and was not stored. */
  readonly #heard = new WeakMap<Entry, string>();
  /** What is on disk of that. */
  readonly #keptHeard = new WeakMap<Entry, string>();

  constructor({ journal, clock }: { readonly journal: Journal; readonly clock: Clock }) {
    this.#journal = journal;
    this.#clock = clock;
    this.#entries = new TransactionalMap(journal);
    for (const { account, hash: stored, atWallMs, ...message } of journal.alarmPanels.messages()) {
      const atMs = clock.monotonicMs() - Math.abs(clock.wallMs() - atWallMs);
      const { heard, ...known } = readHash(stored);
      const entry = { ...message, ...known, atMs };
      this.#add(account, entry);
      if (heard === undefined) continue;
      this.#heard.set(entry, heard);
      this.#keptHeard.set(entry, heard);
    }
  }

  /**
   * Which events of a message are stored: all of them if it is repeated.
   * @param identity with the panel's time, checked or not
   */
  storedEvents({ account, sequence, hash, sentWallMs }: MessageIdentity): "all" | StoredPart {
    const entries = this.#entries.get(account) ?? [];
    const ofSequence = entries.filter((entry) => entry.sequence === sequence);
    const ofTime = ofSequence.findLast(
      (entry) => entry.hash === hash && isSameTime(entry.sentWallMs, sentWallMs),
    );
    if (ofTime) return ofTime.part ?? "all";
    // A panel that has used the sequence for another message since does not count: what it sends now is new.
    const earlier = ofSequence.at(-1);
    const isRepeated = earlier?.hash === hash && this.#isRepeated(earlier, entries, sentWallMs);
    return isRepeated ? (earlier.part ?? "all") : new Set();
  }

  /**
   * Whether a message that counts as new may be a late repetition: minutes ago its sequence had the same content, and others were
   * accepted since. Either the alarm panel has started again, or it repeats late. One that counts on from the newest is new.
   */
  isInDoubt({ account, sequence, hash }: MessageIdentity): boolean {
    const all = this.#entries.get(account) ?? [];
    const entries = all.slice(0, all.findLastIndex((entry) => entry.sequence !== sequence) + 1);
    const earlier = entries.findLast((entry) => entry.sequence === sequence);
    if (earlier?.hash !== hash || earlier.part || follows(sequence, entries.at(-1)?.sequence)) return false;
    return this.#clock.monotonicMs() - earlier.atMs <= WINDOW_MS;
  }

  /** Notes the sequence of a message that a panel has sent just now, also if it is not stored: it shows where the panel counts. */
  hear(account: string, sequence: string): void {
    const newest = this.#entries.get(account)?.at(-1);
    if (newest && sequence !== newest.sequence && sequence !== NO_SEQUENCE) this.#heard.set(newest, sequence);
  }

  /**
   * Stores what `hear` has noted since the newest message, so that a restart of the daemon does not forget it. It is at most two
   * writes for each stored message: that there was another one, and that the panel has started again. Never rejects: in memory it
   * counts all the same.
   */
  async keepHeard(account: string): Promise<void> {
    const newest = this.#entries.get(account)?.at(-1);
    const heard = newest && this.#heard.get(newest);
    if (!newest || heard === undefined) return;
    const kept = this.#keptHeard.get(newest);
    const hasStartedAgain = !follows(heard, newest.sequence);
    if (kept !== undefined && (!hasStartedAgain || !follows(kept, newest.sequence))) return;
    const { alarmPanels } = this.#journal;
    await this.#journal
      .groupCommit(() => alarmPanels.changeHash(newest.seq, storedHash({ ...newest, heard })))
      .then(() => this.#keptHeard.set(newest, heard))
      .catch((error: unknown) => this.#journal.noteError(error));
  }

  /** Notes that the newest message of a panel was repeated just now. */
  noteRepetition({ account, sequence, hash }: MessageIdentity): void {
    const newest = this.#entries.get(account)?.at(-1);
    if (newest?.sequence === sequence && newest.hash === hash)
      this.#repeatedMs.set(newest, this.#clock.monotonicMs());
  }

  /**
   * Whether an encrypted message was stored under another sequence, which is not encrypted: it was recorded and is sent again.
   * A new message of the alarm panel differs in its time or its padding.
   */
  isRecorded({ account, sequence, lastBlock }: MessageIdentity): boolean {
    const entries = this.#entries.get(account) ?? [];
    return (
      lastBlock !== null &&
      entries.some((entry) => entry.lastBlock === lastBlock && entry.sequence !== sequence)
    );
  }

  /**
   * Applies the events of a message that are not stored yet, and stores the message, in the caller's transaction.
   * @param events undefined for one that is left out: it is applied by a repetition, if it can be by then
   * @throws any error of the journal or of an event; its repetition then continues with this event
   */
  applyOnce<Event>(
    identity: MessageIdentity,
    isTimeChecked: boolean,
    events: readonly (Event | undefined)[],
    apply: (event: Event) => void,
  ): "acknowledged" | "repeated" {
    const before = this.storedEvents(identity);
    const left = [...events.entries()].filter(([index]) => before !== "all" && !before.has(index));
    const applicable = left.filter((entry): entry is [number, Event] => entry[1] !== undefined);
    const message = { ...identity, sentWallMs: isTimeChecked ? identity.sentWallMs : null };
    // A panel that is refused for the rest may repeat for hours: what is stored of it stays a repetition.
    if (before !== "all" && before.size > 0 && applicable.length === 0) this.remember(message, before);
    // The same message over two paths may be in this commit already.
    if (before === "all" || applicable.length === 0) return "repeated";
    const done = new Set(before);
    const all = new Set([...before, ...applicable.map(([index]) => index)]);
    // First, so that nothing is applied if this fails.
    this.remember(message, all.size < events.length ? all : undefined);
    try {
      for (const [index, event] of applicable) {
        apply(event);
        done.add(index);
      }
    } catch (error) {
      // A failing disk has ended the transaction: nothing of this message is stored.
      if (!this.#journal.alarmPanels.isInTransaction) throw error;
      // The other writes of the commit are kept: the panel's repetition must repeat none of them.
      this.#forgetNewest(identity.account);
      if (done.size > 0) this.remember(message, done);
      throw error;
    }
    return "acknowledged";
  }

  /**
   * Stores a message in the caller's transaction, instead of what was stored of it before.
   * @param part its stored events, if not all are: its repetition adds the others
   * @throws any error of the journal
   */
  remember(identity: MessageIdentity, part?: StoredPart): void {
    const { account, sequence, hash, sentWallMs, lastBlock } = identity;
    const newest = this.#entries.get(account)?.findLast((entry) => entry.sequence === sequence);
    if (newest?.part && newest.hash === hash) this.#remove(account, newest);
    const { alarmPanels } = this.#journal;
    const atWallMs = this.#clock.wallMs();
    const stored = storedHash({ hash, part, heard: undefined });
    const seq = alarmPanels.addMessage({ ...identity, hash: stored, atWallMs });
    const atMs = this.#clock.monotonicMs();
    const removed = this.#add(account, { seq, sequence, hash, part, sentWallMs, lastBlock, atMs });
    if (removed) alarmPanels.removeMessage(removed.seq);
  }

  /** Takes back the newest message of an account, in the caller's transaction: its repetition is a new message. */
  #forgetNewest(account: string): void {
    const newest = this.#entries.get(account)?.at(-1);
    if (newest) this.#remove(account, newest);
  }

  #remove(account: string, removed: Entry): void {
    const entries = this.#entries.get(account) ?? [];
    this.#entries.set(
      account,
      entries.filter((entry) => entry !== removed),
    );
    this.#journal.alarmPanels.removeMessage(removed.seq);
  }

  /** Whether a message with the same sequence and content is a repetition of this one, by the time since and its own time. */
  #isRepeated(earlier: Entry, entries: readonly Entry[], sentWallMs: number | null): boolean {
    const nowMs = this.#clock.monotonicMs();
    const ageMs = nowMs - earlier.atMs;
    const newest = entries.at(-1);
    const heard = this.#heard.get(earlier);
    const hasStartedAgain = heard !== undefined && !follows(heard, earlier.sequence);
    // What is not stored entirely was refused or got no reply: the panel repeats it, whatever it has sent since.
    if (earlier !== newest || hasStartedAgain)
      return ageMs <= WINDOW_MS && (earlier.part !== undefined || isBetween(sentWallMs, earlier, newest));
    const sinceLastMs = nowMs - (this.#repeatedMs.get(earlier) ?? earlier.atMs);
    const previous = entries.at(-2);
    const isSame = previous?.sequence === earlier.sequence && !this.#heard.has(previous);
    const isUncounted = earlier.sequence === NO_SEQUENCE || isSame;
    if (isUncounted) return sinceLastMs <= UNCOUNTED_WINDOW_MS && ageMs <= WINDOW_MS;
    const isFirst = earlier.sequence === FIRST_SEQUENCE || previous === undefined;
    return ageMs <= (isFirst || heard !== undefined ? WINDOW_MS : NEWEST_WINDOW_MS);
  }

  #add(account: string, entry: Entry): Entry | undefined {
    const entries = [...(this.#entries.get(account) ?? []), entry];
    const removed = entries.length > MESSAGES_MAX ? entries.shift() : undefined;
    this.#entries.set(account, entries);
    return removed;
  }
}
