import type { InterventionCreate } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import { WORK_OF_FAULT, subjectOfFault, type Fault } from "./fault.ts";
import { subjectOfTrip } from "./incident-class.ts";
import { lineOf } from "./incident-notes.ts";
import { withOpening } from "./incident.ts";
import { cleanBody, cleanText, clip, localTime } from "./intervention-text.ts";
import { renderTemplate } from "./text-template.ts";
import type { NewTrip, RestoreCause, DetectedTrip, TripSignal, TripSite } from "./trip.ts";
import { wording, type TripTextValues } from "./trip-text.ts";
import type { Zone } from "./zone.ts";

/* The journal's rows for what happens to a zone, with texts that are written when it is seen: every attempt sends the same. */

/** The journal's row for a trip, with the intervention that it asks for. */
export function newTrip(zone: Zone, seen: DetectedTrip, site: TripSite): NewTrip {
  const { disposition, sinceWallMs: _since, ...known } = seen;
  const { confirmed, name, description, ...flags } = zone.profile;
  const words = wording(site.locale);
  const text = wordsOf(zone, seen, site);
  const values = {
    "zone.name": zone.name,
    "zone.id": zone.id,
    "zone.kind": text.kind,
    "objective.name": zone.objectiveName ?? words.unnamedObjective(zone.objective.id),
    "event.time": text.time,
    "event.cause": words.causes[seen.cause],
  };
  const body = {
    name: clip(name === undefined ? words.name(text) : renderTemplate(name, values), 200),
    description: clip(
      description === undefined ? words.description(text, seen.cause) : renderTemplate(description, values),
      4000,
    ),
    ...placeOf(zone),
    dateStart: seen.isDated ? formatLocal(seen.moment.wallMs, site.timezone) : null,
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
    signal: signalOf(zone, words.remark(briefly(text), seen.cause)),
    confirmed: confirmed ?? null,
  };
  // A profile's own texts may leave out which zone it was.
  const isNamed = `${row.body.name}\n${row.body.description}`.includes(cleanText(zone.name));
  if (isNamed) return row;
  const first = withOpening(undefined, row);
  return { ...row, body: { ...row.body, notes: lineOf(first, [first], site) } };
}

/** A fault of a zone, or its end. */
export interface SeenFault extends Omit<DetectedTrip, "cause" | "earliestWallMs"> {
  readonly fault: Fault;
  /** What has it: the zone, or the bridge that several zones are behind. */
  readonly of: string;
  readonly isOver: boolean;
  /** Of a bridge, the zones behind it. */
  readonly behind?: readonly Zone[];
}

/** The journal's row for a fault, which becomes work for a technician, or for its end, which is noted there. */
export function newFault(
  zone: Zone,
  { disposition, fault, of, isOver, behind, ...seen }: SeenFault,
  site: TripSite,
): NewTrip {
  const words = wording(site.locale);
  const text = { ...wordsOf(zone, { ...seen, earliestWallMs: null }, site) };
  const bridge = behind && { name: of, zones: behind.map(({ id, name }) => `${name} (${id})`) };
  const body: InterventionCreate = {
    name: clip(bridge ? words.bridgeName(bridge) : words.faultName(text, fault), 200),
    description: clip(
      bridge ? words.bridgeDescription(text, bridge) : words.faultDescription(text, fault),
      4000,
    ),
    ...placeOf(zone),
    dateStart: seen.isDated ? formatLocal(seen.moment.wallMs, site.timezone) : null,
    status: "planned",
    ...WORK_OF_FAULT[fault],
  };
  return {
    ...seen,
    ...disposition,
    zoneId: zone.id,
    source: zone.input.source,
    type: isOver ? "fault-over" : "fault",
    cause: fault,
    subject: subjectOfFault(of, fault),
    earliestWallMs: null,
    body: cleanBody(body),
    line: cleanText(bridge ? words.bridgeLine(text, bridge, isOver) : words.faultLine(text, fault, isOver)),
    signal: signalOf(zone, ""),
    confirmed: null,
  };
}

/**
 * The journal's row for a signal test: a record that goes the whole way like a trip's, says that it is a test, and is
 * `done` from the beginning, so that nobody sets out for it.
 */
