import type { NewTrip } from "../../src/domain/trip.ts";
import type { InterventionCreate } from "../../src/generated/types.ts";

/** A journal row of a pending trip, for tests of journal readers. */
export function tripRow(key: string, body: InterventionCreate, wallMs: number): NewTrip {
  return {
    key,
    zoneId: "door",
    source: "gpio",
    type: "trip",
    cause: "edge",
    subject: `${body.objectiveType}/${body.objectiveId}`,
    moment: { wallMs, bootId: "boot-1", monotonicMs: 0 },
    isDated: true,
    earliestWallMs: null,
    body,
    line: "",
    signal: { name: "Door", remark: "", device: "zone door", confirmWith: null },
    confirmed: null,
    state: "waiting",
    reason: null,
  };
}
