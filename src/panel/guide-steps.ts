import type { StatusView } from "../site/status-view.ts";
import type { ZoneView } from "../site/zone-view.ts";

/** The steps of the set-up whose state depends on the site, in their order. */
export const STEPS = ["site", "centre", "objectives", "zones", "walk"] as const;
export type StepName = (typeof STEPS)[number];

/**
 * `unused`: the site works without it. `next`: the first that is not done and does not come with a later one. `unknown`: not
 * counted yet.
 */
export type StepState = "done" | "next" | "later" | "unused" | "unknown";

/** What the state of the steps is derived from. */
export interface SetUpFacts {
  readonly isNamed: boolean;
  readonly link: StatusView["link"]["state"];
  /** Undefined until they are counted: the step is called neither done nor unfinished before. */
  readonly objectives: number | undefined;
  readonly zones: readonly Pick<ZoneView, "contact" | "testedAt">[];
}

/** The zones that have had a walk test with their present sensor: a later one is not in the last test. */
export function testedZones<Zone extends Pick<ZoneView, "testedAt">>(
  zones: readonly Zone[],
): readonly Zone[] {
  return zones.filter(({ testedAt }) => testedAt !== null);
}

/** Where the installation stands. */
export function stepStates(facts: SetUpFacts): Readonly<Record<StepName, StepState>> {
  const { isNamed, link, objectives, zones } = facts;
  const hasZones = zones.length > 0;
  const isDone: Readonly<Record<StepName, boolean>> = {
    site: isNamed,
    centre: link === "up",
    objectives: (objectives ?? 0) > 0,
    zones: hasZones && zones.every(({ contact }) => contact !== "unknown"),
    walk: hasZones && testedZones(zones).length === zones.length,
  };
  const isAlone = link === "none";
  // Without a dispatch centre, its first zone gives a site its building.
  const canWait = (step: StepName): boolean => isAlone && (step === "centre" || step === "objectives");
  const next = STEPS.find((step) => !isDone[step] && !canWait(step));
  const stateOf = (step: StepName): StepState => {
    if (isDone[step]) return "done";
    if (isAlone && step === "centre") return "unused";
    if (step === "objectives" && objectives === undefined) return "unknown";
    return step === next ? "next" : "later";
  };
  return Object.fromEntries(STEPS.map((step) => [step, stateOf(step)])) as Record<StepName, StepState>;
}
