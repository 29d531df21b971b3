import { useEffect } from "preact/hooks";
import type { Intervention } from "../../generated/types.ts";
import type { SyncRecordStatus } from "../../site/sync-view.ts";
import { useQuery, type QueryState } from "../api.ts";
import { daemonNowMs, later } from "../clock.ts";
import { journalVersion, status } from "../live-updates.ts";
import { needsAttention } from "../sync-badge.tsx";

/** How long an attempt may take before its result is asked for. */
const ATTEMPT_MS = 5_000;

/** The sync states of the records of a page, again after each attempt to send one of them. */
export function useSyncOf(records: readonly Intervention[] | undefined): QueryState<SyncRecordStatus[]> {
  const ids = (records ?? []).map(({ id }) => id).join();
  const { outbox, link } = status.value ?? {};
  const query = useQuery<SyncRecordStatus[]>(
    ids === "" ? undefined : `/site/sync/records?ids=${ids}`,
    JSON.stringify([journalVersion.value, outbox, link]),
  );
  // A failed attempt changes neither the journal nor the queue, and the link not each time.
  const { response, refresh } = query;
  useEffect(() => {
    const next = (response?.body ?? [])
      .filter(({ isSynced, phase }) => !isSynced && !needsAttention(phase))
      .map(({ nextAttemptAt: at }) => (at === null ? 0 : Date.parse(at) - daemonNowMs()));
    return next.length === 0 ? undefined : later(Math.max(0, Math.min(...next)) + ATTEMPT_MS, refresh);
  }, [response]);
  return query;
}
