import type { Actor } from "../../domain/event.ts";
import type { LifeSafetyHeld } from "../../domain/life-safety.ts";

/** Walk tests of the zones and signal tests to the dispatch centre. */
export interface FieldTestPort {
  /** The running or last walk test; null before the first. */
  walk(): WalkTestView | null;
  /** @throws AppError `invalid` for a duration out of range, `conflict` while one is running */
  startWalk(minutes: number | undefined, actor: Actor): WalkTestView;
  endWalk(actor: Actor): WalkTestView | null;
  /**
   * Sends a test along the alarm path for the objective of a zone; default: the first zone.
   * @throws AppError `not-found`
   */
  startSignal(zoneId: string | undefined, actor: Actor): SignalTestView;
  /** State of a signal test. @throws AppError `not-found` */
  signal(key: string): SignalTestView;
}

/** A walk test: who started it, its times and the tested zones. All times ISO 8601 UTC. */
export interface WalkTestView {
  readonly running: boolean;
  readonly who: string;
  readonly since: string;
  readonly until: string;
  readonly ended: string | null;
  /** Life-safety zones that it suppresses; empty when it is not running. */
  readonly lifeSafetyHeld: readonly LifeSafetyHeld[];
  readonly zones: readonly { readonly id: string; readonly trips: number; readonly last: string | null }[];
}

/** State of a signal test. */
export interface SignalTestView {
  readonly key: string;
  readonly zone: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** `waiting` in the journal, `posted` as a local intervention, `refused` by the local API, `arrived` at the centre. */
  readonly state: "waiting" | "posted" | "refused" | "arrived";
  /** Whether it is complete: at the dispatch centre, or in the local records of a standalone daemon. */
  readonly isOver: boolean;
  readonly interventionId: number | null;
  readonly upstreamId: number | null;
  /** Reason of a delay or rejection; null if there is none. */
  readonly reason: string | null;
}
