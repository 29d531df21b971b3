import type { Zone } from "../domain/zone.ts";
import type { WalkTest } from "../store/overrides.ts";
import type { TripStore } from "../store/trips.ts";

/** Result of a walk test. */
export interface WalkReport {
  readonly isRunning: boolean;
  readonly who: string;
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
  readonly endedWallMs: number | null;
  /** All zones with the number of their trips; `lastWallMs` is null for a zone that has not tripped. */
  readonly zones: readonly {
    readonly id: string;
    readonly trips: number;
    readonly lastWallMs: number | null;
  }[];
}

/**
 * Returns the report of a walk test.
 * @throws Error if the walk test is missing
 */
export function walkReportOf(
  test: WalkTest | undefined,
  parts: { readonly isRunning: boolean; readonly zones: readonly Zone[]; readonly trips: TripStore },
): WalkReport {
  if (!test) throw new Error("a recorded walk test is missing");
  const tested = new Map(parts.trips.tested(test.afterSeq).map((zone) => [zone.zoneId, zone]));
  const { who, sinceWallMs, untilWallMs, endedWallMs } = test;
  const zones = parts.zones.map(({ id }) => ({
    id,
    trips: tested.get(id)?.trips ?? 0,
    lastWallMs: tested.get(id)?.lastWallMs ?? null,
  }));
  return { isRunning: parts.isRunning, who, sinceWallMs, untilWallMs, endedWallMs, zones };
}
