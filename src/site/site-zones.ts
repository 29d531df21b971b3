import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { isShutDown } from "../domain/swinger.ts";
import type { Zone } from "../domain/zone.ts";
import type { SimulationView, ZoneHistoryView, ZonePort, ZoneView } from "../http/site/zone-port.ts";
import type { Inputs } from "../inputs/inputs.ts";
import type { BypassOrder } from "../inputs/zone-orders.ts";
import type { ZoneWatch } from "../inputs/zone-watch.ts";
import type { EventLog } from "../store/event-log.ts";
import type { Journal } from "../store/journal.ts";
import { isoTime } from "./iso-time.ts";
import { zoneHistories } from "./zone-history.ts";

export interface SiteZoneParts {
  readonly config: { readonly zones: readonly Zone[] };
  readonly clock: Clock;
  readonly watch: ZoneWatch;
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
      const ordered = watch.orders.fateOf(zone);
      const isShut = ordered.state === "waiting" && isShutDown(zone, swinging);
      const bypass = watch.orders.bypassOf(zone.id);
      return {
        id: zone.id,
        name: zone.name,
        kind: zone.kind,
        source: zone.input.source,
        objective: zone.objective,
        contact,
        since: sinceWallMs === null ? null : isoTime(sinceWallMs),
        fate: isShut ? "swinger" : ordered.state,
        reason: isShut ? "shut down, because it tripped again and again" : ordered.reason,
        bypass: bypass
          ? { reason: bypass.reason, who: bypass.who, until: isoTime(bypass.untilWallMs) }
          : null,
        faults: faults
          .filter(({ zoneId }) => zoneId === zone.id)
          .map(({ fault, sinceWallMs: since }) => ({ fault, since: isoTime(since) })),
        trips: { recent: swinging?.trips ?? 0, counted: swinging?.counted ?? 0 },
      };
    });
  }

  history(hours: number): readonly ZoneHistoryView[] {
    const { clock, config } = this.#parts;
    const untilMs = clock.wallMs();
    const ids = config.zones.map(({ id }) => id);
    return zoneHistories(this.#parts, ids, { sinceMs: untilMs - hours * HOUR_MS, untilMs });
  }

  bypass(zoneId: string, order: BypassOrder, actor: Actor): ZoneView {
    this.#parts.watch.orders.bypass(zoneId, order, actor);
    return this.#viewOf(zoneId);
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
      .filter((trip) => trip.seq > newestBefore && trip.zoneId === zone.id && trip.about === "trip");
    const held = made.find(({ reason }) => reason !== null);
    return {
      zone: zone.id,
      contact: after,
      changed: after !== before,
      trips: made.map(({ key }) => key),
      heldBack: held ? `${held.state}: ${held.reason}` : null,
    };
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
