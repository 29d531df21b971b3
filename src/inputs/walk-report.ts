import type { Zone } from "../domain/zone.ts";
import type { WalkTest } from "../store/overrides.ts";
import type { TripStore } from "../store/trips.ts";

/** What a walk test has seen. */
export interface WalkReport {
  readonly isRunning: boolean;
  readonly who: string;
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
  readonly endedWallMs: number | null;
  /** Every zone, with how often it has tripped; `lastWallMs` is null for one that has not. */
  readonly zones: readonly {
    readonly id: string;
    readonly trips: number;
    readonly lastWallMs: number | null;
  }[];
}

/**
 * The report of a walk test.
 * @throws Error without one
 */
export function walkReportOf(
  test: WalkTest | undefined,
  parts: { readonly isRunning: boolean; readonly zones: readonly Zone[]; readonly trips: TripStore },
): WalkReport {
  if (!test) throw new Error("a walk test that was recorded is not there");
  const tested = new Map(parts.trips.tested(test.afterSeq).map((seen) => [seen.zoneId, seen]));
  const { who, sinceWallMs, untilWallMs, endedWallMs } = test;
  const zones = parts.zones.map(({ id }) => ({
    id,
    trips: tested.get(id)?.trips ?? 0,
    lastWallMs: tested.get(id)?.lastWallMs ?? null,
  }));
  return { isRunning: parts.isRunning, who, sinceWallMs, untilWallMs, endedWallMs, zones };
}
