import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { isLifeSafety } from "../domain/incident-class.ts";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import { isShutDown } from "../domain/swinger.ts";
import type { Zone } from "../domain/zone.ts";
import type {
  BypassView,
  SimulationView,
  ZoneHistoryView,
  ZonePort,
  ZoneView,
} from "../http/site/zone-port.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { BypassRequest } from "../inputs/zone-overrides.ts";
import type { ZoneService } from "../inputs/zone-service.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Journal } from "../store/journal.ts";
import { isoTime } from "./iso-time.ts";
import { zoneHistories } from "./zone-history.ts";

export interface SiteZoneParts {
  readonly config: {
    readonly zones: readonly Zone[];
    readonly gpio: { readonly backend: Config["gpio"]["backend"] };
  };
  readonly clock: Clock;
  readonly watch: ZoneService;
  readonly inputs: Inputs;
  readonly journal: Journal;
  readonly events: EventLog;
}

/** More trips than one driven contact makes, chatter included. */
const SIMULATED_TRIPS_MAX = 200;
/** How long a simulated contact is given beyond its zone's own rules to settle. */
const SETTLE_MARGIN_MS = 50;
const HOUR_MS = 3_600_000;

/** Every zone as people see it: its contact, what becomes of a trip now, and what is wrong with it. */
export class SiteZones implements ZonePort {
  readonly #parts: SiteZoneParts;

  constructor(parts: SiteZoneParts) {
    this.#parts = parts;
  }

  list(): readonly ZoneView[] {
    const { watch, journal } = this.#parts;
    const faults = journal.faults.list();
    const swingings = journal.swingers.all();
    return watch.monitor.zones().map(({ zone, contact, sinceWallMs }) => {
      const swinging = swingings.get(zone.id);
      const ordered = watch.orders.dispositionOf(zone);
      const isShut = ordered.state === "waiting" && isShutDown(zone, swinging);
      const bypass = watch.orders.bypassOf(zone.id);
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
        reason: isShut ? "shut down, because it tripped again and again" : ordered.reason,
        bypass: bypass
          ? { reason: bypass.reason, who: bypass.who, until: isoTime(bypass.untilWallMs) }
          : null,
        faults: faults
          .filter(({ zoneId }) => zoneId === zone.id)
          .map(({ fault, sinceWallMs: since }) => ({ fault, since: isoTime(since) })),
        trips: { recent: swinging?.trips ?? 0, notStored: swinging?.counted ?? 0 },
      };
    });
  }

  history(hours: number): readonly ZoneHistoryView[] {
    const { clock, config } = this.#parts;
    const untilMs = clock.wallMs();
    const ids = config.zones.map(({ id }) => id);
    return zoneHistories(this.#parts, ids, { sinceMs: untilMs - hours * HOUR_MS, untilMs });
  }

  /** The life-safety zones whose trips are not dispatched now, whatever holds them back. */
  lifeSafetyHeld(zones: readonly ZoneView[] = this.list()): readonly LifeSafetyHeld[] {
    const test = this.#parts.watch.orders.isWalkTest ? this.#parts.watch.orders.walkReport() : undefined;
    return zones.flatMap(({ id, name, kind, disposition, bypass, ...zone }) => {
      if (!zone.isLifeSafety || disposition === "waiting") return [];
      const untilOf = {
        test: test ? isoTime(test.untilWallMs) : null,
        bypassed: bypass?.until ?? null,
        gated: null,
        swinger: null,
      };
      return [{ id, name, kind, by: disposition, until: untilOf[disposition] }];
    });
  }

  bypass(zoneId: string, order: BypassRequest, actor: Actor): BypassView {
    this.#parts.watch.orders.bypass(zoneId, order, actor);
    const view = this.#viewOf(zoneId);
    return { ...view, lifeSafetyHeld: this.lifeSafetyHeld([view]) };
  }

  restore(zoneId: string, actor: Actor): ZoneView {
    const { orders, faults } = this.#parts.watch;
    orders.restore(zoneId, actor);
    faults.set(this.#zoneOf(zoneId), "faulty", false);
    return this.#viewOf(zoneId);
  }

  async simulate(zoneId: string, contact: "open" | "normal"): Promise<SimulationView> {
    const { inputs, watch, journal } = this.#parts;
    const { trips } = journal;
    // Right after a start a line has not been seen at rest yet, and an opening now would be its first sight.
    const { rules } = this.#zoneOf(zoneId);
    if (this.#viewOf(zoneId).contact === "unknown") await this.#pass(rules.debounceMs);
    const zone = this.#zoneOf(zoneId);
    const { debounceMs, minOpenMs, confirmMs } = zone.rules;
    const before = this.#viewOf(zoneId).contact;
    const newestBefore = trips.newest(1)[0]?.seq ?? 0;
    inputs.simulate(zone, contact);
    await this.#pass(Math.max(debounceMs, minOpenMs, confirmMs, watch.monitor.settlesInMs(zone.id)));
    const after = this.#viewOf(zoneId).contact;
    const made = trips
      .newest(SIMULATED_TRIPS_MAX)
      .filter((trip) => trip.seq > newestBefore && trip.zoneId === zone.id && trip.type === "trip");
    const held = made.find(({ reason }) => reason !== null);
    return {
      zone: zone.id,
      contact: after,
      changed: after !== before,
      unchangedBy: after === contact ? null : this.#isDriven(zone) ? "settling" : "sensor",
      trips: made.map(({ key }) => key),
      suppressed: held ? `${held.state}: ${held.reason}` : null,
    };
  }

  /** Whether a simulated line or none is behind a zone, so that its contact can be driven. */
  #isDriven({ input }: Zone): boolean {
    if (input.source === "gpio") return this.#parts.config.gpio.backend === "simulated";
    return input.source === "simulated";
  }

  /** Lets a zone's own time pass; nothing for a zone that settles at once. */
  async #pass(ms: number): Promise<void> {
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
    throw new AppError("not-found", `there is no zone ${JSON.stringify(zoneId)}. Zones here: ${known}`);
  }

  #viewOf(zoneId: string): ZoneView {
    const view = this.list().find(({ id }) => id === zoneId);
    if (!view) throw new AppError("not-found", `there is no zone ${JSON.stringify(zoneId)}`);
    return view;
  }
}
