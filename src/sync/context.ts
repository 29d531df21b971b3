import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Locale } from "../domain/trip-text.ts";
import type { Log } from "../domain/log.ts";
import type { SyncTimeouts } from "../domain/backoff.ts";
import type { Database } from "../store/database.ts";
import type { WriteOutcome } from "./reply-classification.ts";
import type { UpstreamClient } from "./upstream-client.ts";
import type { SyncStore } from "./sync-store.ts";
import type { LinkFaultDetector } from "./link.ts";
import type { SyncConditions } from "./sync-conditions.ts";
import type { LinkedIdHistory } from "./recovery/highest-id.ts";

/** What the sync needs of the daemon. */
export interface SyncPorts {
  readonly database: Database;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly failpoint: (name: string) => void;
}

/** Dependencies shared by all steps of the sync. */
export interface SyncContext extends SyncPorts {
  readonly centre: UpstreamClient;
  readonly store: SyncStore;
  readonly linkedIds: LinkedIdHistory;
  readonly linkFaults: LinkFaultDetector;
  readonly syncConditions: SyncConditions;
  readonly timeouts: SyncTimeouts;
  readonly siteRef: string;
  /** IANA zone in which a dispatcher's dates without an offset are read. */
  readonly timezone: string;
  /** Language of the texts of records. */
  readonly locale: Locale;
}

/** Logs the outcome of a record's request, and updates the link. */
export async function report(
  { log, linkFaults }: SyncContext,
  interventionId: number,
  outcome: WriteOutcome,
): Promise<void> {
  const { event, code, reason, record } = outcome;
  const fields = { interventionId, outcome: event, code, ...(record ? { upstreamId: record.id } : {}) };
  if (event === "applied" || event === "removed") log.info("record-synced", fields);
  else log.warn("record-sync-failed", { ...fields, reason });
  await linkFaults.note(outcome, interventionId);
}
