import type { Clock } from "../domain/clock.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import { isStorageError, type Database } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import { GroupCommit } from "../store/group-commit.ts";

/** Of one account that is refused again and again, one entry a minute is kept, with the count. */
const FORBIDDEN_EVERY_MS = 60_000;
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

  /** Adds an entry, in the transaction of the caller if there is one: what it tells of happens with it or not at all. */
  record(event: NewEvent): void {
    this.#log.add(event, this.#clock.wallMs());
  }

  /** Adds an entry about something that must go on where nothing can be written: a full disk keeps nobody out. */
  note(event: NewEvent): void {
    try {
      this.record(event);
    } catch (error) {
      if (!isStorageError(error)) throw error;
    }
  }

  /**
   * The same, with a flush that is shared by all entries of one turn of the event loop: after a power cut thousands of
   * sites sign in within seconds, and each waits for its own entry alone.
   */
  async noteWithOthers(event: NewEvent): Promise<void> {
    try {
      await this.#commits.write(() => this.record(event));
    } catch (error) {
      if (!isStorageError(error)) throw error;
    }
  }

  /** Notes that somebody was refused something; the flood of a client that does not give up cannot fill the log. */
  forbidden({ who, from }: Actor, subject: string): void {
    const nowMs = this.#clock.monotonicMs();
    const earlier = this.#forbidden.get(who);
    if (earlier && nowMs - earlier.atMs < FORBIDDEN_EVERY_MS) {
      earlier.unlogged += 1;
      return;
    }
    if (this.#forbidden.size >= ACCOUNTS_MAX) this.#forbidden.clear();
    this.#forbidden.set(who, { atMs: nowMs, unlogged: 0 });
    const detail = earlier && earlier.unlogged > 0 ? { refusedMeanwhile: earlier.unlogged } : {};
    this.note({ event: "forbidden", who, from, subject, detail });
  }

  /** Whether that account has signed in from that address before. */
  hasSignedIn(email: string, address: string): boolean {
    return this.#log.hasSignedIn(email, address);
  }
}
