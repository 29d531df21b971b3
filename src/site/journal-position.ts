import { AppError } from "../domain/errors.ts";
import { isStorageError } from "../store/database.ts";
import type { SiteApi } from "./site-api.ts";
import type { StatusView } from "./status-view.ts";

/** The status, and the position in the event log and the trips up to which it is known. */
export interface PositionedStatus {
  readonly position: string;
  readonly status: StatusView;
}

/** Reads the position, then the status: a trip of the position that is not waiting then has its final state for the client. */
export async function positionedStatus(
  site: Pick<SiteApi, "status" | "timeline">,
): Promise<PositionedStatus> {
  const { event, trip } = await site.timeline.place();
  const status = await site.status();
  const { waiting, refused } = status.trips;
  return { position: `${event}.${trip}.${waiting}.${refused}`, status };
}

/** As `positionedStatus`, also while the databases cannot be read: the status then has no position. */
export async function statusWithPosition(
  site: Pick<SiteApi, "status" | "timeline">,
): Promise<Partial<PositionedStatus> & Pick<PositionedStatus, "status">> {
  try {
    return await positionedStatus(site);
  } catch (error) {
    if (!(error instanceof AppError) && !isStorageError(error)) throw error;
    return { status: await site.status() };
  }
}
