import { Icon } from "../icon.tsx";
import { objectiveOf, useObjectiveNames } from "../objective-names.ts";
import { route } from "../route.ts";

/** The number of an intervention, alone or after `#`. */
export const NUMBER = /^(#?)\s*(\d{1,15})$/;

type SetFilter = (change: Readonly<Record<string, string>>) => void;

/** The parameters of a search: `#12` is the intervention with this number, and any other text is searched for. */
export function searchParameters(q: string): [string, string][] {
  const [, hash, number] = NUMBER.exec(q) ?? [];
  return [hash === "#" && number !== undefined ? ["id", number] : ["q", q]];
}

/** The parameters for the objective of the address. */
export function objectiveParameters(ref: string): [string, string][] {
  const objective = objectiveOf(ref);
  if (!objective) return [];
  return [
    ["objectiveType", objective.objectiveType],
    ["objectiveId", String(objective.objectiveId)],
  ];
}

/** The objective of the address, pressed until it is taken away. */
export function ObjectiveFilter({ set }: { readonly set: SetFilter }) {
  const objective = objectiveOf(route.value.query["objective"] ?? "");
  const nameOf = useObjectiveNames(objective ? [objective] : []);
  if (!objective) return null;
  return (
    <button type="button" aria-pressed onClick={() => set({ objective: "" })}>
      {nameOf(objective)} <Icon name="x" />
    </button>
  );
}
