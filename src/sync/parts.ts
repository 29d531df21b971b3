import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { ALARM_RANK } from "../domain/outbox-rank.ts";
import type { Patience } from "../domain/waits.ts";
import type { Verdict } from "./answer.ts";
import type { Centre } from "./centre.ts";
import type { Ledger } from "./ledger.ts";
import type { LinkWatch } from "./link-watch.ts";
import type { LinkedBefore } from "./restore.ts";
import type { ReferenceWatch } from "./reference-watch.ts";
import type { Moment } from "./settlement.ts";
import type { StrangerWatch } from "./stranger-watch.ts";

/** What every step of the sync works with. */
export interface SyncParts {
  readonly centre: Centre;
  readonly ledger: Ledger;
  readonly linkedBefore: LinkedBefore;
  readonly watch: LinkWatch;
  /** Whether the centre keeps our reference. */
  readonly reference: ReferenceWatch;
  /** Ids there that became another's. */
  readonly strangers: StrangerWatch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly patience: Patience;
  readonly failpoint: (name: string) => void;
}

/** The centre over the connections that an entry's requests take. */
export function centreFor(
  { centre }: Pick<SyncParts, "centre">,
  { rank }: Pick<OutboxEntry, "rank">,
): Centre {
  return rank === ALARM_RANK ? centre.forAlarms : centre;
}

/** Now, and a random number for a wait. */
export function momentOf({ clock, random }: Pick<SyncParts, "clock" | "random">): Moment {
  return { wallMs: clock.wallMs(), random: random() };
}

/** One log line for what became of a request. */
export function tellOutcome({ log }: SyncParts, interventionId: number, verdict: Verdict): void {
  const { event, code, reason, record } = verdict;
  const fields = { interventionId, outcome: event, code, ...(record ? { upstreamId: record.id } : {}) };
  if (event === "applied" || event === "removed") log.info("record-synced", fields);
  else log.warn("record-not-synced", { ...fields, reason });
}
