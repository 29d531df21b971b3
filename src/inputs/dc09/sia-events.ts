import type { PanelEvent } from "./panel-code.ts";
import { siaMeaning } from "./sia-code.ts";

/** Events of one message; DC-03 blocks are short, and more would be a flood. */
const EVENTS_MAX = 16;

/** A data modifier of DC-03, such as `ri1` (area) or `ti10:15` (time): two small letters and their value. */
const MODIFIER = /^([a-z]{2})([^/A-Z*^'"|]*)/;
/** A data code with the number of its zone or user. */
const CODE = /^([A-Z]{2})(\d*)/;
/** A text between quotes or carets, with what surrounds it, up to the next block. */
const TEXT = /^[*|]?(?:\^([^^]*)\^|"([^"]*)"|'([^']*)'|A([^/]*))?[^/]*/;

/**
 * Reads the data of a `SIA-DCS` message, such as `Nri1/BA05` or `Nri1/CL501^Ana^`.
 * @returns undefined if it is malformed
 */
export function siaEvents(data: string): PanelEvent[] | undefined {
  // `N` begins a new event, `O` an old one from the panel's memory; both are events that were not acknowledged before.
  let rest = /^[NO](?=[A-Z]{2}|[a-z]{2}|$)/.test(data) ? data.slice(1) : data;
  const events: PanelEvent[] = [];
  let partition: number | null = null;
  while (rest !== "") {
    const separator = /^[/\s]+/.exec(rest)?.[0] ?? "";
    rest = rest.slice(separator.length);
    const modifier = MODIFIER.exec(rest);
    if (modifier) {
      const [whole, name, value = ""] = modifier;
      // "ri": the area that the following events belong to.
      if (name === "ri") partition = numberOf(value);
      rest = rest.slice(whole.length);
      continue;
    }
    const found = CODE.exec(rest);
    if (!found) return rest === "" && events.length > 0 ? events : undefined;
    const [whole, code = "", digits = ""] = found;
    const text = TEXT.exec(rest.slice(whole.length)) ?? [""];
    rest = rest.slice(whole.length + text[0].length);
    if (events.length >= EVENTS_MAX) return undefined;
    events.push(eventOf(code, { partition, number: numberOf(digits), text: textIn(text) }));
  }
  return events.length > 0 ? events : undefined;
}

function eventOf(code: string, where: Pick<PanelEvent, "partition" | "number" | "text">): PanelEvent {
  const known = siaMeaning(code);
  const { base = code, change = "new", meaning } = known ?? {};
  return { code, base, change, meaning, ...where };
}

function textIn([, caret, double, single, block]: readonly (string | undefined)[]): string {
  return (caret ?? double ?? single ?? block ?? "").trim();
}

function numberOf(digits: string): number | null {
  return /^\d{1,6}$/.test(digits) ? Number(digits) : null;
}
