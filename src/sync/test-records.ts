import type { Clock } from "../domain/clock.ts";
import type { InterventionFields } from "../domain/intervention.ts";
import type { MatchCandidate } from "../domain/match-candidate.ts";
import { testRecordMs } from "../domain/test-record.ts";
import { lacksIds, isMatchCandidate } from "./recovery/pageless-list.ts";
import type { ReadOutcome, WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { itemsOf } from "./wrapped-body.ts";

/** Maximum duration of a test in another process; older test records are from an interrupted one. */
const TEST_DURATION_MAX_MS = 600_000;

interface TestSite {
  readonly centre: UpstreamClient;
  readonly clock: Clock;
  readonly siteRef: string;
}

/**
 * Deletes a test record of this site; any other record under the id is kept.
 * @param isFresh whether it was just created, so that a replica may not show it yet
 * @returns undefined once deleted, else the reason
 */
async function removeTestRecord(
  centre: UpstreamClient,
  id: number,
  { siteRef, isFresh }: { siteRef: string; isFresh: boolean },
): Promise<string | undefined> {
  const { value, code, reason } = await centre.record(id);
  const row = value as MatchCandidate | undefined;
  if (row === undefined && code !== "404") return reason;
  if (row === undefined && !isFresh) return undefined;
  if (row && (row.id !== id || testRecordMs(row, siteRef) === undefined))
    return `${id} is another record now`;
  const outcome = await centre.remove(id);
  return outcome.event === "removed" || outcome.code === "404" ? undefined : outcome.reason;
}

/**
 * Deletes test records of an interrupted test among these rows.
 * @param minAgeMs 0 if no other test can be running
 * @returns the ids of the deleted records
 */
export async function removeOldTestRecords(
  { centre, clock, siteRef }: TestSite,
  rows: readonly MatchCandidate[],
  minAgeMs = TEST_DURATION_MAX_MS,
): Promise<number[]> {
  const removed: number[] = [];
  for (const row of rows) {
    const madeAtMs = testRecordMs(row, siteRef);
    const isOld = madeAtMs !== undefined && Math.abs(clock.wallMs() - madeAtMs) >= minAgeMs;
    if (isOld && (await removeTestRecord(centre, row.id, { siteRef, isFresh: false })) === undefined)
      removed.push(row.id);
  }
  return removed;
}

/** Maximum wait until a new record can be read or deleted. */
export const TEST_RECORD_WAIT_MAX_MS = 10_000;
const POLL_INTERVAL_MS = 250;

/** The records that one test has created. */
export class TestRecords {
  readonly #options: TestSite;
  readonly #ids = new Set<number>();

  constructor(options: TestSite) {
    this.#options = options;
  }

  async create(key: string, sent: InterventionFields): Promise<WriteOutcome> {
    const outcome = await this.#options.centre.create(key, JSON.stringify(sent));
    if (outcome.record) this.#ids.add(outcome.record.id);
    return outcome;
  }

  /** Adds a record whose creation was unconfirmed. */
  add(id: number): void {
    this.#ids.add(id);
  }

  /** Called when the test has deleted a record. */
  forget(id: number): void {
    this.#ids.delete(id);
  }

  /**
   * Deletes all records.
   * @returns how many there were, the ids of those that are left, and the last reason
   */
  async removeAll(): Promise<{ count: number; left: readonly number[]; reason: string }> {
    const { centre, clock, siteRef } = this.#options;
    const count = this.#ids.size;
    let reason = "";
    const endMs = clock.monotonicMs() + TEST_RECORD_WAIT_MAX_MS;
    for (const id of this.#ids)
      for (;;) {
        const failure = await removeTestRecord(centre, id, { siteRef, isFresh: true });
        if (failure === undefined) this.#ids.delete(id);
        else reason = failure;
        if (failure === undefined || clock.monotonicMs() > endMs) break;
        await waitForNextPoll(clock);
      }
    return { count, left: [...this.#ids], reason };
  }
}

/** Waits before the next request about a new record. */
export function waitForNextPoll(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(POLL_INTERVAL_MS, resolve);
  });
}

/** Reads one page of the centre's list, highest id first; rows are undefined if the response is not a list. */
export async function readPage(
  centre: UpstreamClient,
  start: number,
): Promise<{ rows: readonly MatchCandidate[] | undefined; outcome: ReadOutcome; isWithoutIds: boolean }> {
  const outcome = await centre.page(start);
  const items = itemsOf(outcome.value);
  const rows = items?.filter(isMatchCandidate);
  return { rows, outcome, isWithoutIds: items !== undefined && lacksIds(items, rows ?? []) };
}
