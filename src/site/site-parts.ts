import type { Config } from "../config/config.ts";
import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { ZoneService } from "../inputs/zone-service.ts";
import type { ConditionRegistry } from "../ops/condition-registry.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Journal } from "../store/journal.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { UnfinishedInterventions } from "../store/unfinished-records.ts";
import type { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { Sync } from "../sync/sync.ts";

/** Components of the running daemon that the site API reads and acts on. */
export interface SiteParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly host: { readonly time: TrustedTime };
  readonly health: ConditionRegistry;
  readonly watch: ZoneService;
  readonly inputs: Inputs;
  readonly journal: Journal;
  readonly events: EventLog;
  readonly outbox: OutboxStore;
  readonly unfinished: UnfinishedInterventions;
  readonly centreObjectives: UpstreamObjectiveStore;
  /** Undefined for a standalone daemon. Read on each use: a reload may replace it. */
  readonly sync: Sync | undefined;
}
