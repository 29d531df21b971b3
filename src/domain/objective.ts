import type { Objective, ObjectiveType } from "../generated/types.ts";

/** The three types in the order of the API; each is also the path of its list. */
export const OBJECTIVE_TYPES: readonly ObjectiveType[] = [
  "obiective/cladiri",
  "obiective/bunuri",
  "obiective/persoane",
];

export interface ObjectiveRef {
  readonly type: ObjectiveType;
  readonly id: number;
}

/** Where a local objective comes from: the configuration, an import, or only a zone that uses its id. */
export type ObjectiveSource = "config" | "import" | "zone";

export type { Objective, ObjectiveType };

/** The objectives that an account is restricted to. */
export type ObjectiveScope = readonly ObjectiveRef[];

/** An objective as text, such as `obiective/cladiri/12`. */
export function refText({ type, id }: ObjectiveRef): string {
  return `${type}/${id}`;
}

/** @returns undefined unless the text is an objective type, a slash and an id from 1 on */
export function refFrom(text: string): ObjectiveRef | undefined {
  const [, kind, digits] = /^(.+)\/([1-9]\d{0,15})$/.exec(text) ?? [];
  const type = OBJECTIVE_TYPES.find((known) => known === kind);
  const id = Number(digits);
  return type && Number.isSafeInteger(id) ? { type, id } : undefined;
}
