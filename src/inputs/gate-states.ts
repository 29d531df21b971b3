import type { Clock, TrustedTime } from "../domain/clock.ts";
import { isGateOpen, type Gate, type GateState } from "../domain/gate.ts";
import { isLifeSafety } from "../domain/incident-class.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import type { Journal } from "../store/journal.ts";

export interface GateStatesOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly timezone: string;
  readonly log: Log;
}

interface Known {
  readonly state: GateState;
  /** When it last changed from closed to open, monotonic; undefined where that was not seen. */
  readonly openedAtMs: number | undefined;
}

/**
 * What the switches and messages of gates last said. A change is kept over a power cut, so that the rest of an exit delay
 * runs; whether a gate is open now is only known once its switch or message has said so again.
 */
export class GateStates {
  readonly #options: GateStatesOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: GateStatesOptions) {
    this.#options = options;
  }

  /** Whether the trips of a zone are not wanted now. Those that save lives always are. */
  isClosed({ kind, gate }: Pick<Zone, "kind" | "gate">): boolean {
    return !isLifeSafety(kind) && !this.#isOpen(gate, 0);
  }

  /** Whether it is not known if a zone's gate is open, so that its trips are dispatched to be safe. */
  isUnknown({ kind, gate }: Pick<Zone, "kind" | "gate">): boolean {
    if (isLifeSafety(kind) || gate.by === "always") return false;
    return gate.by === "schedule" ? !this.#options.time.isTrusted() : this.#stateOf(gate.id) === "unknown";
  }

  /** Whether a zone's gate has opened so shortly ago that its openings are part of leaving. */
  isExit({ kind, gate }: Pick<Zone, "kind" | "gate">): boolean {
    if (isLifeSafety(kind) || gate.by === "always" || gate.exitDelayMs === 0) return false;
    if (gate.by === "schedule") return !this.#isOpen(gate, -gate.exitDelayMs);
    const openedAtMs = this.#known.get(gate.id)?.openedAtMs;
    return openedAtMs !== undefined && this.#options.clock.monotonicMs() - openedAtMs < gate.exitDelayMs;
  }

  /** Forgets every other gate: it is unknown until its switch or message reports. */
  keep(gateIds: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!gateIds.has(id)) this.#known.delete(id);
  }

  /** @param fromNowMs at which time, for a gate by a schedule */
  #isOpen(gate: Gate, fromNowMs: number): boolean {
    const { clock, time, timezone } = this.#options;
    const wallMs = time.isTrusted() ? clock.wallMs() + fromNowMs : null;
    return isGateOpen(gate, wallMs, timezone, (id) => this.#stateOf(id));
  }

  #stateOf(gateId: string): GateState {
    return this.#known.get(gateId)?.state ?? "unknown";
  }

  /** A state that cannot be recorded now counts all the same; only the rest of an exit delay is lost with the power. */
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
    const { clock } = this.#options;
    if (before === "closed") return clock.monotonicMs();
    // Open as it was before a restart: since then. Opened while nothing was seen: an alarm too many is better than one
    // too few.
    if (stored?.state !== "open") return undefined;
    const elapsedMs = clock.wallMs() - stored.sinceWallMs;
    return elapsedMs < 0 ? undefined : clock.monotonicMs() - elapsedMs;
  }
}
