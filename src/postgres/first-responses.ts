import { AppError } from "../domain/errors.ts";
import type { Clock } from "../domain/clock.ts";
import type { Intervention } from "../domain/intervention.ts";
import type { CreatedRecord, IdempotencyKey } from "../service/records.ts";
import { EXPIRED_AT } from "../store/idempotency.ts";
import { FIRST_REV, type StoredIntervention } from "../store/interventions.ts";
import type { Queries, ReadsAndWrites } from "./connection.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";
import { STORED_RESPONSES, type StoredResponseRow } from "./record-rows.ts";

/** What the responses need of the records. */
interface Kept {
  /** A record or its tombstone. */
  readonly read: (id: number) => Promise<StoredIntervention | undefined>;
  /** As the statement `CONFIRM`. */
  readonly confirm: () => Promise<unknown>;
}

interface AskedKey {
  readonly accountId: number;
  readonly key: string;
}

/** The first responses to keys of requests, of which the id of the record remains after 30 days. */
export class FirstResponses {
  readonly #writes: Queries;
  readonly #records: Kept;
  readonly #answers: EventLoopBatch<AskedKey, StoredResponseRow | undefined>;

  constructor(queries: ReadsAndWrites, clock: Pick<Clock, "afterEventLoopTurn">, records: Kept) {
    this.#writes = queries.writes;
    this.#records = records;
    this.#answers = new EventLoopBatch(clock, async (asked) => {
      const values = [asked.map(({ accountId }) => accountId), asked.map(({ key }) => key)];
      const rows = await queries.query<StoredResponseRow>(STORED_RESPONSES, values);
      const found = new Map(rows.map((row) => [row.n - 1, row]));
      return asked.map((_one, index) => found.get(index));
    });
  }

  /**
   * The first response to a key, or later its record. The commit of that request may be on this server only, if the server ended
   * while it waited for its standby: the answer waits for it.
   * @returns undefined if there is none, or if its record is deleted: the key is free then
   * @throws AppError `key-reused`
   */
  async find(accountId: number, { key, fingerprint }: IdempotencyKey): Promise<CreatedRecord | undefined> {
    const answer = await this.#answers.ask({ accountId, key });
    const first = typeof answer?.body === "string" ? (JSON.parse(answer.body) as Intervention) : undefined;
    const hasExpired = answer?.created_at === EXPIRED_AT;
    const isOther = first !== undefined && answer?.fingerprint !== fingerprint;
    if (first && !hasExpired) {
      if (isOther) throw keyReused();
      await this.#records.confirm();
      return { record: first, rev: FIRST_REV, replayed: true };
    }
    // Without a response, it is the record that has the key: do not create a duplicate.
    const id = first?.id ?? answer?.id;
    if (typeof id !== "number") return undefined;
    await this.#records.confirm();
    const current = await this.#records.read(id);
    if (!current || current.deleted) {
      if (hasExpired) await this.#writes.query(FORGET, [accountId, key]);
      return undefined;
    }
    if (isOther) throw keyReused();
    return { record: current.record, rev: current.rev, replayed: true };
  }
}

const FORGET = `DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND created_at = ${EXPIRED_AT}`;

function keyReused(): AppError {
  return new AppError("key-reused", "Idempotency-Key was already used with a different body");
}
