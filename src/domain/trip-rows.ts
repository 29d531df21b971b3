import type { InterventionCreate } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import { WORK_OF_FAULT, subjectOfFault, type Fault } from "./fault.ts";
import { lineOf } from "./incident-notes.ts";
import { withOpening, subjectOfTrip } from "./incident.ts";
import { cleanBody, cleanText, clip, localTime } from "./intervention-text.ts";
import { wording, type TripTextValues, renderTemplate } from "./trip-text.ts";
import type { NewTrip, RestoreCause, DetectedTrip, TripSignal, TripSite } from "./trip.ts";
import type { Zone } from "./zone.ts";

/* The texts of a row are created when the event is detected, so that every attempt sends the same. */
/** Creates the row of a trip, with its intervention. */
export function newTrip(zone: Zone, detected: DetectedTrip, site: TripSite): NewTrip {
  const { disposition, sinceWallMs: _since, ...known } = detected;
  const { confirmed, name, description, ...flags } = zone.profile;
  const catalogue = wording(site.locale);
  const text = textValues(zone, detected, site);
  const values = {
    "zone.name": zone.name,
    "zone.id": zone.id,
    "zone.kind": text.kind,
    "objective.name": zone.objectiveName ?? catalogue.unnamedObjective(zone.objective.id),
    "event.time": text.time,
    "event.cause": catalogue.causes[detected.cause],
  };
  const body = {
    name: clip(name === undefined ? catalogue.name(text) : renderTemplate(name, values), 200),
    description: clip(
      description === undefined
        ? catalogue.description(text, detected.cause)
        : renderTemplate(description, values),
      4000,
    ),
    ...objectiveOf(zone),
    dateStart: detected.isDated ? formatLocal(detected.moment.wallMs, site.timezone) : null,
    status: "planned",
    ...flags,
  } as const;
  const row: NewTrip = {
    ...known,
    ...disposition,
    zoneId: zone.id,
    source: zone.input.source,
    type: "trip",
    subject: subjectOfTrip(zone),
    body: cleanBody(body),
    line: "",
    signal: signalOf(zone, catalogue.remark(withoutSeconds(text), detected.cause)),
    confirmed: confirmed ?? null,
  };
  // A profile's own texts may omit the zone's name.
  const isNamed = `${row.body.name}\n${row.body.description}`.includes(cleanText(zone.name));
  if (isNamed) return row;
  const first = withOpening(undefined, row);
  return { ...row, body: { ...row.body, notes: lineOf(first, [first], site) } };
}

/** A fault of a zone, or its end. */
export interface DetectedFault extends Omit<DetectedTrip, "cause" | "earliestWallMs"> {
  readonly fault: Fault;
  /** Owner of the fault: the zone, or the bridge of several zones. */
  readonly of: string;
  readonly isOver: boolean;
  readonly behind?: readonly Zone[];
}

/** Creates the row of a fault, which becomes work for a technician, or of its end, which is noted there. */
export function newFault(
  zone: Zone,
  { disposition, fault, of, isOver, behind, ...detected }: DetectedFault,
  site: TripSite,
): NewTrip {
  const catalogue = wording(site.locale);
  const text = { ...textValues(zone, { ...detected, earliestWallMs: null }, site) };
  const bridge = behind && { name: of, zones: behind.map(({ id, name }) => `${name} (${id})`) };
  const body: InterventionCreate = {
    name: clip(bridge ? catalogue.bridgeName(bridge) : catalogue.faultName(text, fault), 200),
    description: clip(
      bridge ? catalogue.bridgeDescription(text, bridge) : catalogue.faultDescription(text, fault),
      4000,
    ),
    ...objectiveOf(zone),
    dateStart: detected.isDated ? formatLocal(detected.moment.wallMs, site.timezone) : null,
    status: "planned",
    ...WORK_OF_FAULT[fault],
  };
  return {
    ...detected,
    ...disposition,
    zoneId: zone.id,
    source: zone.input.source,
    type: isOver ? "fault-over" : "fault",
    cause: fault,
    subject: subjectOfFault(of, fault),
    earliestWallMs: null,
    body: cleanBody(body),
    line: cleanText(
      bridge ? catalogue.bridgeLine(text, bridge, isOver) : catalogue.faultLine(text, fault, isOver),
    ),
    signal: signalOf(zone, ""),
    confirmed: null,
  };
}

/**
 * Creates the row of a signal test: a record that takes the same path as a trip's, states that it is a test, and is `done`
 * from the start, so that no crew is sent.
 */
