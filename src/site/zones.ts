import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { FAULTS_BY_WEIGHT } from "../domain/fault.ts";
import { isLifeSafety } from "../domain/incident.ts";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import { foreignName } from "../domain/single-line.ts";
import {
  applicableCounters,
  isShutDown,
  resetAfterQuietMs,
  type SwingerCounters,
} from "../domain/swinger.ts";
import { sensorOf } from "../domain/zone-changes.ts";
import { bridgeOf } from "../domain/zone-rules.ts";
import type { Zone } from "../domain/zone.ts";
import { contactOf } from "../inputs/message-values.ts";
import type { BypassRequest } from "../inputs/zone-overrides.ts";
import type { TestedZone } from "../store/overrides.ts";
import { readJournalOverDamage, type ReadOr } from "./damaged-pages.ts";
import type { SiteParts } from "./site-parts.ts";
import type { BypassView, SimulationView, ZoneSourceView, ZoneView } from "./zone-view.ts";

/** More trips than one simulated contact causes, including chatter. */
const SIMULATED_TRIPS_MAX = 200;
/** Additional time after the zone's own filter times. */
const SETTLE_MARGIN_MS = 50;

/** Characters of a value that no one has named: enough to recognise it. */
const VALUE_CHARACTERS_MAX = 40;

function placeOf(input: Zone["input"]): Partial<ZoneSourceView> {
  if (input.source === "mqtt") return { topic: input.mqtt, path: input.path ?? null };
  if (input.source === "gpio") return { line: input.gpio, converter: input.chip ?? null };
  if (input.source === "adc") return { line: input.channel, converter: input.adc };
  return input.source === "dc09" ? { account: input.dc09, number: input.zone ?? null } : {};
}

/** A test with another sensor says nothing about the present one. */
function testedAtOf(zone: Zone, tested: TestedZone | undefined): string | null {
  if (!tested || (tested.sensor !== null && tested.sensor !== sensorOf(zone))) return null;
  return isoTime(tested.testedWallMs);
}

/** State of the zones and actions on them. */
export class SiteZones {
  readonly #parts: SiteParts;
  readonly #journalOr: ReadOr;

  constructor(parts: SiteParts) {
    this.#parts = parts;
    this.#journalOr = readJournalOverDamage(parts);
  }

  list(): readonly ZoneView[] {
    const { zoneService, clock } = this.#parts;
    const { faults, swingers, tested } = this.#stored();
    return zoneService.monitor.zones().map(({ zone, contact, sinceWallMs }) => {
      const swinger = applicableCounters(zone, swingers.get(zone.id), clock.wallMs());
      const ordered = zoneService.zoneOverrides.dispositionOf(zone);
      const isShut = ordered.state === "waiting" && isShutDown(zone, swinger);
      const bypass = zoneService.zoneOverrides.bypassOf(zone.id);
      return {
        id: zone.id,
        name: zone.name,
        kind: zone.kind,
        isLifeSafety: isLifeSafety(zone.kind),
        source: zone.input.source,
        objective: zone.objective,
        contact,
        since: sinceWallMs === null ? null : isoTime(sinceWallMs),
        disposition: isShut ? "swinger" : ordered.state,
        reason: isShut ? "swinger shutdown after repeated trips" : ordered.reason,
        bypass: bypass
          ? {
              reason: bypass.reason,
              who: bypass.who,
              since: isoTime(bypass.sinceWallMs),
              until: isoTime(bypass.untilWallMs),
            }
          : null,
        shutDownUntil: isShut && swinger ? isoTime(swinger.lastWallMs + resetAfterQuietMs(zone)) : null,
        unnamedValue: contact === "unknown" ? this.#unnamedValueOf(zone) : null,
        loop: this.#parts.inputs.loopOf(zone.id),
        faults: faults
          // The fault of a bridge is one, with one zone for its intervention, and concerns all zones behind it.
          .filter(({ owner, zoneId }) => zoneId === zone.id || owner === bridgeOf(zone))
          .map(({ fault, sinceWallMs: since }) => ({ fault, since: isoTime(since) }))
          .toSorted((a, b) => FAULTS_BY_WEIGHT.indexOf(a.fault) - FAULTS_BY_WEIGHT.indexOf(b.fault)),
        battery: this.#batteryOf(zone.id),
        testedAt: testedAtOf(zone, tested.get(zone.id)),
        trips: { recent: swinger?.trips ?? 0, notStored: swinger?.counted ?? 0 },
      };
    });
  }

