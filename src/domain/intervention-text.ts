import type { InterventionCreate } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import type { TripSite } from "./trip.ts";
import { wording } from "./trip-text.ts";

/** The plainest body that the interface takes, for a trip whose full one was refused: a crew matters more than a text. */
export function minimalBody(body: InterventionCreate): InterventionCreate {
  return {
    name: body.name,
    objectiveType: body.objectiveType,
    objectiveId: body.objectiveId,
    priority: body.priority ?? "high",
    ...(body.notes === undefined ? {} : { notes: body.notes }),
  };
}

/** The body without the characters that no field of the interface may hold. */
export function cleanBody(body: InterventionCreate): InterventionCreate {
  const { description } = body;
  const name = cleanText(body.name);
  return {
    ...body,
    name: name.trim() === "" ? `${body.objectiveType} ${body.objectiveId}` : name,
    ...(typeof description === "string" ? { description: cleanText(description) } : {}),
  };
}

/** A text without the characters that no field of the interface may hold. */
export function cleanText(text: string): string {
  return text.replaceAll(FORBIDDEN, "");
}

/** What the schema's Name and Text refuse: halves of characters, and control characters but tab and line ends. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\p{Cs}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu;

/** A text cut to so many whole characters. */
export function clip(text: string, lengthMax: number): string {
  const characters = [...text];
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}

/**
 * A description with the time that has become known, in the place of the words for an unknown one or of an earlier reading.
 * What a person has written in the place of either stays.
 * @param fromMs the earlier reading, wall clock
 */
export function withTime(
  description: string | null | undefined,
  fromMs: number,
  toMs: number,
  { locale, timezone }: TripSite,
): string | null {
  if (typeof description !== "string") return null;
  const older = [wording(locale).unknownTime, localTime(fromMs, timezone)].find((words) =>
    description.includes(words),
  );
  return older === undefined ? description : description.replace(older, () => localTime(toMs, timezone));
}

/** A moment as it stands in texts: `YYYY-MM-DD HH:MM:SS`, local time. */
export function localTime(wallMs: number, timezone: string): string {
  return formatLocal(wallMs, timezone).replace("T", " ");
}
