import { isGateOpen, type Gate, type GateState } from "../domain/gate.ts";
import { isLifeSafety } from "../domain/incident.ts";
import type { Zone } from "../domain/zone.ts";
import type { ZoneContext } from "./zone-context.ts";

interface Known {
  readonly state: GateState;
  /** Monotonic time of the last change from closed to open; undefined if it was not observed. */
  readonly openedAtMs: number | undefined;
}

/**
 * Last reported states of gates. A change is stored, so that the rest of an exit delay continues after a power cut.
 * Whether a gate is open is unknown after a start until its switch or message reports again.
 */
export class GateStates {
  readonly #options: ZoneContext;
  readonly #known = new Map<string, Known>();

  constructor(options: ZoneContext) {
    this.#options = options;
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

  /** Sets a state; if it cannot be stored it still applies, and only the rest of an exit delay is lost in a power cut. */
  set(gateId: string, state: GateState): void {
    const before = this.#known.get(gateId);
    if (before?.state === state) return;
    if (state === "unknown") {
      this.#known.set(gateId, { state, openedAtMs: undefined });
      return;
    }
    const { clock, journal, log } = this.#options;
    try {
      const stored = journal.orders.gateState(gateId);
      const openedAtMs = state === "open" ? this.#openedAtMs(before?.state, stored) : undefined;
      this.#known.set(gateId, { state, openedAtMs });
      if (stored?.state !== state)
        journal.orders.saveGateState(gateId, { state, sinceWallMs: Math.round(clock.wallMs()) });
    } catch (error) {
      this.#known.set(gateId, { state, openedAtMs: this.#known.get(gateId)?.openedAtMs });
      log.error("gate-state-write-failed", { gate: gateId, error });
    }
  }

  #openedAtMs(
    before: GateState | undefined,
    stored: { readonly state: "open" | "closed"; readonly sinceWallMs: number } | undefined,
  ): number | undefined {
    const { clock, time } = this.#options;
    if (before === "closed") return clock.monotonicMs();
    // With an untrusted clock, a long power cut would look like a short one.
    if (!time.isTrusted()) return undefined;
    // Open before the restart: the time since then counts. Opened unobserved: no exit delay, because an extra alarm is
    // better than a missed one.
    if (stored?.state !== "open") return undefined;
    const elapsedMs = clock.wallMs() - stored.sinceWallMs;
    return elapsedMs < 0 ? undefined : clock.monotonicMs() - elapsedMs;
  }
}
