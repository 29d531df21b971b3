import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { URGENT_ORDER } from "../domain/priority-order.ts";
import type { SyncTimeouts } from "../domain/backoff.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { SyncStore } from "./sync-store.ts";
import type { LinkFaultDetector } from "./link-fault-detector.ts";
import type { LinkedIdHistory } from "./upstream-restore.ts";
import type { ReferenceWatch } from "./reference-watch.ts";
import type { RetryContext } from "./attempt-outcome.ts";
import type { ReassignedIds } from "./reassigned-ids.ts";

/** What every step of the sync works with. */
export interface SyncContext {
  readonly centre: UpstreamClient;
  readonly store: SyncStore;
  readonly linkedIds: LinkedIdHistory;
  readonly watch: LinkFaultDetector;
  /** Whether the centre keeps our reference. */
  readonly reference: ReferenceWatch;
  /** Ids there that became another's. */
  readonly reassignedIds: ReassignedIds;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly timeouts: SyncTimeouts;
  readonly failpoint: (name: string) => void;
}

/** The centre over the connections that an entry's requests take. */
export function centreFor(
  { centre }: Pick<SyncContext, "centre">,
  { priorityOrder }: Pick<OutboxEntry, "priorityOrder">,
): UpstreamClient {
  return priorityOrder === URGENT_ORDER ? centre.urgent : centre;
}

/** Now, and a random number for a wait. */
export function retryContext({ clock, random }: Pick<SyncContext, "clock" | "random">): RetryContext {
  return { wallMs: clock.wallMs(), random: random() };
}

/** One log line for what became of a request. */
export function logOutcome({ log }: SyncContext, interventionId: number, outcome: WriteOutcome): void {
  const { event, code, reason, record } = outcome;
  const fields = { interventionId, outcome: event, code, ...(record ? { upstreamId: record.id } : {}) };
  if (event === "applied" || event === "removed") log.info("record-synced", fields);
  else log.warn("record-sync-failed", { ...fields, reason });
}
