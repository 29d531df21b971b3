import type { Objective, ObjectiveType } from "../generated/types.ts";

/** The three kinds, in the order the interface names them; each is also the path of its list. */
export const OBJECTIVE_TYPES: readonly ObjectiveType[] = [
  "obiective/cladiri",
  "obiective/bunuri",
  "obiective/persoane",
];

export interface ObjectiveRef {
  readonly type: ObjectiveType;
  readonly id: number;
}

/** Where a local objective comes from: the configuration, an import, or only a zone that names its id. */
export type ObjectiveSource = "config" | "import" | "zone";

export type { Objective, ObjectiveType };