  /** What the journal has of the zones; without what is on a damaged page of it. */
  #stored() {
    const { faults, swingers, zoneOverrides } = this.#parts.journal;
    const tested = this.#journalOr(() => zoneOverrides.testedZones(), []);
    return {
      faults: this.#journalOr(() => faults.list(), []),
      swingers: this.#journalOr(() => swingers.all(), new Map<string, SwingerCounters>()),
      tested: new Map(tested.map((zone) => [zone.zoneId, zone])),
    };
  }

  /** Where a zone reads its contact, with its last message. @throws AppError `not-found` for an unknown zone */
  source(zoneId: string): ZoneSourceView {
    // An alarm panel has zones that no configuration names.
    const watched = this.#parts.zoneService.monitor.zones().find(({ zone }) => zone.id === zoneId);
    const { input } = watched?.zone ?? this.#zoneOf(zoneId);
    const last = this.#parts.inputs.messages.of(zoneId);
    const none = { topic: null, path: null, line: null, converter: null, account: null, number: null };
    return {
      id: zoneId,
      ...none,
      ...placeOf(input),
      openBy: watched ? this.#parts.inputs.openBy(watched) : [],
      faultyBy: watched ? this.#parts.inputs.faultyBy(watched) : [],
      lastMessage: last
        ? { topic: last.topic, payload: last.text, at: isoTime(last.atMs), isRetained: last.isRetained }
        : null,
    };
  }

  /** Life-safety zones whose trips are currently suppressed for any reason. */
  lifeSafetySuppressed(zones: readonly ZoneView[] = this.list()): readonly LifeSafetyHeld[] {
    const { isWalkTest, walkTests } = this.#parts.zoneService.zoneOverrides;
    const test = isWalkTest ? this.#journalOr(() => walkTests.report(), undefined) : undefined;
    return zones.flatMap(({ id, name, kind, disposition, bypass, ...zone }) => {
      if (!zone.isLifeSafety || disposition === "waiting") return [];
      const untilOf = {
        test: test?.until ?? null,
        bypassed: bypass?.until ?? null,
        gated: null,
        swinger: null,
      };
      return [{ id, name, kind, by: disposition, until: untilOf[disposition] }];
    });
  }

  /**
   * Bypasses a zone for a limited time.
   * @throws AppError `not-found` for an unknown zone, `invalid` for a missing reason or a duration out of range
   */
  bypass(zoneId: string, order: BypassRequest, actor: Actor): BypassView {
    this.#parts.zoneService.zoneOverrides.bypass(zoneId, order, actor);
    const view = this.#viewOf(zoneId);
    return { ...view, lifeSafetySuppressed: this.lifeSafetySuppressed([view]) };
  }

  /** Returns a zone to service after a bypass or swinger shutdown. @throws AppError `not-found` */
  restore(zoneId: string, actor: Actor): ZoneView {
    const { zoneOverrides, faults } = this.#parts.zoneService;
    zoneOverrides.restore(zoneId, actor);
    faults.set(this.#zoneOf(zoneId), "faulty", false);
    return this.#viewOf(zoneId);
  }

  /**
   * Simulates the contact of a zone. A test trip is in the event log with the user who has made it.
   * @throws AppError `not-found` for an unknown zone, `conflict` for a zone with a sensor of its own in a walk test
   */
  async simulate(zoneId: string, contact: "open" | "normal", actor: Actor): Promise<SimulationView> {
    const { inputs, zoneService, journal } = this.#parts;
    const { trips } = journal;
    await this.#awaitFirstReading(zoneId);
    const zone = this.#zoneOf(zoneId);
    const before = this.#viewOf(zoneId).contact;
    // The zone would count as tested, although its sensor may be dead.
    if (contact === "open" && zoneService.zoneOverrides.isWalkTest && !this.#isSimulated(zone))
      throw new AppError("conflict", "a walk test tests the sensors: open the zone itself");
    const newestBefore = trips.newest(1)[0]?.seq ?? 0;
    inputs.simulate(zone, contact);
    if (contact === "open" && before !== "open") zoneService.noteTestTrip(zone.id, actor);
    // The trip of a zone with a sensor is already stored.
    if (this.#isSimulated(zone)) await this.#awaitFilters(zone);
    const after = this.#viewOf(zoneId).contact;
    const made = trips
      .newest(SIMULATED_TRIPS_MAX)
      .filter((trip) => trip.seq > newestBefore && trip.zoneId === zone.id && trip.type === "trip");
    const held = made.find(({ reason }) => reason !== null);
    return {
      zone: zone.id,
      contact: after,
      changed: after !== before,
      unchangedBy: after === contact ? null : this.#isSimulated(zone) ? "settling" : "sensor",
      trips: made.map(({ key }) => key),
      suppressed: held ? `${held.state}: ${held.reason}` : null,
    };
  }

  /** Whether the contact can be simulated: the zone has a simulated line or no sensor. */
  #isSimulated({ input }: Zone): boolean {
    if (input.source === "gpio") return this.#parts.config.gpio.backend === "simulated";
    return input.source === "simulated";
  }

  /** Right after the start, an opening would be the first reading of a simulated line and not an edge. */
  async #awaitFirstReading(zoneId: string): Promise<void> {
    const zone = this.#zoneOf(zoneId);
    if (this.#isSimulated(zone) && this.#viewOf(zoneId).contact === "unknown")
      await this.#wait(zone.rules.debounceMs);
  }

  async #awaitFilters({ id, rules: { debounceMs, minOpenMs, confirmMs } }: Zone): Promise<void> {
    const settlesInMs = this.#parts.zoneService.monitor.settlesInMs(id);
    await this.#wait(Math.max(debounceMs, minOpenMs, confirmMs, settlesInMs));
  }

  /** With the present values of the zone: a reload may have named it since. An empty message removes a retained one. */
  #unnamedValueOf({ id, input }: Zone): string | null {
    const value = this.#parts.inputs.messages.unnamedValueOf(id);
    if (input.source !== "mqtt" || value === undefined || contactOf(input, value) !== "unknown") return null;
    return foreignName(String(value), VALUE_CHARACTERS_MAX) || null;
  }

  #batteryOf(zoneId: string): ZoneView["battery"] {
    const level = this.#parts.inputs.batteries.of(zoneId);
    return level ? { percent: level.percent, at: isoTime(level.atWallMs) } : null;
  }

  /** Waits for the zone's filter times; no wait for 0. */
  async #wait(ms: number): Promise<void> {
    if (ms === 0) return;
    await new Promise<void>((resolve) => {
      this.#parts.clock.after(ms + SETTLE_MARGIN_MS, resolve);
    });
  }

  #zoneOf(zoneId: string): Zone {
    const { zones } = this.#parts.config;
    const zone = zones.find(({ id }) => id === zoneId);
    if (zone) return zone;
    const known = zones.map(({ id }) => id).join(", ") || "none";
    throw new AppError("not-found", `unknown zone ${JSON.stringify(zoneId)}. Known: ${known}`);
  }

  #viewOf(zoneId: string): ZoneView {
    const view = this.list().find(({ id }) => id === zoneId);
    if (!view) throw new AppError("not-found", `unknown zone ${JSON.stringify(zoneId)}`);
    return view;
  }
}
