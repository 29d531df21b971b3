import type { LifeSafetyHeld } from "../domain/life-safety.ts";

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
