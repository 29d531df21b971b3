import { isoTime } from "../domain/clock.ts";
import { SITES_UNKNOWN, type Headline } from "../domain/headline.ts";
import { Instant } from "../domain/instant.ts";
import type { LinkSampleState } from "../domain/link-history.ts";
import { shownLink } from "../domain/link-status.ts";
import { refText } from "../domain/objective.ts";
import type { OutputFacts } from "../domain/output.ts";
import { mainObjective, reportedFaults, type SiteReportFacts } from "../domain/site-report.ts";
import type { Contact } from "../domain/zone.ts";
import { VERSION } from "../generated/version.ts";
import { storageWear } from "../ops/host.ts";
import { freeBytes } from "../ops/reserve-file.ts";
import { AlarmZones } from "./alarm-zones.ts";
import { SiteTests } from "./field-tests.ts";
import { LoopTrials } from "./loop-trial.ts";
import { SiteHeadline } from "./headline.ts";
import { SiteJourneys } from "./journeys.ts";
import { SiteMonitoring } from "./monitoring.ts";
import { CurrentContacts } from "./current-contacts.ts";
import { readOverDamage, type ReadOr } from "./damaged-pages.ts";
import type { JourneyView } from "./journey-view.ts";
import { zoneOfTrip } from "./record-journeys.ts";
import type { SiteParts } from "./site-parts.ts";
import type { StatusView } from "./status-view.ts";
import { supplyOf } from "./supply.ts";
import { EMPTY_SUMMARY, SyncQueue } from "./sync-queue.ts";
import { SiteUtcOffset } from "./utc-offset.ts";
import { SiteZones } from "./zones.ts";

/** State of the site and actions on its zones: the part of the site API that is in the sensing thread. */
export class Site {
  readonly zones: SiteZones;
  readonly tests: SiteTests;
  /** In this thread, which reads the zones: a converter is never read twice at once. */
  readonly loops: LoopTrials;
  readonly #queue: SyncQueue;
  readonly #headline: SiteHeadline;
  readonly #alarmZones: AlarmZones;
  readonly #journeys: SiteJourneys;
  readonly #monitoring: SiteMonitoring;
  readonly #contacts: CurrentContacts;
  readonly #utcOffset = new SiteUtcOffset();
  readonly #parts: SiteParts;
  readonly #readOr: ReadOr;
  readonly #started: Instant;
  #hasInputs = false;

