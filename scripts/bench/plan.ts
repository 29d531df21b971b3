import type { Children } from "./children.ts";
import type { Contender } from "./contenders/contender.ts";
import type { Notebook } from "./figures.ts";
import type { RunFolder } from "./paths.ts";

/** The size of a run. */
export interface Scale {
  readonly quick: boolean;
  readonly rounds: number;
  /** Of one load. */
  readonly seconds: number;
  /** Of one load with a slow fsync: long enough for some of those that take half a second. */
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
  /** The same with one optimisation removed and a slow fsync, which most of them avoid. */
  readonly aloneBurst: number;
  readonly aloneRounds: number;
  /** Records that wait at a site whose link is up again. */
  readonly waiting: number;
  /** How long it is watched. */
  readonly catchUpSeconds: number;
  readonly catchUpRounds: number;
  /** Sites that sign in after a power cut. */
  readonly sites: number;
  /** Sites that sign in at a centre that has just been started. */
  readonly newSites: number;
  readonly signInRounds: number;
  /** Openings under each load: all loads together have fewer than there are sensors. */
  readonly loadTrips: number;
  readonly loadRounds: number;
  /** Alarms of a panel that are timed one by one. */
  readonly panelAlarms: number;
  /** How long ten thousand events a minute arrive, at least. */
  readonly panelSeconds: number;
  /** Sites that connect and post one alarm each. */
  readonly stormSites: number;
  /** Openings without a record count as lost after this time without a commit, in milliseconds. */
  readonly silenceMs: number;
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
  loadTrips: 80,
  loadRounds: 5,
  panelAlarms: 48,
  panelSeconds: 60,
  stormSites: 10_000,
  silenceMs: 15_000,
};

/** A rough result within minutes. */
export const QUICK: Scale = {
  quick: true,
  rounds: 1,
  seconds: 1,
  slowSeconds: 2,
  starts: 2,
  records: 200,
  rows: 50_000,
  trips: 30,
  burst: 2_000,
  aloneBurst: 1_000,
  aloneRounds: 1,
  waiting: 5_000,
  catchUpSeconds: 5,
  catchUpRounds: 1,
  sites: 1_000,
  newSites: 30,
  signInRounds: 1,
  loadTrips: 30,
  loadRounds: 1,
  panelAlarms: 30,
  panelSeconds: 6,
  stormSites: 1_000,
  silenceMs: 10_000,
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
  /** Environment for a slow fsync; undefined if no compiler could build the library. */
  readonly slowFlush: Readonly<Record<string, string>> | undefined;
  /** Called with the progress, a line at a time. */
  readonly tell: (line: string) => void;
}

/** Round trips of the links for catching up, in milliseconds: a cable, 4G, 4G in a cellar, worse. */
export const ROUND_TRIPS_MS = [50, 100, 200, 300] as const;
export type RoundTripMs = (typeof ROUND_TRIPS_MS)[number];

/** A part of the benchmark that can be run alone. */
export const MEASURES = [
  "write",
  "read",
  "list",
  "trip",
  "trip-load",
  "storm",
  "start",
  "alone",
  "catch-up",
  "sign-in",
  "centre",
  "dc09",
] as const;
export type MeasureName = (typeof MEASURES)[number];
