import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { URGENT_ORDER } from "../domain/priority-order.ts";
import type { SyncTimeouts } from "../domain/backoff.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { SyncStore } from "./sync-store.ts";
import type { LinkFaultDetector } from "./link-fault-detector.ts";
import type { LinkedIdHistory } from "./recovery/upstream-restore.ts";
import type { ReferenceWatch } from "./reference-watch.ts";
import type { RetryContext } from "./attempt-outcome.ts";
import type { ReassignedIds } from "./recovery/reassigned-ids.ts";

/** Dependencies shared by all steps of the sync. */
export interface SyncContext {
  readonly centre: UpstreamClient;
  readonly store: SyncStore;
  readonly linkedIds: LinkedIdHistory;
  readonly watch: LinkFaultDetector;
  /** Watches whether the dispatch centre keeps our marker. */
  readonly reference: ReferenceWatch;
  /** Ids that the dispatch centre has reassigned to other records. */
  readonly reassignedIds: ReassignedIds;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly timeouts: SyncTimeouts;
  readonly failpoint: (name: string) => void;
}

/** The client for an entry's requests: urgent entries have their own connections. */
export function centreFor(
  { centre }: Pick<SyncContext, "centre">,
  { priorityOrder }: Pick<OutboxEntry, "priorityOrder">,
): UpstreamClient {
  return priorityOrder === URGENT_ORDER ? centre.urgent : centre;
}

/** The current time and a random number for a back-off. */
export function retryContext({ clock, random }: Pick<SyncContext, "clock" | "random">): RetryContext {
  return { wallMs: clock.wallMs(), random: random() };
}

/** Writes one log line with the outcome of a request. */
export function logOutcome({ log }: SyncContext, interventionId: number, outcome: WriteOutcome): void {
  const { event, code, reason, record } = outcome;
  const fields = { interventionId, outcome: event, code, ...(record ? { upstreamId: record.id } : {}) };
  if (event === "applied" || event === "removed") log.info("record-synced", fields);
  else log.warn("record-sync-failed", { ...fields, reason });
}
