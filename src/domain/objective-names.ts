import type { ObjectiveType } from "./objective.ts";
import { folded } from "./search-folding.ts";
import { foreignName } from "./single-line.ts";

/** The name of an objective in the configuration, and the one that the dispatch centre has for its id. */
export interface NamedObjective {
  readonly type: ObjectiveType;
  readonly id: number;
  /** Null if the configuration does not name it. */
  readonly here: string | null;
  readonly there: string;
}

/** Objectives that a text names. */
const NAMED_MAX = 5;
/** Longer than the name of a building; a centre may send any text. */
const NAME_LENGTH_MAX = 80;

/** Whether the names are more than another way of writing the same: the id may then be another building at the centre. */
export function hasOtherName({ here, there }: Pick<NamedObjective, "here" | "there">): boolean {
  return here !== null && plain(here) !== plain(there);
}

/** The objectives with their names, such as `obiective/cladiri/1 ("My flat" ≠ "North Hall")`. */
export function objectivesText(objectives: readonly NamedObjective[]): string {
  const named = objectives.slice(0, NAMED_MAX).map(bothNamesText);
  const rest = objectives.length - named.length;
  return named.join(", ") + (rest > 0 ? `, +${rest}` : "");
}

/** An objective with its name, or with both if they differ. */
export function bothNamesText({ type, id, here, there }: NamedObjective): string {
  const names = hasOtherName({ here, there }) ? [here ?? "", there] : [there];
  return `${type}/${id} (${names.map((name) => `"${foreignName(name, NAME_LENGTH_MAX)}"`).join(" ≠ ")})`;
}

/** Without case, diacritics and spaces. */
function plain(name: string): string {
  return folded(name).replace(/\s+/g, "");
}
