import type { ContenderName } from "./contenders/contender.ts";
import type { FigureName, Measured, TripLoad } from "./figures.ts";
import { median, ratio } from "./statistics.ts";

interface Value {
  readonly figure: FigureName;
  readonly contender: ContenderName;
}

/** A goal of the product: a ratio within one run, or an absolute value. */
export interface Goal {
  readonly of: FigureName;
  /** What the ratio is to; without it the bound is a value in the unit of the figure. */
  readonly to?: Value;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** How a goal stands. */
export interface GoalResult {
  readonly goal: Goal;
  /** Undefined where something was not measured. */
  readonly value: number | undefined;
  readonly isMet: boolean | undefined;
}

/** What a trip may cost under each load. */
const TRIP_LOADS = ["reads", "sort", "backup", "writes", "storm"] as const satisfies readonly TripLoad[];

/** A ratio to the same figure of a peer. */
function against(of: FigureName, contender: ContenderName, bound: Pick<Goal, "atLeast" | "atMost">): Goal {
  return { of, to: { figure: of, contender }, ...bound };
}

/** The goals, with the reasons for each number in docs/performance.md. */
export const GOALS: readonly Goal[] = [
  against("post-1", "floor-rows", { atLeast: 0.8 }),
  against("post-64", "floor-rows", { atLeast: 0.9 }),
  against("post-64", "fastify", { atLeast: 1.4 }),
  against("post-64", "node-red", { atLeast: 15 }),
  against("post-64", "json-server", { atLeast: 10 }),
  against("slow-post-64", "express", { atLeast: 9 }),
  { of: "slow-get-p99", atMost: 20 },
  against("get-8", "floor-rows", { atLeast: 0.85 }),
  against("get-8", "fastify", { atLeast: 1 }),
  against("get-8", "json-server", { atLeast: 6 }),
  { of: "list-large", to: { figure: "list-small", contender: "santinela" }, atMost: 2 },
  against("trip-p50", "node-red", { atMost: 0.6 }),
  against("trip-p99", "node-red", { atMost: 0.3 }),
  ...TRIP_LOADS.flatMap((load) =>
    (["p50", "p99"] as const).map((part): Goal => ({
      of: `trip-${load}-${part}`,
      to: { figure: `trip-idle-${part}`, contender: "santinela" },
      atMost: 1.5,
    })),
  ),
  // The senders share the machine: what they take from a trip without the receiver is not the receiver's.
  ...(
    [
      ["hostile", "elsewhere"],
      ["flood", "idle"],
    ] as const
  ).flatMap(([load, beside]) =>
    (["p50", "p99"] as const).map((part): Goal => ({
      of: `dc09-trip-${load}-${part}`,
      to: { figure: `dc09-trip-${beside}-${part}`, contender: "santinela" },
      atMost: 1.5,
    })),
  ),
  { of: "dc09-minute-lost", atMost: 0 },
  against("burst-rate", "node-red", { atLeast: 8 }),
  { of: "burst-lost", atMost: 0 },
  against("burst-peak", "node-red", { atMost: 0.6 }),
  { of: "storm-p99", atMost: 1_000 },
  { of: "storm-gave-up", atMost: 0 },
  { of: "sign-in-last", atMost: 60 },
  { of: "sign-in-failed", atMost: 0 },
  against("start", "express-packages", { atMost: 1.18 }),
  { of: "rss-idle", atMost: 100 },
];

/** How every goal stands in a run. */
export function goalResults(measured: readonly Measured[]): GoalResult[] {
  return GOALS.map((goal) => {
    const value = valueOf(goal, measured);
    return { goal, value, isMet: value === undefined ? undefined : isMet(goal, value) };
  });
}

function valueOf({ of, to, atMost }: Goal, measured: readonly Measured[]): number | undefined {
  const own = valuesOf({ figure: of, contender: "santinela" }, measured);
  if (!own) return undefined;
  // Not one opening may be lost in any round, nor one site stay out; other figures are judged by their middle.
  if (!to) return atMost === 0 ? Math.max(...own) : median(own);
  const other = valuesOf(to, measured);
  if (!other) return undefined;
  return ratio(own, other);
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