  constructor(parts: SiteParts) {
    this.#parts = parts;
    this.#readOr = readOverDamage(parts);
    this.#started = new Instant(parts.clock);
    this.zones = new SiteZones(parts);
    this.tests = new SiteTests(parts, () => this.zones.lifeSafetySuppressed());
    this.loops = new LoopTrials(parts.clock, parts.root);
    this.#queue = new SyncQueue(parts);
    this.#headline = new SiteHeadline(parts, this.#readOr);
    this.#alarmZones = new AlarmZones({
      trips: parts.alarmTrips,
      offDisk: parts.journal.offDisk,
      entryDelays: parts.zoneService.entryDelays,
    });
    this.#journeys = new SiteJourneys(parts, this.#readOr);
    this.#monitoring = new SiteMonitoring(parts);
    this.#contacts = new CurrentContacts(parts);
  }

  /** Called when all inputs have started; before that the state of the zones is unknown. */
  inputsStarted(): void {
    this.#hasInputs = true;
  }

  status(): StatusView {
    const { clock, config, inputs, link } = this.#parts;
    const outbox = this.#readOr(() => this.#queue.summary(), EMPTY_SUMMARY);
    const comparison = this.#readOr(() => this.#queue.comparison(), null);
    const lastAlarm = this.#lastAlarm();
    const facts = this.#headlineFacts();
    const { zones } = facts;
    const headline = this.#headline.read({ ...facts, outbox });
    const trips = this.#tripCounts();
    const monitoring = this.#readOr(() => this.#monitoring.state(), null);
    const alarms = hasAlarmRecord(headline) ? this.#headline.alarmRecords() : [];
    return {
      version: VERSION,
      role: config.role,
      site: { name: config.site.name, ref: config.site.ref, timezone: config.site.timezone },
      utcOffset: this.#utcOffset.at(clock.wallMs(), config.site.timezone),
      startedAt: isoTime(this.#started.wallMs),
      headline,
      journeys: this.#journeys.read(headline),
      newestAlarms: this.#headline.newestAlarms(alarms),
      alarmZones: this.#readOr(() => this.#alarmZones.unfinished(alarms), [], "journal.db"),
      lastAlarm,
      centrePhone: config.upstream?.phone ?? null,
      lifeSafetySuppressed: this.zones.lifeSafetySuppressed(zones),
      // Read last: a damaged page may just have been met.
      conditions: this.#parts.health.list(),
      trips,
      messages: inputs.messageCounts,
      outbox,
      link: shownLink(link(), outbox),
      monitoring,
      comparison,
      brokerPort: inputs.brokerPort ?? null,
      supply: supplyOf(zones, config.onBattery),
    };
  }

  #tripCounts(): StatusView["trips"] {
    const { trips } = this.#parts.journal;
    return this.#readOr(
      () => ({ waiting: trips.count("waiting"), refused: trips.count("refused") }),
      { waiting: 0, refused: 0 },
      "journal.db",
    );
  }

  /** What the outputs depend on; without the outbox, whose summary takes long with many records. */
  outputFacts(): OutputFacts {
    const facts = this.#headlineFacts();
    const headline = this.#headline.read({ ...facts, outbox: EMPTY_SUMMARY });
    const alarm = this.#alarmZones.read(facts.zones, hasAlarmRecord(headline), () =>
      this.#headline.alarmRecords(),
    );
    const { link, health } = this.#parts;
    const isComplete = (): boolean => !health.isOpen("database-damaged");
    return { headline, link: link(), alarm: { ...alarm, isComplete } };
  }

  /** What this thread knows for a report to the dispatch centre; undefined while the inputs are starting. */
  siteReportFacts(): SiteReportFacts | undefined {
    if (!this.#hasInputs) return undefined;
    const { config, journal, zoneService } = this.#parts;
    const { site, version, headline, journeys, conditions } = this.status();
    const faults = this.#readOr(() => journal.faults.list(), [], "journal.db");
    const zones = zoneService.monitor.zones().map(({ zone }) => zone);
    return {
      ...site,
      version,
      upS: Math.round(this.#started.ageMs / 1000),
      headline,
      conditions: [...new Set(conditions.map(({ code }) => code))],
      faults: reportedFaults(faults, zones),
      alarm: worstAlarm(journeys),
      unfinished: unfinishedIn(headline),
      objective: mainObjective(config.zones.map(({ objective }) => refText(objective))),
      diskFreeMb: Math.floor(freeBytes(config.dataDir) / 1_048_576),
      cardWear: storageWear(),
    };
  }

  #headlineFacts() {
    const { config, zoneService, knownSites } = this.#parts;
    const zones = this.zones.list();
    return {
      sites: config.role === "site" ? null : this.#readOr(() => knownSites.read(), SITES_UNKNOWN),
      isRead: this.#hasInputs && zones.every(({ id }) => zoneService.monitor.settlesInMs(id) === 0),
      zones,
      delayed: new Set(zoneService.entryDelays.zones),
      isWalkTest: zoneService.zoneOverrides.isWalkTest,
    };
  }

  #lastAlarm(): StatusView["lastAlarm"] {
    const { alarmTrips, journal, unfinished, config } = this.#parts;
    const trip = this.#readOr(() => journal.trips.find(alarmTrips.last() ?? ""), undefined, "journal.db");
    if (!trip || trip.interventionId === null) return null;
    const { isDated, moment, interventionId } = trip;
    return {
      interventionId,
      at: isDated ? isoTime(moment.wallMs) : null,
      zone: zoneOfTrip(trip, config.zones),
      status: this.#readOr(() => unfinished.statusOf(interventionId) ?? null, null),
    };
  }

  /** The contact of a zone; `unknown` unless its sensor has reported in this run and can be read now. */
  contactNow(zoneId: string): Contact {
    return this.#contacts.contactOf(zoneId);
  }

  /** Trips without a record, and records that are not at the dispatch centre. @throws Error if a database cannot be read */
  unsent(): number {
    const { journal, config } = this.#parts;
    return journal.trips.count("waiting") + (config.upstream ? this.#queue.summary().waiting : 0);
  }

  /** Current link state and age of the oldest queued record; undefined for a standalone daemon. */
  linkSample(): { state: LinkSampleState; oldestWaitingMs: number | null } | undefined {
    const { state } = this.#parts.link();
    return state === "none" ? undefined : { state, oldestWaitingMs: this.#queue.summary().oldestWaitingMs };
  }
}

function hasAlarmRecord({ reasons }: Headline): boolean {
  return reasons.some(({ code }) => code === "alarm-unfinished");
}

/** The first alarm of the journeys, which are ordered by urgency. */
function worstAlarm(journeys: readonly JourneyView[]): SiteReportFacts["alarm"] {
  const alarm = journeys.find(({ isAlarm }) => isAlarm);
  const since = alarm?.contactAt ?? alarm?.recordedAt ?? null;
  return alarm && since !== null ? { name: alarm.name, sinceMs: Date.parse(since) } : undefined;
}

/** Records that have begun and are not done, as the headline counts them. */
function unfinishedIn({ reasons }: Headline): number {
  const counted = reasons.filter(({ code }) => code === "alarm-unfinished" || code === "work-unfinished");
  return counted.reduce((sum, { count }) => sum + count, 0);
}
