import type { Clock } from "../domain/clock.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import { isStorageError, type Database } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import { GroupCommit } from "../store/group-commit.ts";

/** Interval of `forbidden` events of one account; the next one has the count. */
const FORBIDDEN_INTERVAL_MS = 60_000;
const ACCOUNTS_MAX = 1000;

/** Writes the event log. */
export class EventService {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #commits: GroupCommit;
  readonly #forbidden = new Map<string, { atMs: number; unlogged: number }>();

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#log = new EventLog(database);
    this.#clock = clock;
    this.#commits = new GroupCommit(database, clock);
  }

  /** Adds an event in the caller's transaction, so that both are committed together. */
  record(event: NewEvent): void {
    this.#log.add(event, this.#clock.wallMs());
  }

  /** Adds an event and ignores storage errors: for actions that must work with a full disk, such as sign-in. */
  note(event: NewEvent): void {
    try {
      this.record(event);
    } catch (error) {
      if (!isStorageError(error)) throw error;
    }
  }

  /**
   * As `note`, with one shared commit for all events of an event loop turn: after a power cut thousands of sites sign in
   * within seconds.
   */
  async noteWithOthers(event: NewEvent): Promise<void> {
    try {
      await this.#commits.write(() => this.record(event));
    } catch (error) {
      if (!isStorageError(error)) throw error;
    }
  }

  /** Adds an event for a denied request; rate-limited, so that a retrying client cannot fill the log. */
  forbidden({ who, from }: Actor, subject: string): void {
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#forbidden.get(who);
    if (earlier && nowMs - earlier.atMs < FORBIDDEN_INTERVAL_MS) {
      earlier.unlogged += 1;
      return;
    }
    if (this.#forbidden.size >= ACCOUNTS_MAX) this.#forbidden.clear();
    this.#forbidden.set(who, { atMs: nowMs, unlogged: 0 });
    const detail = earlier && earlier.unlogged > 0 ? { refusedMeanwhile: earlier.unlogged } : {};
    this.note({ event: "forbidden", who, from, subject, detail });
  }

  /** Whether the account has signed in from this address before. */
  hasSignedIn(email: string, address: string): boolean {
    return this.#log.hasSignedIn(email, address);
  }
}
