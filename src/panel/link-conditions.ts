import type { Condition } from "../domain/condition.ts";

/** Why nothing reaches the dispatch centre. */
export const LINK_CONDITIONS: ReadonlySet<Condition["code"]> = new Set<Condition["code"]>([
  "upstream-unreachable",
  "upstream-authentication-failed",
  "upstream-unexpected-service",
]);
