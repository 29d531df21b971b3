import type { Intervention } from "../../src/domain/intervention.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { eventually } from "../support/eventually.ts";
import type { LeftInstallation, LeftTrip } from "./left-installation.ts";

/** The dispatch centre does not know the objective of one, rejects one and has deleted one; a person has dropped one. */
const STAYING = new Set(["Tabloul electric", "Centrul o respinge", "Dispecerul o șterge", "Nu mai pleacă"]);

/** Waits until the outbox has only what a person or the dispatch centre must decide. */
export async function allSent(left: LeftInstallation, site = left.site): Promise<void> {
  await eventually(
    "everything at the dispatch centre",
    async () => {
      const { records } = await site.get<SyncView>("/site/sync");
      const trips = await site.get<LeftTrip[]>("/site/trips?limit=1000");
      const open = records.filter(({ name }) => !STAYING.has(name));
      if (open.length > 0) throw new Error(JSON.stringify(open));
      return trips.every(({ state }) => state !== "waiting");
    },
    240_000,
  );
}

/** The records of the site at the dispatch centre, by the names that it gave them. */
export async function atCentre(left: LeftInstallation, centre = left.centre): Promise<string[]> {
  const records = await centre.get<Intervention[]>("/interventii");
  // The dispatch centre has interventions of its own about sites that are silent.
  const ofSites = records.filter(({ notes }) => notes?.includes("[ref:"));
  return ofSites.map((record) => lineOf(record)).toSorted();
}

/** The records that the site has, without those that the dispatch centre rejects, lacks or was not to get. */
export async function expectedAtCentre({ site }: LeftInstallation): Promise<string[]> {
  const records = await site.get<Intervention[]>("/interventii");
  return records
    .filter(({ name }) => !STAYING.has(name))
    .map((record) => lineOf(record))
    .toSorted();
}

/** The content of a record on one line; the dispatch centre has the site's reference at the end of the notes. */
function lineOf({
  name,
  status,
  priority,
  type,
  objectiveType,
  objectiveId,
  crews,
  notes,
}: Intervention): string {
  const text = (notes ?? "").replace(/\s*\[ref:[^\]]*\]\s*/, "");
  return JSON.stringify([name, status, priority, type, `${objectiveType}/${objectiveId}`, crews, text]);
}
