import type { InterventionCreate } from "../generated/types.ts";
import { formatLocal } from "./calendar.ts";
import { PRIORITIES, type Intervention } from "./intervention.ts";
import type { TripSite } from "./trip.ts";
import { wording, type Locale } from "./trip-text.ts";

/** The minimal body that the API accepts, for a trip whose full body was rejected: a crew matters more than a text. */
export function minimalBody(body: InterventionCreate): InterventionCreate {
  return {
    name: body.name,
    objectiveType: body.objectiveType,
    objectiveId: body.objectiveId,
    // A damaged one is none of them.
    priority: PRIORITIES.find((one) => one === body.priority) ?? "high",
    ...(body.notes === undefined ? {} : { notes: body.notes }),
  };
}

/** A body without characters that the API does not allow. */
export function cleanBody(body: InterventionCreate): InterventionCreate {
  const { description, notes } = body;
  const name = cleanText(body.name);
  return {
    ...body,
    name: name.trim() === "" ? `${body.objectiveType} ${body.objectiveId}` : name,
    ...(typeof description === "string" ? { description: cleanText(description) } : {}),
    ...(typeof notes === "string" ? { notes: cleanText(notes) } : {}),
  };
}

/** The reference of a record to the one that it continues. */
export function referenceTo(
  { id, name, dateStart }: Pick<Intervention, "id" | "name" | "dateStart">,
  locale: Locale,
): string {
  const at = dateStart === null ? null : writtenTime(dateStart.slice(0, 16), locale);
  return wording(locale).continues({ id, name, at });
}

/** A text without characters that the API does not allow. */
export function cleanText(text: string): string {
  return text.replaceAll(FORBIDDEN, "");
}

/** Characters that the schema's Name and Text reject: lone surrogates, and control characters except tab and line ends. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\p{Cs}\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/gu;

/** A text cut to a maximum number of code points. */
export function clip(text: string, lengthMax: number): string {
  const characters = [...text];
  return characters.length <= lengthMax ? text : `${characters.slice(0, lengthMax - 1).join("")}…`;
}

/**
 * Replaces the placeholder for an unknown time, or an earlier time, in a description. A time keeps its form, which is another one
 * if the language was changed or an earlier release wrote it. Texts edited by a user stay unchanged.
 * @param fromMs the earlier time, wall clock
 */
export function withTime(
  description: string | null | undefined,
  fromMs: number,
  toMs: number,
  site: TripSite,
): string | null {
  if (typeof description !== "string") return null;
  const inEachForm = (["ro", "en"] as const).map((locale) => {
    const form = { ...site, locale };
    return { older: localTime(fromMs, form), newer: localTime(toMs, form) };
  });
  const unknown = { older: wording(site.locale).unknownTime, newer: localTime(toMs, site) };
  const found = [unknown, ...inEachForm].find(({ older }) => description.includes(older));
  return found === undefined ? description : description.replace(found.older, () => found.newer);
}

/** A time for texts, local time of the site: `2026-11-20 23:30:00`, in Romanian `20.11.2026 23:30:00`. */
export function localTime(wallMs: number, { locale, timezone }: TripSite): string {
  return writtenTime(formatLocal(wallMs, timezone), locale);
}

/** A local time (`YYYY-MM-DDTHH:MM`, seconds may follow) as texts have it. */
export function writtenTime(local: string, locale: Locale): string {
  const [day = "", time = ""] = local.split("T");
  return `${locale === "ro" ? day.split("-").toReversed().join(".") : day} ${time}`;
}