export function newSignalTest(
  zone: Zone,
  { who, ...seen }: Pick<DetectedTrip, "key" | "moment" | "isDated"> & { readonly who: string },
  site: TripSite,
): NewTrip {
  const words = wording(site.locale);
  const text = wordsOf(zone, { ...seen, earliestWallMs: null }, site);
  const line = words.signalDescription(text, who);
  const body: InterventionCreate = {
    name: clip(words.signalName(text), 200),
    description: line,
    ...placeOf(zone),
    dateStart: seen.isDated ? formatLocal(seen.moment.wallMs, site.timezone) : null,
    status: "done",
    type: "maintenance",
    priority: "low",
  };
  return {
    ...seen,
    zoneId: zone.id,
    source: zone.input.source,
    type: "signal",
    cause: "signal-test",
    subject: `signal/${seen.key}`,
    earliestWallMs: null,
    body: cleanBody(body),
    line: cleanText(line),
    signal: signalOf(zone, ""),
    confirmed: null,
    state: "waiting",
    reason: null,
  };
}

/** A contact that closed. */
export interface SeenRestore extends Pick<DetectedTrip, "key" | "moment" | "isDated" | "disposition"> {
  readonly cause: RestoreCause;
}

/** The journal's row for a contact that closed. */
export function newRestore(zone: Zone, { disposition, ...seen }: SeenRestore): NewTrip {
  return {
    ...seen,
    ...disposition,
    zoneId: zone.id,
    source: zone.input.source,
    type: "restore",
    subject: subjectOfTrip(zone),
    earliestWallMs: null,
    body: { name: zone.name, ...placeOf(zone) },
    line: "",
    signal: signalOf(zone, ""),
    confirmed: null,
  };
}

/** Zones of one objective that were found open at one moment, each with its key and since when it has been open. */
export interface SeenStanding extends Pick<DetectedTrip, "moment" | "isDated"> {
  readonly zones: readonly {
    readonly zone: Zone;
    readonly key: string;
    readonly sinceWallMs: number | null;
  }[];
}

/** The journal's rows for contacts that stand open at an arming: one record, which lists them all. */
export function newStanding({ zones, moment, isDated }: SeenStanding, site: TripSite): NewTrip[] {
  const words = wording(site.locale);
  const texts = zones.map(({ zone, sinceWallMs }) => {
    const text = wordsOf(zone, { moment, isDated, earliestWallMs: null, sinceWallMs }, site);
    const line = cleanText(words.standingLine(text)).replaceAll("\n", " ");
    return { text, line, remark: words.remark(briefly(text), "standing") };
  });
  const [first] = zones;
  const time = texts[0]?.text.time ?? words.unknownTime;
  const described = (lines: readonly string[]): string =>
    clip([words.standingDescription(time), ...lines].join("\n"), 4000);
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
      name: clip(words.standingName(zones.length), 200),
      // The first one's record lists them all; another one opens a record only where that one has no room for it.
      description: index === 0 ? all : described([texts[index]?.line ?? ""]),
      ...placeOf(zone),
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

/** Times of day alone, for a line of the notes that begins with its own. */
function briefly(text: TripTextValues): TripTextValues {
  const brief = (time: string | null): string | null => time?.replace(/:\d\d$/, "") ?? null;
  return { ...text, earliest: brief(text.earliest), since: brief(text.since) };
}

function placeOf({ objective }: Zone): Pick<InterventionCreate, "objectiveType" | "objectiveId"> {
  return { objectiveType: objective.type, objectiveId: objective.id };
}

function wordsOf(
  zone: Zone,
  {
    moment,
    isDated,
    earliestWallMs,
    sinceWallMs = null,
  }: Pick<DetectedTrip, "moment" | "isDated" | "earliestWallMs" | "sinceWallMs">,
  { locale, timezone }: TripSite,
): TripTextValues {
  const words = wording(locale);
  const local = (wallMs: number): string => localTime(wallMs, timezone);
  return {
    zone: zone.name,
    zoneId: zone.id,
    kind: words.kinds[zone.kind],
    time: isDated ? local(moment.wallMs) : words.unknownTime,
    earliest: earliestWallMs === null || !isDated ? null : local(earliestWallMs),
    since: sinceWallMs === null || !isDated ? null : local(sinceWallMs),
  };
}
