import type { ObjectiveType } from "../generated/types.ts";
import type { ZoneChange } from "./zone-draft.ts";

interface ZoneObjective {
  readonly type: ObjectiveType;
  readonly id: number;
}

let last: ZoneObjective | undefined;

/** The objective of the zone that was saved last in this tab; undefined before the first. */
export function lastObjective(): ZoneObjective | undefined {
  return last;
}

/** Remembers the objective of saved zones: most zones of a site have the same one. */
export function noteSaved(changes: readonly ZoneChange[]): void {
  for (const change of changes)
    if (change.action === "add" || change.action === "change")
      last = (change.zone["objective"] as ZoneObjective | undefined) ?? last;
}
