import { formatTime } from "./date-format.ts";
import type { DetailWords } from "./event-detail.ts";
import { sayDaemon, t, tCode } from "./i18n.ts";
import { zones } from "./live-updates.ts";

/** Fields whose values are codes with a text of their own, by the beginning of its key. */
const CODED: Readonly<Record<string, string>> = {
  status: "status",
  priority: "priority",
  type: "type",
  role: "role",
  objectiveType: "objective",
  objectives: "value",
};
const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Details of the event log in the language of the user. */
export const EVENT_WORDS: DetailWords = {
  detail: (name, value) => {
    const text = tCode("detail", name, "", { value });
    if (text.includes(value)) return text;
    return `${text === "" ? tCode("record", name, name) : text}: ${value}`;
  },
  value: (name, value) => {
    if (typeof value === "boolean") return t(value ? "value.true" : "value.false");
    if (name === "missing" && Array.isArray(value))
      return value.length === 0 ? "–" : value.map((id) => nameOfZone(String(id))).join(", ");
    if (typeof value !== "string") return undefined;
    if (MOMENT.test(value)) return formatTime(value);
    return tCode(CODED[name] ?? "", value, sayDaemon(value) ?? value);
  },
};

/** Who did something, or from where: an account and an address stay as they are. */
export function originText(origin: string): string {
  return tCode("from", origin, origin);
}

function nameOfZone(id: string): string {
  return zones.value.find((zone) => zone.id === id)?.name ?? id;
}
