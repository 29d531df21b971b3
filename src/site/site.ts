import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { VERSION } from "../generated/version.ts";
import type { SitePorts } from "../http/site/site-ports.ts";
import type { StatusView } from "../http/site/status-view.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { ZoneWatch } from "../inputs/zone-watch.ts";
import type { Health } from "../ops/health.ts";
import type { CentreObjectiveStore } from "../store/centre-objectives.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Journal } from "../store/journal.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { Sync } from "../sync/sync.ts";
import { isoTime } from "./iso-time.ts";
import { SiteJournal } from "./site-journal.ts";
import { SiteObjectives } from "./site-objectives.ts";
import { SiteSync } from "./site-sync.ts";
import { SiteTests } from "./site-tests.ts";
import { SiteZones } from "./site-zones.ts";

/** The running parts that know what people ask for. */
export interface SiteParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly health: Health;
  readonly watch: ZoneWatch;
  readonly inputs: Inputs;
  readonly journal: Journal;
  readonly events: EventLog;
  readonly outbox: OutboxStore;
  readonly centreObjectives: CentreObjectiveStore;
  /** The way to the centre; undefined for a daemon that stands alone. */
  readonly sync: Sync | undefined;
}

/** The running daemon as people see it: what the /site routes ask for, one port for each subject. */
export class Site implements SitePorts {
  readonly zones: SiteZones;
  readonly tests: SiteTests;
  readonly journal: SiteJournal;
  readonly sync: SiteSync;
  readonly objectives: SiteObjectives;
  readonly #parts: SiteParts;
  readonly #startedAt: string;

  constructor(parts: SiteParts) {
    this.#parts = parts;
    this.#startedAt = isoTime(parts.clock.wallMs());
    this.zones = new SiteZones(parts);
    this.tests = new SiteTests(parts);
    this.sync = new SiteSync(parts);
    this.journal = new SiteJournal({ ...parts, sync: this.sync });
    this.objectives = new SiteObjectives(parts);
  }

  status(): StatusView {
    const { config, health, journal, inputs } = this.#parts;
    const { trips } = journal;
    return {
      version: VERSION,
      site: { name: config.site.name, ref: config.site.ref },
      startedAt: this.#startedAt,
      conditions: health.list(),
      trips: { waiting: trips.count("waiting"), refused: trips.count("refused") },
      messages: inputs.messageCounts,
      outbox: this.sync.summary(),
      link: this.sync.link(),
    };
  }
}
