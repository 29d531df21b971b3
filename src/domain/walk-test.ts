import type { ZoneKind } from "./zone.ts";

/** How a site is called, and the time zone of its clock times. */
export interface SiteIdentity {
  readonly name: string;
  readonly ref: string;
  /** IANA name. */
  readonly timezone: string;
}

/** A zone of a walk test. Times are ISO 8601 UTC. */
export interface WalkTestZone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  /** Its first trip in the test; null without one. */
  readonly first: string | null;
  /** Its last trip in the test; null without one. */
  readonly last: string | null;
  readonly trips: number;
  /** Whether it is bypassed, or was at the end of the test. */
  readonly bypassed: boolean;
  /** Whether it has tripped, by the sensor that it has now or had at the end of the test. */
  readonly passed: boolean;
  /** What it reads, as text (`sensorOf`); null for a zone that was removed, absent in a result of an earlier release. */
  readonly sensor?: string | null;
}

/** What a running walk test has shown so far. Times are ISO 8601 UTC. */
export interface WalkTestProgress {
  /** Number of the test: those of a site are numbered in order. */
  readonly number: number;
  readonly site: SiteIdentity;
  /** Who started it. */
  readonly who: string;
  readonly since: string;
  readonly until: string;
  /** The zones at its start and now. */
  readonly zones: readonly WalkTestZone[];
}

/** The result of a walk test: stored when the test ends, and not changed afterwards. */
export interface WalkTestResult extends WalkTestProgress {
  readonly ended: string;
  /** Who ended it; `santinela` when its time was over. */
  readonly endedBy: string;
}
