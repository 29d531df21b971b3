import type { Children } from "./children.ts";
import type { Contender } from "./contenders/contender.ts";
import type { Notebook } from "./figures.ts";
import type { RunFolder } from "./paths.ts";

/** How much is done. */
export interface Scale {
  readonly quick: boolean;
  readonly rounds: number;
  /** Of one load. */
  readonly seconds: number;
  /** Of one load while flushes are slow: every 100th takes half a second, and some of those must fall into each load. */
  readonly slowSeconds: number;
  /** Starts a contender is timed for. */
  readonly starts: number;
  /** Records that GETs by id ask for in turn. */
  readonly records: number;
  /** Rows of the large table. */
  readonly rows: number;
  /** Single openings a round. */
  readonly trips: number;
  /** Messages of one burst: a multiple of twice the number of sensors. */
  readonly burst: number;
  /** The same where single things are taken out of the product, with a slow flush, which is what most of them spare. */
  readonly aloneBurst: number;
  readonly aloneRounds: number;
  /** Records that wait at a site whose line is back. */
  readonly waiting: number;
  /** How long it is watched. */
  readonly catchUpSeconds: number;
  readonly catchUpRounds: number;
  /** Sites that sign in after a power cut. */
  readonly sites: number;
  /** Sites that sign in at a centre that has just been started. */
  readonly newSites: number;
  readonly signInRounds: number;
  /** What has not come through when so long nothing was committed any more, is lost. */
  readonly supervisionTimeoutMs: number;
}

export const FULL: Scale = {
  quick: false,
  rounds: 5,
  seconds: 4,
  slowSeconds: 5,
  starts: 7,
  records: 1_000,
  rows: 1_000_000,
  trips: 100,
  burst: 10_000,
  aloneBurst: 2_000,
  aloneRounds: 3,
  waiting: 20_000,
  catchUpSeconds: 30,
  catchUpRounds: 3,
  sites: 10_000,
  newSites: 100,
  signInRounds: 3,
  supervisionTimeoutMs: 15_000,
};

/** Enough to see that it works, and how things stand roughly. */
export const QUICK: Scale = {
  quick: true,
  rounds: 3,
  seconds: 1,
  slowSeconds: 2,
  starts: 3,
  records: 200,
  rows: 100_000,
  trips: 30,
  burst: 2_000,
  aloneBurst: 1_000,
  aloneRounds: 1,
  waiting: 5_000,
  catchUpSeconds: 8,
  catchUpRounds: 1,
  sites: 1_000,
  newSites: 30,
  signInRounds: 1,
  supervisionTimeoutMs: 10_000,
};

/** What a measure works with. */
export interface Ground {
  readonly scale: Scale;
  /** Those that can be measured here. */
  readonly contenders: readonly Contender[];
  readonly notebook: Notebook;
  readonly children: Children;
  readonly folder: RunFolder;
  /** Aborted when the run is to end early. */
  readonly signal: AbortSignal;
  /** Environment that makes flushes slow; undefined where no compiler could build the shim. */
  readonly slowFlush: Readonly<Record<string, string>> | undefined;
  /** Takes what is going on, a line at a time. */
  readonly tell: (line: string) => void;
}

/** Of the lines that a site catches up over, milliseconds: a cable, 4G, 4G in a cellar, worse. */
export const ROUND_TRIPS_MS = [50, 100, 200, 300] as const;
export type RoundTripMs = (typeof ROUND_TRIPS_MS)[number];

/** A part of the bench that can be run alone. */
export const MEASURES = ["write", "read", "list", "trip", "start", "alone", "catch-up", "sign-in"] as const;
export type MeasureName = (typeof MEASURES)[number];
