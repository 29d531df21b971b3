import type { Intervention, RecordSite } from "../generated/types.ts";
import { useQuery } from "./api.ts";
import { apiPath } from "./http.ts";
import { status } from "./live-updates.ts";

/** The site that has created an intervention; undefined for one of a person, and before it is known. */
export type RecordSites = (record: Pick<Intervention, "id">) => RecordSite | undefined;

/** Asks a dispatch centre for the sites that have created a page of records; a site asks nothing. */
export function useRecordSites(records: readonly Pick<Intervention, "id">[]): RecordSites {
  const ids = status.value?.role === "centre" ? records.map(({ id }) => id).join() : "";
  const { response } = useQuery<RecordSite[]>(ids === "" ? undefined : apiPath(`/sites/records?ids=${ids}`));
  return ({ id }) => response?.body.find(({ interventionId }) => interventionId === id);
}
