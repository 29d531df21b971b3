import type { Config } from "./config/config.ts";
import type { Clock } from "./domain/clock.ts";
import { AppError } from "./domain/errors.ts";
import type { OutboxEntry } from "./domain/outbox.ts";
import type { Trip } from "./domain/trip.ts";
import type { Zone } from "./domain/zone.ts";
import { VERSION } from "./generated/version.ts";
import type {
  HistoryView,
  JournalPage,
  JournalPlace,
  LinkView,
  SimulationView,
  SitePorts,
  StatusView,
  SyncRecordView,
  SyncView,
  ZoneView,
} from "./http/site/site-ports.ts";
import type { Inputs } from "./inputs/inputs.ts";
import type { ZoneMonitor } from "./inputs/zone-monitor.ts";
import type { Health } from "./ops/health.ts";
import { historyOf, journalPage, newestPlace } from "./site-journal.ts";
import type { EventLog } from "./store/event-log.ts";
import type { OutboxStore } from "./store/outbox.ts";
import type { TripStore } from "./store/trips.ts";
import type { Sync } from "./sync/sync.ts";

export interface SiteViewParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly health: Health;
  readonly monitor: ZoneMonitor;
  readonly inputs: Inputs;
  readonly trips: TripStore;
  readonly events: EventLog;
  readonly outbox: OutboxStore;
  /** The way to the centre; undefined for a daemon that stands alone. */
  readonly sync: Sync | undefined;
}

const RECORDS_SHOWN = 200;
/** How long a simulated contact is given beyond its zone's own rules to settle. */
const SETTLE_MARGIN_MS = 50;

/** Shows the running daemon to people: what the /site routes ask for, read from the parts that know it. */
export class SiteView implements SitePorts {
  readonly #parts: SiteViewParts;
  readonly #startedAt: string;

  constructor(parts: SiteViewParts) {
    this.#parts = parts;
    this.#startedAt = isoTime(parts.clock.wallMs());
  }

  status(): StatusView {
    const { config, health, trips, outbox } = this.#parts;
    return {
      version: VERSION,
      site: { name: config.site.name, ref: config.site.ref },
      startedAt: this.#startedAt,
      conditions: health.list(),
      trips: { waiting: trips.count("waiting"), refused: trips.count("refused") },
      outbox: outbox.summary(),
      link: this.#link(),
    };
  }

  zones(): readonly ZoneView[] {
    return this.#parts.monitor.zones().map(({ zone, contact, sinceWallMs }) => ({
      id: zone.id,
      name: zone.name,
      kind: zone.kind,
      source: zone.input.source,
      objective: zone.objective,
      contact,
      since: sinceWallMs === null ? null : isoTime(sinceWallMs),
    }));
  }

  trips(limit: number): readonly Trip[] {
    return this.#parts.trips.newest(limit);
  }

  journal(limit: number, after: JournalPlace | undefined): JournalPage {
    return journalPage(this.#parts, limit, after);
  }

  journalPlace(): JournalPlace {
    return newestPlace(this.#parts);
  }

  history(interventionId: number): HistoryView {
    const entry = this.#parts.outbox.find(interventionId);
    const entries = historyOf(this.#parts, interventionId, RECORDS_SHOWN);
    if (!entry) return { entries, sync: null };
    const { phase, wantRev, syncedRev } = entry;
    const isAtRest = phase === "closed" || (phase === "linked" && wantRev <= syncedRev);
    return { entries, sync: { ...recordView(entry, this.#parts.clock.wallMs()), isAtRest } };
  }

  sync(): SyncView {
    const { outbox, clock } = this.#parts;
    const records = outbox.pending(RECORDS_SHOWN).map((entry) => recordView(entry, clock.wallMs()));
    return { link: this.#link(), summary: outbox.summary(), records };
  }

  async syncNow(): Promise<SyncView> {
    await this.#parts.sync?.now();
    return this.sync();
  }

  async simulate(zoneId: string, contact: "open" | "normal"): Promise<SimulationView> {
    const { config, inputs, trips } = this.#parts;
    const zone = config.zones.find(({ id }) => id === zoneId);
    if (!zone)
      throw new AppError(
        "not-found",
        `there is no zone ${JSON.stringify(zoneId)}. Zones here: ${config.zones.map(({ id }) => id).join(", ") || "none"}`,
      );
    const { debounceMs, minOpenMs, confirmMs } = zone.rules;
    // Right after a start a line has not been seen at rest yet, and an opening now would be its first sight.
    if (this.#contactOf(zone) === "unknown") await this.#pass(debounceMs);
    const before = this.#contactOf(zone);
    const newestBefore = trips.newest(1)[0]?.seq ?? 0;
    inputs.simulate(zone, contact);
    await this.#pass(Math.max(debounceMs, minOpenMs, confirmMs));
    const after = this.#contactOf(zone);
    const made = trips
      .newest(RECORDS_SHOWN)
      .filter((trip) => trip.seq > newestBefore && trip.zoneId === zone.id);
    return { zone: zone.id, contact: after, changed: after !== before, trips: made.map(({ key }) => key) };
  }

  /** Lets a zone's own time pass; nothing for a zone that settles at once. */
  async #pass(ms: number): Promise<void> {
    if (ms === 0) return;
    await new Promise<void>((resolve) => {
      this.#parts.clock.after(ms + SETTLE_MARGIN_MS, resolve);
    });
  }

  #contactOf({ id }: Zone): ZoneView["contact"] {
    return this.#parts.monitor.zones().find(({ zone }) => zone.id === id)?.contact ?? "unknown";
  }

  #link(): LinkView {
    const { sync, clock } = this.#parts;
    if (!sync) return { state: "none", reason: null, nextTryAt: null };
    const { state, reason, waitMs } = sync.link;
    // In whole seconds: whoever asks again meanwhile must see the same moment.
    const nextTryMs = Math.round((clock.wallMs() + waitMs) / 1000) * 1000;
    return { state, reason, nextTryAt: waitMs > 0 ? isoTime(nextTryMs) : null };
  }
}

function recordView(entry: OutboxEntry, nowMs: number): SyncRecordView {
  const { interventionId, phase, upstreamId, attempts, nextAtMs, lastError } = entry;
  return {
    interventionId,
    phase,
    upstreamId,
    attempts,
    nextTryAt: nextAtMs > nowMs ? isoTime(nextAtMs) : null,
    lastAnswer: lastError,
  };
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
