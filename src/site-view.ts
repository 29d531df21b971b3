import type { Config } from "./config/config.ts";
import type { Clock } from "./domain/clock.ts";
import { AppError } from "./domain/errors.ts";
import type { Actor } from "./domain/event.ts";
import type { OutboxEntry } from "./domain/outbox.ts";
import { PHASE_WORDS } from "./domain/outbox-words.ts";
import type { Trip } from "./domain/trip.ts";
import type { Zone } from "./domain/zone.ts";
import { VERSION } from "./generated/version.ts";
import type {
  HistoryView,
  JournalPage,
  JournalPlace,
  LinkView,
  SignalTestView,
  SimulationView,
  SitePorts,
  StatusView,
  SyncAction,
  SyncRecordView,
  SyncView,
  WalkTestView,
  ZoneView,
} from "./http/site/site-ports.ts";
import type { Inputs } from "./inputs/inputs.ts";
import type { BypassOrder } from "./inputs/zone-orders.ts";
import type { ZoneWatch } from "./inputs/zone-watch.ts";
import type { Health } from "./ops/health.ts";
import { historyOf, journalPage, newestPlace } from "./site-journal.ts";
import { signalTestView, walkTestView, zoneViews } from "./site-zones.ts";
import type { EventLog } from "./store/event-log.ts";
import type { Journal } from "./store/journal.ts";
import type { OutboxStore } from "./store/outbox.ts";
import type { TripStore } from "./store/trips.ts";
import type { Sync } from "./sync/sync.ts";

export interface SiteViewParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly health: Health;
  readonly watch: ZoneWatch;
  readonly inputs: Inputs;
  readonly journal: Journal;
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
    const { config, health, journal, outbox } = this.#parts;
    const { trips } = journal;
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
    return zoneViews(this.#parts);
  }

  bypass(zoneId: string, order: BypassOrder, actor: Actor): ZoneView {
    this.#parts.watch.orders.bypass(zoneId, order, actor);
    return this.#viewOf(zoneId);
  }

  restore(zoneId: string, actor: Actor): ZoneView {
    const { orders, faults } = this.#parts.watch;
    orders.restore(zoneId, actor);
    const zone = this.#parts.config.zones.find(({ id }) => id === zoneId);
    if (zone) faults.set(zone, "faulty", false);
    return this.#viewOf(zoneId);
  }

  walkTest(): WalkTestView | null {
    const report = this.#parts.watch.orders.walkReport();
    return report ? walkTestView(report) : null;
  }

  startWalkTest(minutes: number | undefined, actor: Actor): WalkTestView {
    return walkTestView(this.#parts.watch.orders.startWalkTest(minutes, actor));
  }

  endWalkTest(actor: Actor): WalkTestView | null {
    this.#parts.watch.orders.endWalkTest(actor);
    return this.walkTest();
  }

  startSignalTest(zoneId: string | undefined, actor: Actor): SignalTestView {
    return this.signalTest(this.#parts.watch.signalTest(zoneId, actor));
  }

  signalTest(key: string): SignalTestView {
    const { journal, outbox, sync } = this.#parts;
    const test = journal.trips.find(key);
    if (test?.about !== "signal") throw new AppError("not-found", "there is no such signal test");
    const { interventionId } = test;
    return signalTestView(test, sync && interventionId !== null ? outbox.find(interventionId) : undefined);
  }

  trips(limit: number): readonly Trip[] {
    return this.#parts.journal.trips.newest(limit);
  }

  journal(limit: number, after: JournalPlace | undefined): JournalPage {
    return journalPage(this.#tables, limit, after);
  }

  journalPlace(): JournalPlace {
    return newestPlace(this.#tables);
  }

  history(interventionId: number): HistoryView {
    const { outbox, clock } = this.#parts;
    const entry = outbox.find(interventionId);
    const entries = historyOf(this.#tables, interventionId, RECORDS_SHOWN);
    if (!entry) return { entries, sync: null };
    const { phase, wantRev, syncedRev } = entry;
    const isAtRest = phase === "closed" || (phase === "linked" && wantRev <= syncedRev);
    return { entries, sync: { ...recordView(entry, outbox.nameOf(entry), clock.wallMs()), isAtRest } };
  }

  sync(): SyncView {
    const { outbox, clock } = this.#parts;
    const records = outbox
      .pending(RECORDS_SHOWN)
      .map((entry) => recordView(entry, outbox.nameOf(entry), clock.wallMs()));
    return { link: this.#link(), summary: outbox.summary(), records };
  }

  async syncNow(): Promise<SyncView> {
    await this.#parts.sync?.now();
    return this.sync();
  }

  async syncRecord(interventionId: number, action: SyncAction): Promise<SyncView> {
    const { sync } = this.#parts;
    if (!sync)
      throw new AppError("conflict", "this daemon stands alone: it has no centre to bring records to");
    await sync[action](interventionId);
    return this.sync();
  }

  async simulate(zoneId: string, contact: "open" | "normal"): Promise<SimulationView> {
    const { config, inputs, watch } = this.#parts;
    const { trips } = this.#parts.journal;
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
    await this.#pass(Math.max(debounceMs, minOpenMs, confirmMs, watch.monitor.settlesInMs(zone.id)));
    const after = this.#contactOf(zone);
    const made = trips
      .newest(RECORDS_SHOWN)
      .filter((trip) => trip.seq > newestBefore && trip.zoneId === zone.id);
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

  #contactOf({ id }: Zone): ZoneView["contact"] {
    return this.#viewOf(id).contact;
  }

  #viewOf(zoneId: string): ZoneView {
    const view = this.zones().find(({ id }) => id === zoneId);
    if (!view) throw new AppError("not-found", `there is no zone ${JSON.stringify(zoneId)}`);
    return view;
  }

  get #tables(): { events: EventLog; trips: TripStore } {
    const { events, journal } = this.#parts;
    return { events, trips: journal.trips };
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

function recordView(entry: OutboxEntry, name: string, nowMs: number): SyncRecordView {
  const { interventionId, phase, upstreamId, attempts, nextAtMs, lastError } = entry;
  return {
    interventionId,
    name,
    phase,
    text: PHASE_WORDS[phase],
    upstreamId,
    attempts,
    nextTryAt: nextAtMs > nowMs ? isoTime(nextAtMs) : null,
    lastAnswer: lastError,
  };
}

function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
