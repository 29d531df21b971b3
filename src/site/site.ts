import { isoTime } from "../domain/clock.ts";
import { VERSION } from "../generated/version.ts";
import { SiteTests } from "./field-tests.ts";
import { SiteHeadline } from "./headline.ts";
import { SiteObjectives } from "./objectives.ts";
import type { SiteParts } from "./site-parts.ts";
import type { StatusView } from "./status-view.ts";
import { SiteSync } from "./sync.ts";
import { SiteTimeline } from "./timeline.ts";
import { SiteZones } from "./zones.ts";

/** The contents of the site API, by subject. */
export class Site {
  readonly zones: SiteZones;
  readonly tests: SiteTests;
  readonly timeline: SiteTimeline;
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
    this.tests = new SiteTests(parts, () => this.zones.lifeSafetyHeld());
    this.sync = new SiteSync(parts);
    this.timeline = new SiteTimeline({ ...parts, sync: this.sync });
    this.objectives = new SiteObjectives(parts);
    this.#headline = new SiteHeadline(parts);
  }

  /** Called when all inputs have started; before that the state of the zones is unknown. */
  inputsStarted(): void {
    this.#hasInputs = true;
  }

  status(): StatusView {
    const { config, health, journal, inputs, watch } = this.#parts;
    const { trips } = journal;
    const zones = this.zones.list();
    const conditions = health.list();
    const outbox = this.sync.summary();
    return {
      version: VERSION,
      site: { name: config.site.name, ref: config.site.ref },
      startedAt: this.#startedAt,
      headline: this.#headline.read({
        isRead: this.#hasInputs && zones.every(({ id }) => watch.monitor.settlesInMs(id) === 0),
        zones,
        conditions,
        isWalkTest: watch.orders.isWalkTest,
        outbox,
      }),
      lifeSafetyHeld: this.zones.lifeSafetyHeld(zones),
      conditions,
      trips: { waiting: trips.count("waiting"), refused: trips.count("refused") },
      messages: inputs.messageCounts,
      outbox,
      link: this.sync.link(),
      comparison: this.sync.comparison(),
    };
  }
}
