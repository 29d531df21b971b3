import type { Clock } from "../domain/clock.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Database } from "../store/database.ts";
import { verifyTrailInTurns } from "../store/audit-trail.ts";
import { EventLog } from "../store/event-log.ts";
import { GroupCommit } from "../store/group-commit.ts";
import type { TrailReport } from "../store/trail-check.ts";

/** Writes the event log. */
export class EventService {
  readonly #log: EventLog;
  readonly #clock: Clock;
  readonly #commits: GroupCommit;
  readonly #database: Database;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#log = new EventLog(database);
    this.#clock = clock;
    this.#database = database;
    this.#commits = new GroupCommit(database, clock);
  }

  /** Adds an event in the caller's transaction, so that both are committed together. */
  record(event: NewEvent): void {
    this.#log.add(event, this.#clock.wallMs());
  }

  /**
   * Adds an event, with one shared commit for all events of an event loop turn: after a power cut thousands of sites
   * sign in within seconds.
   * @param atMs when it happened, wall clock, milliseconds since 1970
   * @param isRepeated whether it may be there from an earlier attempt; then it is not added again
   */
  add(event: NewEvent, atMs: number, isRepeated = false): Promise<void> {
    return this.#commits.write(() => {
      if (!isRepeated || !this.#log.has(event, atMs)) this.#log.add(event, atMs);
    });
  }

  /** Verifies the audit trail, a few entries in each turn of the event loop. */
  verifyTrail(): Promise<TrailReport> {
    return verifyTrailInTurns(this.#database, this.#clock);
  }
}
