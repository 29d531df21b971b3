import type { InterventionCreate } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import { wording, type Locale } from "./wording.ts";
import type { TripCause } from "./zone-step.ts";
import type { Zone } from "./zone.ts";

/** One row of the journal: a trip, and how far it has come. */
export interface Trip {
  /** Order in which trips were committed. */
  readonly seq: number;
  /** Identity of the trip on its whole way; the Idempotency-Key of its intervention. */
  readonly key: string;
  readonly zoneId: string;
  readonly source: TripSource;
  readonly cause: TripCause;
  /** When the contact opened, wall clock, milliseconds since 1970. */
  readonly atWallMs: number;
  /** The body that is posted, written down when the trip was seen so that every attempt sends the same. */
  readonly body: InterventionCreate;
  readonly state: TripState;
  /** How often posting was tried. */
  readonly attempts: number;
  /** The answer of the last failed attempt, in words. */
  readonly lastError: string | null;
  /** The intervention it became; null until then. */
  readonly interventionId: number | null;
}

export type TripSource = "gpio" | "mqtt" | "simulated";

/** `waiting` for the local API; `posted` as an intervention; `refused` by the API even in its plainest form. */
export type TripState = "waiting" | "posted" | "refused";

/** What the monitor knows about a trip that has just been seen. */
export interface SeenTrip {
  readonly key: string;
  readonly cause: TripCause;
  readonly atWallMs: number;
}

/** The intervention that a trip asks for. */
export function interventionOf(
  zone: Zone,
  trip: SeenTrip,
  site: { locale: Locale; timezone: string },
): InterventionCreate {
  const words = wording(site.locale);
  const time = formatLocal(trip.atWallMs, site.timezone);
  const text = {
    zone: zone.name,
    zoneId: zone.id,
    kind: words.kinds[zone.kind],
    time: time.replace("T", " "),
  };
  return cleanBody({
    name: clip(words.name(text), 200),
    description: clip(words.description(text, trip.cause), 4000),
    objectiveType: zone.objective.type,
    objectiveId: zone.objective.id,
    dateStart: time,
    status: "planned",
    ...zone.profile,
  });
}

/** The plainest body that the interface takes, for a trip whose full one was refused: a crew matters more than a text. */
export function plainestBody(body: InterventionCreate): InterventionCreate {
  return {
    name: body.name,
    objectiveType: body.objectiveType,
    objectiveId: body.objectiveId,
    priority: body.priority ?? "high",
  };
}

/** The body without the characters that no field of the interface may hold. */
export function cleanBody(body: InterventionCreate): InterventionCreate {
  const { description } = body;
  const name = body.name.replaceAll(FORBIDDEN, "");
  return {
    ...body,
    name: name.trim() === "" ? `${body.objectiveType} ${body.objectiveId}` : name,
    ...(typeof description === "string" ? { description: description.replaceAll(FORBIDDEN, "") } : {}),
  };
}

/** What the schema's Name and Text refuse: halves of characters, and control characters but tab and line ends. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\p{Cs}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/gu;

function clip(text: string, lengthMax: number): string {
  const characters = [...text];
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}
