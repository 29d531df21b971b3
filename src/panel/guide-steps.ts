import type { StatusView } from "../site/status-view.ts";
import type { ZoneView } from "../site/zone-view.ts";

/** The steps of the set-up whose state depends on the site, in their order. */
export const STEPS = ["site", "centre", "objectives", "zones", "walk", "signal"] as const;
export type StepName = (typeof STEPS)[number];

/**
 * `unused`: the site works without it. `next`: the first that is not done and does not come with a later one. `unknown`: not
 * counted or read yet.
 */
export type StepState = "done" | "next" | "later" | "unused" | "unknown";

/** What the state of the steps is derived from. */
export interface SetUpFacts {
  readonly isNamed: boolean;
  readonly link: StatusView["link"]["state"];
  /** Undefined until they are counted: the step is called neither done nor unfinished before. */
  readonly objectives: number | undefined;
  readonly zones: readonly Pick<ZoneView, "contact" | "testedAt">[];
  /** Whether the newest signal test has arrived at the dispatch centre; undefined until it is read. */
  readonly isSignalThere: boolean | undefined;
}

/** The zones that have had a walk test with their present sensor: a later one is not in the last test. */
export function testedZones<Zone extends Pick<ZoneView, "testedAt">>(
  zones: readonly Zone[],
): readonly Zone[] {
  return zones.filter(({ testedAt }) => testedAt !== null);
}

/** Those that a site without a dispatch centre can do without. */
const CENTRE_STEPS: ReadonlySet<StepName> = new Set<StepName>(["centre", "objectives", "signal"]);

/** Where the installation stands. */
export function stepStates(facts: SetUpFacts): Readonly<Record<StepName, StepState>> {
  const { isNamed, link, objectives, zones, isSignalThere } = facts;
  const hasZones = zones.length > 0;
  const isDone: Readonly<Record<StepName, boolean>> = {
    site: isNamed,
    centre: link === "up",
    objectives: (objectives ?? 0) > 0,
    zones: hasZones && zones.every(({ contact }) => contact !== "unknown"),
    walk: hasZones && testedZones(zones).length === zones.length,
    signal: isSignalThere === true,
  };
  const isAlone = link === "none";
  // Without a dispatch centre, its first zone gives a site its building, and a signal has nowhere to go.
  const canWait = (step: StepName): boolean => isAlone && CENTRE_STEPS.has(step);
  const next = STEPS.find((step) => !isDone[step] && !canWait(step));
  const stateOf = (step: StepName): StepState => {
    if (isDone[step]) return "done";
    if (isAlone && (step === "centre" || step === "signal")) return "unused";
    if (step === "objectives" && objectives === undefined) return "unknown";
    if (step === "signal" && isSignalThere === undefined) return "unknown";
    return step === next ? "next" : "later";
  };
  return Object.fromEntries(STEPS.map((step) => [step, stateOf(step)])) as Record<StepName, StepState>;
}

/** How many of the steps of this site are done, with those that are done before them; a step that is not used is none. */
export function stepCount(
  states: Readonly<Record<StepName, StepState>>,
  doneBefore: number,
): { readonly done: number; readonly all: number } {
  const used = STEPS.map((step) => states[step]).filter((state) => state !== "unused");
  const done = used.filter((state) => state === "done").length;
  return { done: done + doneBefore, all: used.length + doneBefore };
}
