import type { InterventionCreate, Profile } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import { cleanBody, cleanText, clip } from "./intervention-text.ts";
import { WORK_OF_FAULT, subjectOfFault, type Fault } from "./fault.ts";
import { fillTemplate } from "./text-template.ts";
import { wording, type Locale, type TripWords } from "./wording.ts";
import type { TripCause } from "./zone-step.ts";
import type { Zone } from "./zone.ts";

/** One row of the journal: a trip or a fault, and how far it has come. */
export interface Trip {
  /** Order in which trips were committed. */
  readonly seq: number;
  /** Identity of the trip on its whole way; the Idempotency-Key of its intervention if it opens one. */
  readonly key: string;
  readonly zoneId: string;
  readonly source: TripSource;
  readonly about: TripMatter;
  readonly cause: TripCause | Fault | "signal-test";
  /** What it has in common with the other trips of its intervention: the objective, or one fault of one zone. */
  readonly subject: string;
  /** When the contact opened. */
  readonly moment: Moment;
  /** False while the wall clock was not to be trusted: then `moment.wallMs` says nothing yet. */
  readonly isDated: boolean;
  /** For a trip that was found after an interruption: it cannot have been before, milliseconds since 1970. */
  readonly earliestWallMs: number | null;
  /** The body that is posted, written down when the trip was seen so that every attempt sends the same. */
  readonly body: InterventionCreate;
  /** The line it adds to the notes of an intervention that is open already. */
  readonly line: string;
  /** What is asked for once a second zone has confirmed the incident; null for a zone that confirms nothing. */
  readonly confirmed: Flags | null;
  readonly state: TripState;
  /** Why it has this state, in words; null where the state says it all. */
  readonly reason: string | null;
  /** The incident it was decided to open (its own key) or to join; null before that. */
  readonly incident: string | null;
  /** How often posting was tried. */
  readonly attempts: number;
  /** The answer of the last failed attempt, in words. */
  readonly lastError: string | null;
  /** The intervention it became or joined; null until then. */
  readonly interventionId: number | null;
}

export type TripSource = "gpio" | "mqtt" | "simulated";
/** A `signal` is a test of the way to the centre. */
export type TripMatter = "trip" | "fault" | "fault-over" | "signal";

/** A point in time on both clocks; the monotonic one counts from the machine's start `bootId`. */
export interface Moment {
  readonly wallMs: number;
  readonly bootId: string;
  readonly monotonicMs: number;
}

/** What a trip may ask for beyond its own profile. */
export type Flags = NonNullable<Profile["confirmed"]> & Pick<Profile, "priority">;

/**
 * `waiting` for the local API; `posted` as an intervention of its own; `merged` into one that was open; `refused` by
 * the API even in its plainest form; the others were seen and never meant to be dispatched.
 */
export type TripState = "waiting" | "posted" | "merged" | "refused" | TripFate;

/** Why a trip is not dispatched. */
export type TripFate = "bypassed" | "test" | "gated" | "swinger";

export type NewTrip = Omit<Trip, "seq" | "incident" | "attempts" | "lastError" | "interventionId">;

/** What is known of a trip that has just been seen. */
export interface SeenTrip {
  readonly key: string;
  readonly cause: TripCause;
  readonly moment: Moment;
  readonly isDated: boolean;
  readonly earliestWallMs: number | null;
  readonly fate: { readonly state: TripFate | "waiting"; readonly reason: string | null };
}

export interface TripSite {
  readonly locale: Locale;
  readonly timezone: string;
}

/** The journal's row for a trip, with the intervention that it asks for. */
export function newTrip(zone: Zone, seen: SeenTrip, site: TripSite): NewTrip {
  const { fate, ...known } = seen;
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
    name: clip(name === undefined ? words.name(text) : fillTemplate(name, values), 200),
    description: clip(
      description === undefined ? words.description(text, seen.cause) : fillTemplate(description, values),
      4000,
    ),
    ...placeOf(zone),
    dateStart: seen.isDated ? formatLocal(seen.moment.wallMs, site.timezone) : null,
    status: "planned",
    ...flags,
  } as const;
  return {
    ...known,
    ...fate,
    zoneId: zone.id,
    source: zone.input.source,
    about: "trip",
    subject: `${zone.objective.type}/${zone.objective.id}`,
    body: cleanBody(body),
    line: cleanText(words.line(text, seen.cause)),
    confirmed: confirmed ?? null,
  };
}

/** A fault of a zone, or its end. */
export interface SeenFault extends Omit<SeenTrip, "cause" | "earliestWallMs"> {
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
  { fate, fault, of, isOver, behind, ...seen }: SeenFault,
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
    ...fate,
    zoneId: zone.id,
    source: zone.input.source,
    about: isOver ? "fault-over" : "fault",
    cause: fault,
    subject: subjectOfFault(of, fault),
    earliestWallMs: null,
    body: cleanBody(body),
    line: cleanText(bridge ? words.bridgeLine(text, bridge, isOver) : words.faultLine(text, fault, isOver)),
    confirmed: null,
  };
}

/**
 * The journal's row for a signal test: a record that goes the whole way like a trip's, says that it is a test, and is
 * `done` from the beginning, so that nobody sets out for it.
 */
export function newSignalTest(
  zone: Zone,
  { who, ...seen }: Pick<SeenTrip, "key" | "moment" | "isDated"> & { readonly who: string },
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
    about: "signal",
    cause: "signal-test",
    subject: `signal/${seen.key}`,
    earliestWallMs: null,
    body: cleanBody(body),
    line: cleanText(line),
    confirmed: null,
    state: "waiting",
    reason: null,
  };
}

function placeOf({ objective }: Zone): Pick<InterventionCreate, "objectiveType" | "objectiveId"> {
  return { objectiveType: objective.type, objectiveId: objective.id };
}

function wordsOf(
  zone: Zone,
  { moment, isDated, earliestWallMs }: Pick<SeenTrip, "moment" | "isDated" | "earliestWallMs">,
  { locale, timezone }: TripSite,
): TripWords {
  const words = wording(locale);
  const local = (wallMs: number): string => formatLocal(wallMs, timezone).replace("T", " ");
  return {
    zone: zone.name,
    zoneId: zone.id,
    kind: words.kinds[zone.kind],
    time: isDated ? local(moment.wallMs) : words.unknownTime,
    earliest: earliestWallMs === null || !isDated ? null : local(earliestWallMs),
  };
}
