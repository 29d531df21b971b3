import { isGateOpen, type Gate, type GateState } from "../domain/gate.ts";
import { isLifeSafety } from "../domain/incident.ts";
import { gateIdsOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import type { StoredGateState } from "../store/overrides.ts";
import type { ZoneContext } from "./zone-context.ts";

interface Known {
  readonly state: GateState;
  /** Monotonic time of the last change from closed to open; undefined if it was not observed. */
  readonly openedAtMs: number | undefined;
  /** Whether the journal has the state. Otherwise the next report stores it, although nothing changes. */
  readonly isStored: boolean;
}

/**
 * Last reported states of gates. A change is stored, so that the rest of an exit delay continues after a power cut.
 * Whether a gate is open is unknown after a start until its switch or message reports again; only an alarm panel does not
 * repeat whether it is armed.
 */
export class GateStates {
  readonly #options: ZoneContext;
  readonly #known = new Map<string, Known>();

  constructor(options: ZoneContext) {
    this.#options = options;
  }

  /**
   * Deletes the stored states of gates that no zone uses. What they report until they are used again is not noted: they
   * must then be unknown. The state of an alarm panel applies at once, before any contact is read.
   */
  start(): void {
    const { zones, journal, log } = this.#options;
    try {
      journal.zoneOverrides.keepGateStates(gateIdsOf(zones));
      for (const { gate } of zones) {
        const stored = gate.by === "dc09" ? journal.zoneOverrides.gateState(gate.id) : undefined;
        if (stored && gate.by === "dc09") this.set(gate.id, stored.state);
      }
    } catch (error) {
      log.error("gate-state-purge-failed", { error });
      journal.noteError(error);
    }
  }

  /** Whether a zone is disarmed, so that its trips are not dispatched. Life safety zones never are. */
  isClosed({ kind, gate }: Pick<Zone, "kind" | "gate">): boolean {
    return !isLifeSafety(kind) && !this.#isOpen(gate, 0);
  }

  /** Whether the state of a zone's gate is unknown, so that its trips are dispatched as a precaution. */
  isUnknown({ kind, gate }: Pick<Zone, "kind" | "gate">): boolean {
    if (isLifeSafety(kind) || gate.by === "always") return false;
    return gate.by === "schedule" ? !this.#options.time.isTrusted() : this.#stateOf(gate.id) === "unknown";
  }

  /** Whether a zone's gate opened less than the exit delay ago. */
  isExit({ kind, gate }: Pick<Zone, "kind" | "gate">): boolean {
    if (isLifeSafety(kind) || gate.by === "always" || gate.exitDelayMs === 0) return false;
    if (gate.by === "schedule") return !this.#isOpen(gate, -gate.exitDelayMs);
    const openedAtMs = this.#known.get(gate.id)?.openedAtMs;
    return openedAtMs !== undefined && this.#options.clock.monotonicMs() - openedAtMs < gate.exitDelayMs;
  }

  /** Removes all other gates: their state is unknown until their switch or message reports. */
  keep(gateIds: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!gateIds.has(id)) this.#known.delete(id);
  }

  /** @param fromNowMs offset of the checked time, for a gate with a schedule */
  #isOpen(gate: Gate, fromNowMs: number): boolean {
    const { clock, time, site } = this.#options;
    const wallMs = time.isTrusted() ? clock.wallMs() + fromNowMs : null;
    return isGateOpen(gate, wallMs, site.timezone, (id) => this.#stateOf(id));
  }

  #stateOf(gateId: string): GateState {
    return this.#known.get(gateId)?.state ?? "unknown";
  }

  /** Whether a gate has reported, or was resumed, since the start. */
  isKnown(gateId: string): boolean {
    return this.#stateOf(gateId) !== "unknown";
  }

  /**
   * Sets a state. If it cannot be stored it still applies, also if the group commit fails: a gate that is reported as armed must
   * not suppress alarms because of the disk.
   * @param mustStore whether to throw the error of the journal, so that the report is repeated until it is stored
   */
  set(gateId: string, state: GateState, { mustStore = false } = {}): void {
    const before = this.#known.get(gateId);
    if (before?.state === state && before.isStored) return;
    if (state === "unknown") {
      this.#known.set(gateId, { state, openedAtMs: undefined, isStored: true });
      return;
    }
    try {
      this.#store(gateId, state, before);
    } catch (error) {
      this.#known.set(gateId, { state, openedAtMs: this.#known.get(gateId)?.openedAtMs, isStored: false });
      if (mustStore) throw error;
      // Once, not at each message.
      if (before?.state !== state)
        this.#options.log.error("gate-state-write-failed", { gate: gateId, error });
      this.#options.journal.noteError(error);
    }
  }

  #store(gateId: string, state: "open" | "closed", before: Known | undefined): void {
    const { clock, journal, bootId } = this.#options;
    const stored = journal.zoneOverrides.gateState(gateId);
    const isRepeated = before?.state === state;
    const opened = state === "open" ? this.#openedAtMs(before?.state, stored) : undefined;
    const openedAtMs = isRepeated ? before.openedAtMs : opened;
    this.#known.set(gateId, { state, openedAtMs, isStored: true });
    journal.onRollback(() => this.#noteUnstored(gateId));
    if (stored?.state === state) return;
    // A repeated report does not begin the exit delay again.
    const sinceOpenedMs = openedAtMs === undefined ? 0 : clock.monotonicMs() - openedAtMs;
    const monotonicMs = clock.monotonicMs() - sinceOpenedMs;
    const since = { wallMs: Math.round(clock.wallMs() - sinceOpenedMs), bootId, monotonicMs };
    journal.zoneOverrides.saveGateState(gateId, { state, since });
  }

  #noteUnstored(gateId: string): void {
    const known = this.#known.get(gateId);
    if (known) this.#known.set(gateId, { ...known, isStored: false });
  }

  #openedAtMs(before: GateState | undefined, stored: StoredGateState | undefined): number | undefined {
    const { clock, time, bootId } = this.#options;
    if (before === "closed") return clock.monotonicMs();
    if (stored?.state === "open" && stored.since.bootId === bootId) return stored.since.monotonicMs;
    // With an untrusted clock, a long power cut would look like a short one.
    if (!time.isTrusted()) return undefined;
    // Open before the restart: the time since then counts. Opened unobserved: no exit delay, because an extra alarm is
    // better than a missed one.
    if (stored?.state !== "open") return undefined;
    const elapsedMs = clock.wallMs() - stored.since.wallMs;
    return elapsedMs < 0 ? undefined : clock.monotonicMs() - elapsedMs;
  }
}
