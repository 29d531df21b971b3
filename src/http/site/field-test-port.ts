import type { Actor } from "../../domain/event.ts";
import type { LifeSafetyHeld } from "../../domain/life-safety.ts";

/** The tests a technician makes: whether each detector is seen, and whether a signal reaches the centre. */
export interface FieldTestPort {
  /** The running or last walk test; null before the first. */
  walk(): WalkTestView | null;
  /** @throws AppError `invalid` for a time out of range, `conflict` while one is running */
  startWalk(minutes: number | undefined, actor: Actor): WalkTestView;
  endWalk(actor: Actor): WalkTestView | null;
  /**
   * Sends a test the whole way that a trip goes, for the objective of a zone; the first zone when undefined.
   * @throws AppError `not-found`
   */
  startSignal(zoneId: string | undefined, actor: Actor): SignalTestView;
  /** How far a signal test has come. @throws AppError `not-found` */
  signal(key: string): SignalTestView;
}

/** A walk test: who ordered it, until when, and what has tripped. All times ISO 8601 UTC. */
export interface WalkTestView {
  readonly running: boolean;
  readonly who: string;
  readonly since: string;
  readonly until: string;
  readonly ended: string | null;
  /** Life-safety zones that it holds back; empty when it does not run. */
  readonly lifeSafetyHeld: readonly LifeSafetyHeld[];
  readonly zones: readonly { readonly id: string; readonly trips: number; readonly last: string | null }[];
}

/** How far a signal test has come. */
export interface SignalTestView {
  readonly key: string;
  readonly zone: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** `waiting` in the journal, `posted` as an intervention here, `refused` by the local API, `arrived` at the centre. */
  readonly state: "waiting" | "posted" | "refused" | "arrived";
  /** Whether it has gone as far as it can: the centre, or our own records where there is none. */
  readonly isOver: boolean;
  readonly interventionId: number | null;
  readonly upstreamId: number | null;
  /** Why it stands where it stands; null where nothing is wrong. */
  readonly reason: string | null;
}
