import type { ContenderName } from "./contenders/contender.ts";
import type { FigureName, Measured } from "./figures.ts";
import { median, ratio } from "./statistics.ts";

interface Value {
  readonly figure: FigureName;
  readonly contender: ContenderName;
}

/** A goal of the product: a ratio within one run, a difference, or an absolute value. */
export interface Goal {
  readonly of: FigureName;
  /** The contender of ours; default: the product as built. */
  readonly by?: ContenderName;
  readonly to?: Value;
  /** `difference`: the unit is that of the figure. */
  readonly as: "ratio" | "difference" | "value";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** How a goal stands. */
export interface Standing {
  readonly goal: Goal;
  /** Undefined where something was not measured. */
  readonly value: number | undefined;
  readonly isMet: boolean | undefined;
}

/** The goals, with the reasons for each number in docs/performance.md. */
export const GOALS: readonly Goal[] = [
  { of: "post-64", to: { figure: "post-64", contender: "floor" }, as: "ratio", atLeast: 0.8 },
  { of: "post-64", to: { figure: "post-64", contender: "floor-rows" }, as: "ratio", atLeast: 0.8 },
  { of: "post-64", to: { figure: "post-64", contender: "node-red" }, as: "ratio", atLeast: 15 },
  { of: "post-64", to: { figure: "post-64", contender: "json-server" }, as: "ratio", atLeast: 10 },
  { of: "slow-post-64", to: { figure: "slow-post-64", contender: "express" }, as: "ratio", atLeast: 9 },
  { of: "slow-get-p99", as: "value", atMost: 500 },
  { of: "get-8", to: { figure: "get-8", contender: "floor" }, as: "ratio", atLeast: 0.8 },
  { of: "get-8", to: { figure: "get-8", contender: "floor-rows" }, as: "ratio", atLeast: 0.8 },
  { of: "get-8", to: { figure: "get-8", contender: "json-server" }, as: "ratio", atLeast: 6 },
  { of: "list-large", to: { figure: "list-small", contender: "santinela" }, as: "ratio", atMost: 2 },
  { of: "trip-p50", to: { figure: "trip-p50", contender: "node-red" }, as: "ratio", atMost: 0.5 },
  { of: "trip-p99", to: { figure: "trip-p99", contender: "node-red" }, as: "ratio", atMost: 0.5 },
  { of: "burst-lost", as: "value", atMost: 0 },
  { of: "sign-in-last", as: "value", atMost: 60 },
  { of: "sign-in-failed", as: "value", atMost: 0 },
  { of: "burst-rate", to: { figure: "burst-rate", contender: "node-red" }, as: "ratio", atLeast: 15 },
  { of: "burst-peak", to: { figure: "burst-peak", contender: "node-red" }, as: "ratio", atMost: 0.2 },
  {
    of: "start",
    by: "santinela-packaged",
    to: { figure: "start", contender: "node-red" },
    as: "ratio",
    atMost: 0.35,
  },
  {
    of: "start",
    by: "santinela-packaged",
    to: { figure: "start", contender: "express-packages" },
    as: "ratio",
    atMost: 1.3,
  },
  { of: "rss-idle", to: { figure: "rss-idle", contender: "node-red" }, as: "ratio", atMost: 0.6 },
  { of: "rss-idle", to: { figure: "rss-idle", contender: "express-packages" }, as: "difference", atMost: 15 },
];

/** How every goal stands in a run. */
export function standings(measured: readonly Measured[]): Standing[] {
  return GOALS.map((goal) => {
    const value = valueOf(goal, measured);
    return { goal, value, isMet: value === undefined ? undefined : isMet(goal, value) };
  });
}

function valueOf(
  { of, by = "santinela", to, as, atMost }: Goal,
  measured: readonly Measured[],
): number | undefined {
  const own = valuesOf({ figure: of, contender: by }, measured);
  if (!own) return undefined;
  // Not one opening may be lost in any round, nor one site stay out; other figures are judged by their middle.
  if (!to) return atMost === 0 ? Math.max(...own) : median(own);
  const other = valuesOf(to, measured);
  if (!other) return undefined;
  return as === "difference" ? median(own) - median(other) : ratio(own, other);
}

function isMet({ atLeast, atMost }: Goal, value: number): boolean {
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

function valuesOf(
  { figure, contender }: Value,
  measured: readonly Measured[],
): readonly number[] | undefined {
  return measured.find((entry) => entry.figure === figure && entry.contender === contender)?.values;
}