export function newSignalTest(
  zone: Zone,
  { who, ...detected }: Pick<DetectedTrip, "key" | "moment" | "isDated"> & { readonly who: string },
  site: TripSite,
): NewTrip {
  const catalogue = wording(site.locale);
  const text = textValues(zone, { ...detected, earliestWallMs: null }, site);
  const line = catalogue.signalDescription(text, who);
  const body: InterventionCreate = {
    name: clip(catalogue.signalName(text), 200),
    description: line,
    ...objectiveOf(zone),
    dateStart: detected.isDated ? formatLocal(detected.moment.wallMs, site.timezone) : null,
    status: "done",
    type: "maintenance",
    priority: "low",
  };
  return {
    ...detected,
    zoneId: zone.id,
    source: zone.input.source,
    type: "signal",
    cause: "signal-test",
    subject: `signal/${detected.key}`,
    earliestWallMs: null,
    body: cleanBody(body),
    line: cleanText(line),
    signal: signalOf(zone, ""),
    confirmed: null,
    state: "waiting",
    reason: null,
  };
}

export interface DetectedRestore extends Pick<DetectedTrip, "key" | "moment" | "isDated" | "disposition"> {
  readonly cause: RestoreCause;
}

export function newRestore(zone: Zone, { disposition, ...detected }: DetectedRestore): NewTrip {
  return {
    ...detected,
    ...disposition,
    zoneId: zone.id,
    source: zone.input.source,
    type: "restore",
    subject: subjectOfTrip(zone),
    earliestWallMs: null,
    body: { name: zone.name, ...objectiveOf(zone) },
    line: "",
    signal: signalOf(zone, ""),
    confirmed: null,
  };
}

/** Zones of one objective that were found open at the same time, with their keys and opening times. */
export interface OpenZones extends Pick<DetectedTrip, "moment" | "isDated"> {
  readonly zones: readonly {
    readonly zone: Zone;
    readonly key: string;
    readonly sinceWallMs: number | null;
  }[];
}

/** Creates the rows of contacts that are open at an arming: one record lists them all. */
export function newStanding({ zones, moment, isDated }: OpenZones, site: TripSite): NewTrip[] {
  const catalogue = wording(site.locale);
  const texts = zones.map(({ zone, sinceWallMs }) => {
    const text = textValues(zone, { moment, isDated, earliestWallMs: null, sinceWallMs }, site);
    const line = cleanText(catalogue.standingLine(text)).replaceAll("\n", " ");
    return { text, line, remark: catalogue.remark(withoutSeconds(text), "standing") };
  });
  const [first] = zones;
  const time = texts[0]?.text.time ?? catalogue.unknownTime;
  const described = (lines: readonly string[]): string =>
    clip([catalogue.standingDescription(time), ...lines].join("\n"), 4000);
  const all = described(texts.map(({ line }) => line));
  return zones.map(({ zone, key }, index) => ({
    key,
    moment,
    isDated,
    zoneId: zone.id,
    source: zone.input.source,
    type: "standing",
    cause: "standing",
    subject: `standing/${first?.key}`,
    earliestWallMs: null,
    body: cleanBody({
      name: clip(catalogue.standingName(zones.length), 200),
      // The first record lists all zones; another one opens a record only if the first one is full.
      description: index === 0 ? all : described([texts[index]?.line ?? ""]),
      ...objectiveOf(zone),
      dateStart: isDated ? formatLocal(moment.wallMs, site.timezone) : null,
      status: "planned",
      type: "inspection",
      priority: "medium",
    }),
    line: texts[index]?.line ?? "",
    signal: signalOf(zone, texts[index]?.remark ?? ""),
    confirmed: null,
    state: "waiting",
    reason: null,
  }));
}

function signalOf({ name, device, confirmWith }: Zone, remark: string): TripSignal {
  return { name, remark, device, confirmWith };
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
    earliestWallMs,
    sinceWallMs = null,
  }: Pick<DetectedTrip, "moment" | "isDated" | "earliestWallMs" | "sinceWallMs">,
  { locale, timezone }: TripSite,
): TripTextValues {
  const catalogue = wording(locale);
  const local = (wallMs: number): string => localTime(wallMs, timezone);
  return {
    zone: zone.name,
    zoneId: zone.id,
    kind: catalogue.kinds[zone.kind],
    time: isDated ? local(moment.wallMs) : catalogue.unknownTime,
    earliest: earliestWallMs === null || !isDated ? null : local(earliestWallMs),
    since: sinceWallMs === null || !isDated ? null : local(sinceWallMs),
  };
}
