import type { InterventionCreate } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import { WORK_OF_FAULT, subjectOfFault, type Fault } from "./fault.ts";
import { formatZoneLine } from "./incident-notes.ts";
import { withOpening, subjectOfTrip } from "./incident.ts";
import { cleanBody, cleanText, clip, localTime } from "./intervention-text.ts";
import { wording, type OpenContactsCause, type TripTextValues, renderTemplate } from "./trip-text.ts";
import type { NewTrip, RestoreCause, DetectedTrip, TripSite } from "./trip.ts";
import type { Zone } from "./zone.ts";

/* The texts of a row are created when the event is detected, so that every attempt sends the same. */

/** Creates the row of a trip, with its intervention. */
export function newTrip(zone: Zone, detected: DetectedTrip, site: TripSite): NewTrip {
  const { confirmed, name, description, ...flags } = zone.profile;
  const { cause } = detected;
  const catalogue = wording(site.locale);
  const text = textValues(zone, detected, site);
  const values = {
    "zone.name": zone.name,
    "zone.id": zone.id,
    "zone.kind": text.kind,
    "objective.name": zone.objectiveName ?? catalogue.unnamedObjective(zone.objective.id),
    "event.time": text.time,
    "event.cause": catalogue.causes[cause],
  };
  const body = workOf(zone, detected, site, {
    name: name === undefined ? `${catalogue.alarms[zone.kind]}: ${zone.name}` : renderTemplate(name, values),
    description:
      description === undefined ? catalogue.description(text, cause) : renderTemplate(description, values),
    ...flags,
  });
  const row = rowOf(zone, detected, {
    type: "trip",
    cause,
    subject: subjectOfTrip(zone),
    earliestWallMs: detected.earliestWallMs,
    body,
    remark: catalogue.remark(withoutSeconds(text), cause),
    confirmed: confirmed ?? null,
  });
  // A profile's own texts may omit the zone's name.
  const isNamed = `${body.name}\n${body.description}`.includes(cleanText(zone.name));
  if (isNamed) return row;
  const first = withOpening(undefined, row);
  return { ...row, body: { ...body, notes: formatZoneLine(first, [first], site) } };
}

/** A fault of a zone, or its end. */
interface DetectedFault extends Detected {
  readonly fault: Fault;
  /** Owner of the fault: the zone, or the bridge of several zones. */
  readonly of: string;
  readonly isOver: boolean;
  readonly behind?: readonly Zone[];
}

/** Creates the row of a fault, which becomes work for a technician, or of its end, which is noted there. */
export function newFault(zone: Zone, detected: DetectedFault, site: TripSite): NewTrip {
  const { fault, of, isOver, behind } = detected;
  const catalogue = wording(site.locale);
  const text = textValues(zone, detected, site);
  const bridge = behind && { name: of, zones: behind.map(({ id, name }) => `${name} (${id})`) };
  const body = workOf(zone, detected, site, {
    name: bridge ? catalogue.bridgeName(bridge) : catalogue.faultName(text, fault),
    description: bridge ? catalogue.bridgeDescription(text, bridge) : catalogue.faultDescription(text, fault),
    ...WORK_OF_FAULT[fault],
  });
  const line = bridge ? catalogue.bridgeLine(text, bridge, isOver) : catalogue.faultLine(text, fault, isOver);
  return rowOf(zone, detected, {
    type: isOver ? "fault-over" : "fault",
    cause: fault,
    subject: subjectOfFault(of, fault),
    body,
    line: cleanText(line),
  });
}

/**
 * Creates the row of a signal test: a record that takes the same path as a trip's, states that it is a test, and is `done`
 * from the start, so that no crew is sent.
 * @param detected with the account that requested it, or null if it came from the command line
 */
export function newSignalTest(
  zone: Zone,
  { who, ...detected }: Detected & { readonly who: string | null },
  site: TripSite,
): NewTrip {
  const catalogue = wording(site.locale);
  const text = textValues(zone, detected, site);
  const line = catalogue.signalDescription(text, who);
  const body = { name: catalogue.signalName(text), description: line, status: "done" } as const;
  return rowOf(zone, detected, {
    type: "signal",
    cause: "signal-test",
    subject: `signal/${detected.key}`,
    body: workOf(zone, detected, site, { ...body, type: "maintenance", priority: "low" }),
    line: cleanText(line),
  });
}

interface DetectedRestore extends Detected {
  readonly cause: RestoreCause;
}

export function newRestore(zone: Zone, detected: DetectedRestore): NewTrip {
  return rowOf(zone, detected, {
    type: "restore",
    cause: detected.cause,
    subject: subjectOfTrip(zone),
    body: { name: zone.name, ...objectiveOf(zone) },
  });
}

