import type { Fault } from "./fault.ts";
import { cleanText, localTime } from "./intervention-text.ts";
import { wording } from "./trip-text.ts";
import type { NewTrip, Trip, TripSite } from "./trip.ts";

/** The end of a fault, of which no zone may be left. */
interface EndedFault extends Pick<NewTrip, "key" | "moment" | "isDated"> {
  readonly fault: Fault;
  /** Owner of the fault: the zone, or the bridge of several zones. */
  readonly of: string;
}

/** Creates the row of the end of a fault from that of its beginning, which has the zone as it was configured then. */
export function newFaultEnd(
  { zoneId, source, subject, body, signal }: Trip,
  { fault, of, ...detected }: EndedFault,
  site: TripSite,
): NewTrip {
  const catalogue = wording(site.locale);
  const { isDated, moment } = detected;
  const time = isDated ? localTime(moment.wallMs, site) : catalogue.unknownTime;
  const text = { zone: signal.name, zoneId, kind: "", time, earliest: null, since: null };
  const line =
    of === zoneId
      ? catalogue.faultLine(text, fault, true)
      : catalogue.bridgeLine(text, { name: of, zones: [`${signal.name} (${zoneId})`] }, true);
  return {
    ...detected,
    state: "waiting",
    reason: null,
    zoneId,
    source,
    type: "fault-over",
    cause: fault,
    subject,
    earliestWallMs: null,
    body,
    line: cleanText(line),
    signal,
    confirmed: null,
  };
}
