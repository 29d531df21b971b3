import type { Intervention, InterventionUpdate } from "../generated/types.ts";
import type { Flags, Moment, Trip } from "./trip.ts";

/** One intervention and the trips that belong to it. */
export interface Incident {
  /** Key of the trip that opened it, and the Idempotency-Key of its intervention. */
  readonly key: string;
  /** What its trips have in common: the objective, or one fault of one zone. */
  readonly subject: string;
  readonly interventionId: number;
  /** When its last trip was. */
  readonly last: Moment;
  /** Zones whose trips confirm each other: a second one makes the incident a confirmed one. */
  readonly zones: readonly string[];
  /** The record's `notes` as we last wrote them; what a person has written there since is not touched any more. */
  readonly notes: string | null;
  /** The notes that are being written, and for which trip, so that a crash in between repeats the same. */
  readonly next: { readonly key: string; readonly notes: string } | null;
}

/** Code points of the interface's `notes`. */
const NOTES_LENGTH_MAX = 4000;

/**
 * Whether a trip is part of an incident as far as time says; its intervention must also still be open. A fault has no
 * window: it is one record until somebody has closed it.
 */
export function isWithinWindow(
  { last }: Incident,
  trip: Pick<Trip, "about" | "moment">,
  windowMs: number,
): boolean {
  if (trip.about !== "trip") return true;
  // Behind a clock that has gone back over a reboot nobody knows; a crew too many is better than one too few.
  const sinceLastMs =
    trip.moment.bootId === last.bootId
      ? trip.moment.monotonicMs - last.monotonicMs
      : trip.moment.wallMs - last.wallMs;
  const isBackwards = sinceLastMs < 0 && trip.moment.bootId !== last.bootId;
  return !isBackwards && sinceLastMs <= windowMs;
}

/** The largest `site.incidentWindowS` that a configuration can have, in milliseconds. */
export const INCIDENT_WINDOW_MS_MAX = 3_600_000;

/**
 * Whether a trip cannot join the newest incident of its subject, whatever the window is set to. A fault has none.
 * @param latest undefined where there has been no incident
 */
export function mustOpen(trip: Pick<Trip, "about" | "moment">, latest: Incident | undefined): boolean {
  if (trip.about !== "trip") return false;
  return latest === undefined || !isWithinWindow(latest, trip, INCIDENT_WINDOW_MS_MAX);
}

/** Whether people still work on a record; undefined stands for one that was deleted. */
export function isOpen(record: Intervention | undefined): record is Intervention {
  return record !== undefined && record.status !== "done";
}

/** Whether a trip confirms an incident: another zone that can confirm has tripped in it. */
export function confirms({ zones }: Incident, { zoneId, confirmed }: Trip): boolean {
  return confirmed !== null && zones.some((other) => other !== zoneId);
}

/** The zones that can confirm an incident, with a further trip. */
export function zonesWith(zones: readonly string[], { zoneId, confirmed }: Trip): readonly string[] {
  return confirmed === null || zones.includes(zoneId) ? zones : [...zones, zoneId];
}

/** What a trip raises in an open record. Nothing is ever lowered, and a flag that a person has set stays. */
export function raised(record: Intervention, trip: Trip, isConfirmed: boolean): InterventionUpdate {
  const { priority = "low", crews = 1, police, ambulance, firetruck } = trip.body;
  const wanted: Flags[] = [{ priority, crews, ...flagsOf({ police, ambulance, firetruck }) }];
  if (isConfirmed) wanted.push({ priority: "high", ...trip.confirmed });
  const changes: InterventionUpdate = {};
  for (const flags of wanted) {
    if (flags.priority && rank(flags.priority) > rank(changes.priority ?? record.priority))
      changes.priority = flags.priority;
    if (flags.crews !== undefined && flags.crews > (changes.crews ?? record.crews))
      changes.crews = flags.crews;
    for (const flag of CREWS_ASKED) if (flags[flag] === true && !record[flag]) changes[flag] = true;
  }
  return changes;
}

/** Notes with one more line; when they would grow too long the oldest lines go. */
export function withLine(notes: string | null, line: string): string {
  const lines = notes === null || notes === "" ? [line] : [...notes.split("\n"), line];
  while (lines.length > 1 && [...lines.join("\n")].length > NOTES_LENGTH_MAX) lines.shift();
  return [...lines.join("\n")].slice(0, NOTES_LENGTH_MAX).join("");
}

const CREWS_ASKED = ["police", "ambulance", "firetruck"] as const;

function flagsOf(flags: Partial<Record<(typeof CREWS_ASKED)[number], boolean | undefined>>): Flags {
  return Object.fromEntries(CREWS_ASKED.filter((flag) => flags[flag] === true).map((flag) => [flag, true]));
}

function rank(priority: Intervention["priority"]): number {
  return ["low", "medium", "high"].indexOf(priority);
}
