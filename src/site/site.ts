import type { Config } from "../config/config.ts";
import type { Clock, TrustedTime } from "../domain/clock.ts";
import type { Headline } from "../domain/headline.ts";
import { VERSION } from "../generated/version.ts";
import type { SitePorts } from "../http/site/site-ports.ts";
import type { StatusView } from "../http/site/status-view.ts";
import type { ZoneView } from "../http/site/zone-port.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { ZoneService } from "../inputs/zone-service.ts";
import type { ConditionRegistry } from "../ops/condition-registry.ts";
import type { UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Journal } from "../store/journal.ts";
import type { OutboxStore } from "../store/outbox.ts";
import type { UnfinishedInterventions } from "../store/unfinished-records.ts";
import type { Sync } from "../sync/sync.ts";
import { isoTime } from "./iso-time.ts";
import { SiteHeadline } from "./site-headline.ts";
import { SiteTimeline } from "./site-journal.ts";
import { SiteObjectives } from "./site-objectives.ts";
import { SiteSync } from "./site-sync.ts";
import { SiteTests } from "./site-tests.ts";
import { SiteZones } from "./site-zones.ts";

/** Components behind the /site routes. */
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
  /** Undefined for a standalone daemon. */
  readonly sync: Sync | undefined;
}

/** Implements the ports of the /site routes. */
export class Site implements SitePorts {
  readonly zones: SiteZones;
  readonly tests: SiteTests;
  readonly journal: SiteTimeline;
  readonly sync: SiteSync;
  readonly objectives: SiteObjectives;
  readonly #headline: SiteHeadline;
  readonly #parts: SiteParts;
  readonly #startedAt: string;
  #hasInputs = false;

  constructor(parts: SiteParts) {
    this.#parts = parts;
    this.#startedAt = isoTime(parts.clock.wallMs());
    this.zones = new SiteZones(parts);
    this.tests = new SiteTests({ ...parts, lifeSafetyHeld: () => this.zones.lifeSafetyHeld() });
    this.sync = new SiteSync(parts);
    this.journal = new SiteTimeline({ ...parts, sync: this.sync });
    this.objectives = new SiteObjectives(parts);
    this.#headline = new SiteHeadline({ ...parts, time: parts.host.time });
  }

  /** Called when all inputs have started; before that the state of the zones is unknown. */
  inputsStarted(): void {
    this.#hasInputs = true;
  }

  status(): StatusView {
    const { config, health, journal, inputs } = this.#parts;
    const { trips } = journal;
    const zones = this.zones.list();
    const conditions = health.list();
    const outbox = this.sync.summary();
    return {
      version: VERSION,
      site: { name: config.site.name, ref: config.site.ref },
      startedAt: this.#startedAt,
      headline: this.#headlineOf({ zones, conditions, outbox }),
      lifeSafetyHeld: this.zones.lifeSafetyHeld(zones),
      conditions,
      trips: { waiting: trips.count("waiting"), refused: trips.count("refused") },
      messages: inputs.messageCounts,
      outbox,
      link: this.sync.link(),
      comparison: this.sync.comparison(),
    };
  }

  #headlineOf({
    zones,
    conditions,
    outbox,
  }: Pick<StatusView, "conditions" | "outbox"> & ShownZones): Headline {
    const { monitor, orders } = this.#parts.watch;
    return this.#headline.read({
      isRead: this.#hasInputs && zones.every(({ id }) => monitor.settlesInMs(id) === 0),
      zones,
      conditions,
      isWalkTest: orders.isWalkTest,
      stuck: outbox.blocked + outbox.rejected + outbox.gone,
      waiting: outbox.waiting,
      oldestWaitingMs: outbox.oldestWaitingMs,
    });
  }
}

interface ShownZones {
  readonly zones: readonly ZoneView[];
}
