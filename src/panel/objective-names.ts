import type { Intervention, Objective, ObjectiveType } from "../generated/types.ts";
import { useQuery } from "./api.ts";
import { apiPath } from "./http.ts";
import { translateCode } from "./i18n.ts";

/** The longest request for names. */
const NAMED_MAX = 200;
const REFERENCE = /^(obiective\/(?:cladiri|bunuri|persoane))\/(\d{1,15})$/;

export type Located = Pick<Intervention, "objectiveType" | "objectiveId">;

/** The objective of a reference, such as `obiective/cladiri/14`; undefined for another text. */
export function objectiveOf(reference: string): Located | undefined {
  const [, type, id] = REFERENCE.exec(reference) ?? [];
  return type === undefined ? undefined : { objectiveType: type as ObjectiveType, objectiveId: Number(id) };
}

/** The name of the objective of a record, or type and number while the name is not known. */
export type ObjectiveNames = (record: Located) => string;

/** The city of an objective, or else its address; empty if neither is known. */
export type Places = (reference: string | undefined) => string;

/** Asks for the objectives of a page of records, with one request for each type. */
function useKnown(records: readonly Located[]): (record: Located) => Objective | undefined {
  const known: Readonly<Record<ObjectiveType, readonly Objective[]>> = {
    "obiective/cladiri": useObjectives("obiective/cladiri", records),
    "obiective/bunuri": useObjectives("obiective/bunuri", records),
    "obiective/persoane": useObjectives("obiective/persoane", records),
  };
  return ({ objectiveType: type, objectiveId }) => known[type].find(({ id }) => id === objectiveId);
}

/** Asks for the names of the objectives of a page of records. */
export function useObjectiveNames(records: readonly Located[]): ObjectiveNames {
  const find = useKnown(records);
  return (record) =>
    find(record)?.name ?? `${translateCode("objective", record.objectiveType)} ${record.objectiveId}`;
}

/** Asks where the objectives of these references are. */
export function usePlaces(references: readonly string[]): Places {
  const find = useKnown(references.flatMap((one) => objectiveOf(one) ?? []));
  return (reference = "") => {
    const located = objectiveOf(reference);
    const { address, city } = (located && find(located)) ?? {};
    return city || address || "";
  };
}

/** As `useObjectiveNames`, for references such as `obiective/cladiri/14`. */
export function useReferenceNames(references: readonly string[]): (reference: string) => string {
  const nameOf = useObjectiveNames(references.flatMap((one) => objectiveOf(one) ?? []));
  return (reference) => {
    const objective = objectiveOf(reference);
    return objective ? nameOf(objective) : reference;
  };
}

function useObjectives(type: ObjectiveType, records: readonly Located[]): readonly Objective[] {
  const ids = new Set(records.flatMap((record) => (record.objectiveType === type ? record.objectiveId : [])));
  const query = [...ids]
    .sort((a, b) => a - b)
    .slice(0, NAMED_MAX)
    .map((id) => `id=${id}`);
  const path = query.length === 0 ? undefined : apiPath(`/${type}?${query.join("&")}&_end=${query.length}`);
  return useQuery<Objective[]>(path).response?.body ?? [];
}
