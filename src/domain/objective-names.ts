import { refText, type ObjectiveRef, type ObjectiveType } from "./objective.ts";
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

/** A zone, or an account of an alarm panel, that sends crews to an objective. */
export interface ObjectiveUser {
  readonly objective: ObjectiveRef;
  /** Of a zone. */
  readonly name?: string;
  /** Of an alarm panel. */
  readonly account?: string;
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
  return firstOf(objectives.map(bothNamesText));
}

/** Each objective with what sends crews there, such as `obiective/cladiri/99 (Front door, Window)`. */
export function usersText(users: readonly ObjectiveUser[]): string {
  const byObjective = new Map<string, string[]>();
  for (const { objective, name, account } of users) {
    const labels = byObjective.get(refText(objective)) ?? [];
    byObjective.set(refText(objective), [...labels, name ?? account ?? ""]);
  }
  return firstOf([...byObjective].map(([objective, labels]) => `${objective} (${firstOf(labels)})`));
}

function firstOf(texts: readonly string[]): string {
  const named = texts.slice(0, NAMED_MAX);
  const rest = texts.length - named.length;
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