/** Zones of one objective that were found open at the same time, with their keys and opening times. */
interface OpenZones extends Pick<DetectedTrip, "moment" | "isDated"> {
  readonly cause: OpenContactsCause;
  readonly zones: readonly {
    readonly zone: Zone;
    readonly key: string;
    readonly sinceWallMs: number | null;
  }[];
}

/** Creates the rows of contacts that are open at an arming, or after their alarm: one record lists them all. */
export function newOpenContactRows({ zones, cause, moment, isDated }: OpenZones, site: TripSite): NewTrip[] {
  const catalogue = wording(site.locale);
  const listed = zones.map(({ zone, key, sinceWallMs }) => {
    const text = textValues(zone, { moment, isDated, sinceWallMs }, site);
    const line = cleanText(catalogue.openContactLine(text)).replaceAll("\n", " ");
    return { zone, key, text, line, remark: catalogue.remark(withoutSeconds(text), "standing") };
  });
  const [first] = listed;
  const heading = catalogue.openContactsDescription(cause, first?.text.time ?? catalogue.unknownTime);
  const all = listed.map(({ line }) => line);
  return listed.map(({ zone, key, line, remark }, index) => {
    const detected = { key, moment, isDated };
    const body = workOf(zone, detected, site, {
      name: catalogue.openContactsName(cause, zones.length),
      // The first record lists all zones; another one opens a record only if the first one is full.
      description: [heading, ...(index === 0 ? all : [line])].join("\n"),
      type: "inspection",
      priority: "medium",
    });
    const subject = `standing/${first?.key}`;
    const row = rowOf(zone, detected, { type: "standing", cause: "standing", subject, body, line, remark });
    return cause === "armed" ? row : { ...row, signal: { ...row.signal, isAfterAlarm: true } };
  });
}

/** What is known of every event; it is dispatched unless its disposition says otherwise. */
interface Detected extends Pick<DetectedTrip, "key" | "moment" | "isDated"> {
  readonly disposition?: DetectedTrip["disposition"];
}

function rowOf(
  zone: Zone,
  { key, moment, isDated, disposition = { state: "waiting", reason: null } }: Detected,
  {
    remark = "",
    ...row
  }: Pick<NewTrip, "type" | "cause" | "subject" | "body"> &
    Partial<Pick<NewTrip, "line" | "earliestWallMs" | "confirmed">> & { readonly remark?: string },
): NewTrip {
  const { id, name, input, device, confirmWith } = zone;
  return {
    key,
    moment,
    isDated,
    ...disposition,
    zoneId: id,
    source: input.source,
    earliestWallMs: null,
    line: "",
    signal: { name, remark, device, confirmWith },
    confirmed: null,
    ...row,
  };
}

/** The body of an intervention. */
function workOf(
  zone: Zone,
  { moment, isDated }: Detected,
  site: TripSite,
  {
    name,
    description,
    ...fields
  }: Omit<InterventionCreate, "objectiveType" | "objectiveId"> & { readonly description: string },
): InterventionCreate {
  return cleanBody({
    name: clip(name, 200),
    description: clip(description, 4000),
    ...objectiveOf(zone),
    dateStart: isDated ? formatLocal(moment.wallMs, site.timezone) : null,
    status: "planned",
    ...fields,
  });
}

/** Times without seconds, for a line of the notes. */
function withoutSeconds(text: TripTextValues): TripTextValues {
  const brief = (time: string | null): string | null => time?.replace(/:\d\d$/, "") ?? null;
  return { ...text, earliest: brief(text.earliest), since: brief(text.since) };
}

function objectiveOf({ objective }: Zone): Pick<InterventionCreate, "objectiveType" | "objectiveId"> {
  return { objectiveType: objective.type, objectiveId: objective.id };
}

function textValues(
  zone: Zone,
  {
    moment,
    isDated,
    earliestWallMs = null,
    sinceWallMs = null,
  }: Pick<DetectedTrip, "moment" | "isDated"> & Partial<Pick<DetectedTrip, "earliestWallMs" | "sinceWallMs">>,
  site: TripSite,
): TripTextValues {
  const catalogue = wording(site.locale);
  const local = (wallMs: number): string => localTime(wallMs, site);
  return {
    zone: zone.name,
    zoneId: zone.id,
    kind: catalogue.kinds[zone.kind],
    time: isDated ? local(moment.wallMs) : catalogue.unknownTime,
    earliest: earliestWallMs === null || !isDated ? null : local(earliestWallMs),
    since: sinceWallMs === null || !isDated ? null : local(sinceWallMs),
  };
}
