import type { MergeConflict } from "../domain/conflict.ts";
import { formatTime } from "./date-format.ts";
import { shortText, type DetailTexts } from "./event-detail.ts";
import { translateDaemonText, t, translateCode } from "./i18n.ts";
import { zones } from "./live-updates.ts";
import { formatRecordDate } from "./record-date.ts";

/** Fields whose values are codes with a text of their own, by the beginning of its key. */
const CODED: Readonly<Record<string, string>> = {
  status: "status",
  priority: "priority",
  type: "type",
  role: "role",
  objectiveType: "objective",
  objectives: "value",
  what: "what",
  change: "change",
  phase: "phase",
  // Of an output.
  state: "switched",
  reason: "switched",
};
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Details of the event log in the language of the user. */
export const EVENT_DETAIL_TEXTS: DetailTexts = {
  detail: (name, value) => {
    // A number of objectives; in a walk test the names of zones.
    const code = name === "missing" && /^\d+$/.test(value) ? "missingCount" : name;
    const text = translateCode("detail", code, "", { value });
    if (text.includes(value)) return text;
    return `${text === "" ? translateCode("record", name, name) : text}: ${value}`;
  },
  value: (name, value) => {
    // 64 digits are for a program, and the lines of a file are no sentence; the details of the entry show them.
    if (name === "sha256" || name === "diff") return "";
    // Times are of a set clock unless the entry says otherwise.
    if (name === "isDated") return value === false ? t("journey.undated") : "";
    if (typeof value === "boolean") return t(value ? "value.true" : "value.false");
    if (Array.isArray(value)) return textOfList(name, value);
    if (typeof value !== "string") return undefined;
    if (name === "dateStart" || name === "dateEnd") return formatRecordDate(value);
    if (MOMENT.test(value)) return formatTime(value);
    return translateCode(CODED[name] ?? "", value, translateDaemonText(value) ?? value);
  },
};

/** The account of the daemon, with which it creates the interventions of trips. */
const DEVICE = "device@santinela.local";

/** Who did something, or from where: an account and an address stay as they are. */
export function originText(origin: string): string {
  return origin === DEVICE ? t("from.itself") : translateCode("from", origin, origin);
}

function textOfList(name: string, list: readonly unknown[]): string | undefined {
  if (name === "fields") return fieldsText(list);
  return name === "otherwise" ? namesText(list) : listText(name, list);
}

/** The objectives that have another name at the dispatch centre, with both names. */
function namesText(list: readonly unknown[]): string {
  const names = list as readonly Readonly<Record<"id" | "here" | "there", unknown>>[];
  return names
    .map(({ id, here, there }) =>
      t("detail.bothNames", {
        id: String(id),
        here: shortText(String(here)),
        there: shortText(String(there)),
      }),
    )
    .join("; ");
}

/** Both values of each field of a conflict, and which of them was kept. */
function fieldsText(fields: readonly unknown[]): string {
  const textOf = (field: string, value: unknown): string =>
    EVENT_DETAIL_TEXTS.value(field, value ?? "–") ?? shortText(String(value));
  return (fields as readonly MergeConflict[])
    .map(({ field, here, there, kept }) =>
      t(`kept.${kept}`, {
        field: translateCode("record", field, field),
        here: textOf(field, here),
        there: textOf(field, there),
      }),
    )
    .join("; ");
}

/** A list that has nothing is left out, except that of the zones without a trip: it is the result of a walk test. */
function listText(name: string, list: readonly unknown[]): string | undefined {
  if (list.length === 0) return name === "missing" ? "–" : "";
  if (!list.every((one) => typeof one === "string")) return undefined;
  if (name === "missing") return list.map(nameOfZone).join(", ");
  return shortText(list.map((one) => objectiveText(one) ?? translateDaemonText(one) ?? one).join(", "));
}

/** An objective of the account of a site, such as `obiective/cladiri/14`. */
function objectiveText(text: string): string | undefined {
  const [, type, id] = /^(obiective\/[a-z]+)\/(\d+)$/.exec(text) ?? [];
  return type === undefined ? undefined : `${translateCode("objective", type)} ${id}`;
}

function nameOfZone(id: string): string {
  return zones.value.find((zone) => zone.id === id)?.name ?? id;
}
