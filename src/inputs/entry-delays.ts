import { DeadlineTimer } from "../domain/clock.ts";
import { gateText } from "../domain/gate.ts";
import type { Zone } from "../domain/zone.ts";
import type { EntryDelay } from "../store/pending-trips.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import type { GateStates } from "./gate-states.ts";
import type { ZoneContext } from "./zone-context.ts";

interface EntryDelaysOptions extends ZoneContext {
  readonly gates: GateStates;
  /** Called in the transaction in which a delay ends and its trip is dispatched, if its zone still exists. */
  readonly onReleased: (zone: Zone, key: string) => void;
}

interface Delay {
  readonly zoneId: string;
  /** Monotonic. */
  readonly dueMs: number;
  /** The zone's gate at the opening, if it is known: one that has replaced it since does not cancel the trip. */
  readonly gate: string | undefined;
  /** Why the trip is cancelled, once that is decided: on a disk that cannot be written the gate may open again meanwhile. */
  readonly reason?: string | undefined;
}

/** The longest delay that a configuration allows (EN 50131-1: an entry takes at most 45 s), in milliseconds. */
const ENTRY_DELAY_MS_MAX = 45_000;
/** Time until the next check after a failed write. */
const RETRY_MS = 1_000;

/**
 * Keeps trips in the journal until the entry delay of their zone ends. They are dispatched then, unless the zone's gate
 * has closed. After a restart the remaining delay continues; a delay that ended during a power cut ends at once.
 */
export class EntryDelays {
  readonly #options: EntryDelaysOptions;
  readonly #timer: DeadlineTimer;
  /** Monotonic end of each delay, by the key of its trip. */
  readonly #delays: TransactionalMap<string, Delay>;
  readonly #endedAtStartMs = new Map<string, number>();
  #zones: readonly Zone[];

  constructor(options: EntryDelaysOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#timer = new DeadlineTimer(options.clock, () => this.check());
    this.#delays = new TransactionalMap(options.journal, () => this.#arm());
  }

  start(): void {
    const { entryDelays, offDisk } = this.#options.journal;
    // Those of trips that are still in memory only, on a disk that is full at the start.
    const kept = offDisk.list().flatMap(({ delays = [] }) => delays);
    for (const delay of [...entryDelays.list(), ...kept]) this.#take(delay);
    const waiting = [...this.#delays.keys()];
    this.check();
    const nowMs = this.#options.clock.monotonicMs();
    // Also those whose end the disk rejects.
    for (const key of waiting)
      if (!this.#delays.has(key) || this.isOver(key)) this.#endedAtStartMs.set(key, nowMs);
  }

  /** Zones with a trip in its entry delay. */
  get zones(): string[] {
    return [...this.#delays].flatMap(([key, { zoneId }]) => (this.isOver(key) ? [] : [zoneId]));
  }

  /** Zones with a trip whose delay is over, see `isOver`. */
  get overZones(): string[] {
    return [...this.#delays].flatMap(([key, { zoneId }]) => (this.isOver(key) ? [zoneId] : []));
  }

  /** When a delay ended that was over before this start, monotonic; undefined for any other. */
  endedAtStartMs(key: string): number | undefined {
    return this.#endedAtStartMs.get(key);
  }

  /** Whether a delay has ended although the disk cannot store that: its trip waits only for the disk. */
  isOver(key: string): boolean {
    const delay = this.#delays.get(key);
    return delay?.reason === undefined && (delay?.dueMs ?? Infinity) <= this.#options.clock.monotonicMs();
  }

  /** Uses other zones. A trip of a removed zone is dispatched when its delay ends. */
  exchange(zones: readonly Zone[]): void {
    this.#zones = zones;
  }

  stop(): void {
    this.#timer.stop();
    this.#delays.clear();
  }

  /** Adds delays that were committed with their trips. */
  add(delays: readonly EntryDelay[]): void {
    for (const delay of delays) this.#take(delay);
    if (delays.length > 0) this.#arm();
  }

  /** Ends the delays that are due or whose gate has closed; to be called when a gate may have changed. */
  check(): void {
    const { clock, log } = this.#options;
    try {
      // All before any of them ends: one that cannot be stored ends this check, and a gate may open again before the next.
      for (const [key, delay] of this.#delays) {
        const reason = delay.reason ?? this.#cancelledBecause(delay);
        if (reason !== delay.reason) this.#delays.set(key, { ...delay, reason });
      }
      for (const [key, { zoneId, dueMs, reason }] of this.#delays)
        if (reason !== undefined || dueMs <= clock.monotonicMs()) this.#end(key, zoneId, reason);
      this.#arm();
    } catch (error) {
      log.error("entry-delay-end-failed", { error });
      this.#timer.arm([clock.monotonicMs() + RETRY_MS]);
    }
  }

  #end(key: string, zoneId: string, reason: string | undefined): void {
    const { journal, log, onTrip, onReleased } = this.#options;
    const zone = this.#zones.find(({ id }) => id === zoneId);
    journal.endDelay(key, reason, () => {
      if (zone && reason === undefined) onReleased(zone, key);
    });
    this.#delays.delete(key);
    journal.afterCommit(() =>
      log.info(reason === undefined ? "entry-delay-ended" : "trip-cancelled", { zone: zoneId, key }),
    );
    onTrip();
  }

  /** A gate of unknown state cancels nothing. */
  #cancelledBecause({ zoneId, gate }: Delay): string | undefined {
    const zone = this.#zones.find(({ id }) => id === zoneId);
    if (zone && gate !== undefined && gate !== gateText(zone.gate)) return undefined;
    return zone && this.#options.gates.isClosed(zone)
      ? `the gate closed within the entry delay (${zone.gate.by})`
      : undefined;
  }

  #take({ key, zoneId, due, gate }: EntryDelay): void {
    const { clock, bootId } = this.#options;
    const remainingMs =
      due.bootId === bootId ? due.monotonicMs - clock.monotonicMs() : due.wallMs - clock.wallMs();
    // If the wall clock was set back, the remaining time is still limited to the longest delay.
    const dueMs = clock.monotonicMs() + Math.min(remainingMs, ENTRY_DELAY_MS_MAX);
    this.#delays.set(key, { zoneId, dueMs, gate: gate ?? undefined });
  }

  #arm(): void {
    this.#timer.arm([...this.#delays.values()].map(({ dueMs }) => dueMs));
  }
}
