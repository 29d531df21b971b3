import { localRemote, type Remote } from "../domain/remote.ts";
import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import type { EventLog } from "../store/event-log.ts";
import type { FaultStore } from "../store/faults.ts";
import type { LinkSampleStore } from "../store/link-samples.ts";
import type { ObjectiveStore } from "../store/objectives.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { TransmissionStore } from "../store/transmissions.ts";
import type { PastTripStore } from "../store/past-trips.ts";
import type { TripStore } from "../store/trips.ts";
import type { UnfinishedInterventions } from "../store/unfinished-records.ts";
import type { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { WalkTestArchive } from "../store/walk-test-archive.ts";
import type { WalkTestStore } from "../store/walk-tests.ts";
import type { SyncPort } from "../sync/sync-port.ts";
import { SiteMonitoring } from "./monitoring.ts";
import type { SiteTests } from "./field-tests.ts";
import { SiteObjectives } from "./objectives.ts";
import type { SiteOutputs } from "./outputs.ts";
import type { Site } from "./site.ts";
import { RecordJourneys } from "./record-journeys.ts";
import { SiteSync } from "./sync.ts";
import { SiteTimeline } from "./timeline.ts";
import { SiteWalkTests } from "./walk-tests.ts";
import type { SiteZones } from "./zones.ts";

/** The contents of the site API as the routes call them, by subject. */
export interface SiteApi extends Pick<Remote<Site>, "status"> {
  readonly zones: Remote<SiteZones>;
  readonly tests: Remote<SiteTests>;
  readonly walkTests: Remote<SiteWalkTests>;
  readonly outputs: Remote<Pick<SiteOutputs, "list" | "test">>;
  readonly timeline: Remote<SiteTimeline>;
  readonly sync: Remote<SiteSync>;
  readonly objectives: Remote<SiteObjectives>;
  readonly monitoring: Remote<Pick<SiteMonitoring, "ofRecord">>;
}

/** The sensing thread, the sync, and tables of both databases on read-only connections. */
interface SiteApiParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly site: Pick<Remote<Site>, "status">;
  readonly zones: Remote<SiteZones>;
  readonly tests: Remote<SiteTests>;
  readonly outputs: Remote<Pick<SiteOutputs, "list" | "test">>;
  readonly sync: Remote<SyncPort>;
  readonly events: EventLog;
  readonly outbox: OutboxStore;
  readonly unfinished: UnfinishedInterventions;
  /** The lists of objectives. */
  readonly objectives: ObjectiveStore;
  readonly centreObjectives: UpstreamObjectiveStore;
  readonly transmissions: TransmissionStore;
  readonly trips: TripStore;
  readonly pastTrips: PastTripStore;
  readonly faults: FaultStore;
  readonly linkSamples: LinkSampleStore;
  readonly endedWalkTests: WalkTestStore;
  readonly walkTestArchive: WalkTestArchive;
}

/** Joins what the sensing thread and the sync know with what the databases have. */
export function siteApi(parts: SiteApiParts): SiteApi {
  const sync = new SiteSync(parts);
  const journeys = new RecordJourneys(parts);
  return {
    status: () => parts.site.status(),
    zones: parts.zones,
    tests: parts.tests,
    walkTests: localRemote(new SiteWalkTests(parts.endedWalkTests, parts.walkTestArchive)),
    outputs: parts.outputs,
    timeline: localRemote(new SiteTimeline({ ...parts, sync, journeys })),
    sync: localRemote(sync),
    objectives: localRemote(new SiteObjectives(parts)),
    monitoring: localRemote(new SiteMonitoring(parts)),
  };
}
