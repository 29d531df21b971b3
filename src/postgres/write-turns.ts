import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { KeyedTurns, Places } from "../service/places.ts";
import type { PostgresConnections } from "./connection.ts";

/** Changes at once: those of one client must not take all connections of the process, for which new records and reports wait too. */
const CHANGES_AT_ONCE_MAX = 4;
/** How long one of them waits for others. */
const WAITING_MS_MAX = 10_000;

/** The order in which one process writes records that exist. */
export class WriteTurns {
  readonly #clock: Pick<Clock, "after">;
  readonly #connections: Pick<PostgresConnections, "audited">;
  readonly #records = new KeyedTurns<number>();
  readonly #changes = new Places(CHANGES_AT_ONCE_MAX);

  constructor(connections: Pick<PostgresConnections, "audited">, clock: Pick<Clock, "after">) {
    this.#connections = connections;
    this.#clock = clock;
  }

  /** Does one work at a time for each record. @throws AppError `unavailable` after too long a wait for others */
  ofRecord<T>(id: number, work: () => Promise<T>): Promise<T> {
    return this.#records.run(
      id,
      work,
      this.#timeout(() => changedByMany(id)),
    );
  }

  /** Writes a change. @throws as `ofRecord` */
  change<T>(write: () => Promise<T>): Promise<T> {
    return this.#changes.run(write, this.#timeout(tooManyWrites));
  }

  /** Writes a deletion. @throws as `ofRecord` */
  remove<T>(write: () => Promise<T>): Promise<T> {
    return auditedTurn(this.#connections, this.#clock, write);
  }

  #timeout(tooLate: () => AppError) {
    return { clock: this.#clock, waitingMs: WAITING_MS_MAX, tooLate };
  }
}

/**
 * Does what is in the audit trail, for whose lock it may wait in the server, at one of the few places for that.
 * @throws AppError `unavailable` after too long a wait for others
 */
export function auditedTurn<T>(
  { audited }: Pick<PostgresConnections, "audited">,
  clock: Pick<Clock, "after">,
  write: () => Promise<T>,
): Promise<T> {
  return audited.run(write, { clock, waitingMs: WAITING_MS_MAX, tooLate: tooManyWrites });
}

function tooManyWrites(): AppError {
  return new AppError("unavailable", "the database is busy; try again", { retryAfterS: 2 });
}

/** The error of a record that others change all the time. */
export function changedByMany(id: number): AppError {
  return new AppError("unavailable", `intervention ${id} is changed by too many clients; try again`, {
    retryAfterS: 1,
  });
}
