import { localRemote, type Remote } from "../domain/remote.ts";
import type { WalkTestArchive } from "../store/walk-test-archive.ts";
import type { WalkTestStore } from "../store/walk-tests.ts";
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

type PartsOf<Part extends abstract new (parts: never) => unknown> = ConstructorParameters<Part>[0];

/** The sensing thread, the sync, and tables of both databases on read-only connections. */
type SiteApiParts = Pick<SiteApi, "zones" | "tests" | "outputs"> &
  PartsOf<typeof SiteSync> &
  PartsOf<typeof RecordJourneys> &
  PartsOf<typeof SiteObjectives> &
  Omit<PartsOf<typeof SiteTimeline>, "sync" | "journeys"> & {
    readonly site: Pick<Remote<Site>, "status">;
    readonly endedWalkTests: WalkTestStore;
    readonly walkTestArchive: WalkTestArchive;
  };

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
