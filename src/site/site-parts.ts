import type { Config } from "../config/config.ts";
import type { LinkStatus } from "../domain/link-status.ts";
import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { ZoneService } from "../inputs/zone-service.ts";
import type { ConditionRegistry } from "../ops/condition-registry.ts";
import type { AlarmTrips } from "../store/alarm-trips.ts";
import type { Journal } from "../store/journal.ts";
import type { KnownSitesStore } from "../store/known-sites.ts";
import type { ObjectiveStore } from "../store/objectives.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { TransmissionStore } from "../store/transmissions.ts";
import type { UnfinishedInterventions } from "../store/unfinished-records.ts";

/** Components of the sensing thread that the site API reads and acts on. */
export interface SiteParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly host: { readonly time: TrustedTime };
  readonly health: ConditionRegistry;
  readonly zoneService: ZoneService;
  readonly inputs: Inputs;
  readonly journal: Journal;
  readonly alarmTrips: AlarmTrips;
  /** On a read-only connection, as are the others of `santinela.db`. */
  readonly outbox: OutboxStore;
  readonly unfinished: UnfinishedInterventions;
  readonly knownSites: KnownSitesStore;
  readonly objectives: ObjectiveStore;
  readonly transmissions: TransmissionStore;
  /** The newest state that the records have reported. */
  readonly link: () => LinkStatus;
  /** Directory before the paths of converters in /sys; empty for a real machine. */
  readonly root?: string;
}
