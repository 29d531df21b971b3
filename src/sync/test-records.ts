import type { Clock } from "../domain/clock.ts";
import type { MatchCandidate } from "../domain/match-candidate.ts";
import { testRecordMs } from "../domain/test-record.ts";
import { itemsOf, type ReadOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import { isMatchCandidate } from "./recovery/pageless-list.ts";

/** Maximum duration of a test in another process; older test records are from an interrupted one. */
const TEST_DURATION_MAX_MS = 600_000;

/**
 * Deletes a test record of this site; any other record under the id is kept.
 * @param isFresh whether it was just created, so that a replica may not show it yet
 * @returns undefined once deleted, else the reason
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

/**
 * Deletes test records of an interrupted test among these rows.
 * @returns the ids of the deleted records
 */
export async function removeOldTestRecords(
  { centre, clock, siteRef }: { centre: UpstreamClient; clock: Pick<Clock, "wallMs">; siteRef: string },
  rows: readonly MatchCandidate[],
): Promise<number[]> {
  const removed: number[] = [];
  for (const row of rows) {
    const madeAtMs = testRecordMs(row, siteRef);
    const isOld = madeAtMs !== undefined && Math.abs(clock.wallMs() - madeAtMs) > TEST_DURATION_MAX_MS;
    if (isOld && (await removeTestRecord(centre, row.id, { siteRef, isFresh: false })) === undefined)
      removed.push(row.id);
  }
  return removed;
}

const PAGE_ROWS = 100;

/** Reads one page of the centre's list, highest id first; rows are undefined if the response is not a list. */
export async function readPage(
  centre: UpstreamClient,
  start: number,
): Promise<{ rows: readonly MatchCandidate[] | undefined; outcome: ReadOutcome }> {
  const outcome = await centre.read(
    `/interventii?_sort=id&_order=DESC&_start=${start}&_end=${start + PAGE_ROWS}`,
  );
  return { rows: itemsOf(outcome.value)?.filter(isMatchCandidate), outcome };
}
