import { join } from "node:path";
import type { ObjectiveRef } from "../domain/objective.ts";
import { readDatabase } from "../store/database.ts";
import { ObjectiveStore } from "../store/objectives.ts";

/** Whether the database of a site has the name of an objective; false if this user or this release cannot read it. */
export function isDescribedIn(dataDir: string, objective: ObjectiveRef): boolean {
  try {
    return readDatabase(join(dataDir, "santinela.db"), (database) =>
      new ObjectiveStore(database).isDescribed(objective),
    );
  } catch {
    return false;
  }
}
