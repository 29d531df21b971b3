import type { Clock } from "../domain/clock.ts";
import type { MatchCandidate } from "../domain/match-candidate.ts";
import { testRecordMs } from "../domain/test-record.ts";
import { itemsOf, type ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { isMatchCandidate } from "./pageless-list.ts";

/** A test that runs in another process finishes within this time; older test records were left by one that ended early. */
const TEST_LASTS_MS = 600_000;

/**
 * Deletes a test record of this site, and nothing else: what stands under the id now must be one.
 * @param isFresh whether it was made just now, so that a copy that lags may not show it yet
 * @returns undefined when it is gone, else why it is not
 */
export async function removeTestRecord(
  centre: UpstreamClient,
  id: number,
  { siteRef, isFresh }: { siteRef: string; isFresh: boolean },
): Promise<string | undefined> {
  const path = `/interventii/${id}`;
  const { value, code, reason } = await centre.read(path);
  const row = value as MatchCandidate | undefined;
  if (row === undefined && code !== "404") return reason;
  if (row === undefined && !isFresh) return undefined;
  if (row && (row.id !== id || testRecordMs(row, siteRef) === undefined))
    return `${id} is another record now`;
  const outcome = await centre.write({ method: "DELETE", path });
  return outcome.event === "removed" || outcome.code === "404" ? undefined : outcome.reason;
}

/** Removes what a test that was interrupted has left among these records. @returns the ids of what was removed */
export async function removeOldTestRecords(
  { centre, clock, siteRef }: { centre: UpstreamClient; clock: Pick<Clock, "wallMs">; siteRef: string },
  rows: readonly MatchCandidate[],
): Promise<number[]> {
  const removed: number[] = [];
  for (const row of rows) {
    const madeAtMs = testRecordMs(row, siteRef);
    const isOld = madeAtMs !== undefined && Math.abs(clock.wallMs() - madeAtMs) > TEST_LASTS_MS;
    if (isOld && (await removeTestRecord(centre, row.id, { siteRef, isFresh: false })) === undefined)
      removed.push(row.id);
  }
  return removed;
}

const PAGE_ROWS = 100;

/** One page of the centre's list, the highest id first; rows are undefined when it is not a list. */
export async function readPage(
  centre: UpstreamClient,
  start: number,
): Promise<{ rows: readonly MatchCandidate[] | undefined; outcome: ReadOutcome }> {
  const outcome = await centre.read(
    `/interventii?_sort=id&_order=DESC&_start=${start}&_end=${start + PAGE_ROWS}`,
  );
  return { rows: itemsOf(outcome.value)?.filter(isMatchCandidate), outcome };
}
