import type { AlarmPanelEvent } from "./alarm-panel-code.ts";
import { hasAreaNumber, siaMeaning } from "./sia-code.ts";

/** Events of one message; DC-03 blocks are short, and more would be a flood. */
const EVENTS_MAX = 16;
/** Codes, modifiers and pieces of texts of one message. */
const BLOCKS_MAX = 128;

/**
 * A data modifier of DC-03, such as `ri1` (area) or `ti10:15` (time): two small letters and their value, which ends with the
 * next modifier too, because some write no separators.
 */
const MODIFIER = /^([a-z]{2}|Ri)((?:(?![a-z]{2})[^/A-Z*^'"|])*)/;
/** A text in signs that is not of an event, such as the name of an area behind its number. */
const OTHER_TEXT = /^\s*\*?(?:\^[^^]*\^|"[^"]*"|'[^']*')(?:NM(?!\d))?/;
/** A data code with the number of its zone or user. */
const CODE = /^([A-Z]{2})\s*(\d*)/;
/** A block that is a code: with a number, or nothing else before its text. The words of a text begin with two capitals too. */
const IS_CODE = /^[A-Z]{2}(?:\s*\d|(?:NM)?\s*(?:$|[/|*^"']))/;
/** A text between quotes or carets. */
const TEXT = /^[*|]?(?:\^([^^]*)\^|"([^"]*)"|'([^']*)')/;
/** Any other text behind a code, which begins with a star. */
const OPEN_TEXT = /^([*^"'][^/|]*)/;
/** A code or modifier with its number directly behind a number or text, of a sender that writes no separators. */
const NEXT = /^(?:NM)?(?=[NO]?(?:([A-Z]{2})|[a-z]{2}|Ri)\d)/;
/** The text of an event, or of the message, as a block of its own. */
const TEXT_BLOCK = /^A?([^/|]*)/;
/** `N` begins a new event, `O` an old one from the panel's memory; both are events that were not acknowledged before. */
const BEGIN = /^[NO](?=\s*(?:[A-Z]{2}|[a-z]{2}|Ri)|[/|]|$)/;
/** Blocks are separated by a slash, of some makers by a bar. */
const SEPARATORS = /^[/|\s]+/;
/** What is before the next separator. */
const BLOCK = /^[^/|]+/;

/**
 * Reads the data of a `SIA-DCS` message, such as `Nri1/BA05` or `Nri1/CL501^Ana^`.
 * @returns undefined if it is malformed
 */
export function siaEvents(data: string): AlarmPanelEvent[] | undefined {
  let rest = data;
  const events: AlarmPanelEvent[] = [];
  let area: number | null = null;
  let isAreaBehind = false;
  for (let blocks = 0; rest !== ""; blocks += 1) {
    if (blocks >= BLOCKS_MAX) return undefined;
    rest = withoutBegin(rest, events.length > 0);
    const modifier = MODIFIER.exec(rest);
    if (modifier) {
      const [whole, name = "", value = ""] = modifier;
      if (name.toLowerCase() === "ri") {
        area = numberOf(value.trim());
        isAreaBehind = true;
      }
      rest = rest.slice(whole.length).replace(OTHER_TEXT, "");
      continue;
    }
    if (rest === "") break;
    const last = events.at(-1);
    const block = last || rest.startsWith("A") ? blockThatIsNoCode(rest) : undefined;
    if (block !== undefined) {
      rest = rest.slice(block.length);
      events.splice(-1, 1, ...continued(last, block, area));
      if (events.length > EVENTS_MAX) return undefined;
      continue;
    }
    const found = CODE.exec(rest);
    if (!found) {
      // A name without its signs, for example: the code may follow.
      rest = rest.replace(OTHER_TEXT.test(rest) ? OTHER_TEXT : BLOCK, "");
      continue;
    }
    if (events.length >= EVENTS_MAX) return undefined;
    const [whole, code = "", digits = ""] = found;
    rest = rest.slice(whole.length);
    const text = TEXT.exec(rest) ?? OPEN_TEXT.exec(rest) ?? [""];
    rest = withoutRemainder(rest.slice(text[0].length));
    events.push(eventOf(code, { ...placeOf(code, area, digits), text: textIn(text.slice(1)) }));
    isAreaBehind = false;
  }
  if (events.length === 0) return undefined;
  // "ri" is the area of the codes behind it. Some write it behind the only code.
  return isAreaBehind ? events.map((event) => ({ ...event, partition: event.partition ?? area })) : events;
}

/** Skips what means nothing behind a number or text: all up to the next separator, unless another block begins at once. */
function withoutRemainder(text: string): string {
  const [signs, code] = NEXT.exec(text) ?? [];
  const isNext = signs !== undefined && (code === undefined || siaMeaning(code) !== undefined);
  return isNext ? text.slice(signs.length) : text.replace(BLOCK, "");
}

/** Skips separators and the letter that begins an event; behind another event only if a code or modifier follows. */
function withoutBegin(text: string, isFollowing: boolean): string {
  const rest = text.replace(SEPARATORS, "");
  const inner = rest.replace(BEGIN, "").trimStart();
  if (inner.length === rest.length) return rest;
  return isFollowing && !IS_CODE.test(inner) && !MODIFIER.test(inner) ? rest : inner.replace(SEPARATORS, "");
}

/** The first block, if it is a text or only a number. */
function blockThatIsNoCode(rest: string): string | undefined {
  return IS_CODE.test(rest) ? undefined : TEXT_BLOCK.exec(rest)?.[0];
}

/** The last event with a block behind it: a further number of the same code, or its text, which may contain separators. */
function continued(last: AlarmPanelEvent | undefined, block: string, area: number | null): AlarmPanelEvent[] {
  const [, inner = ""] = TEXT_BLOCK.exec(block) ?? [];
  const text = textIn([inner]);
  if (!last) return text === "" ? [] : [{ ...eventOf("A", NOWHERE), meaning: { what: "note" }, text }];
  if (last.text === "" && /^\d+$/.test(block)) return [last, { ...last, ...placeOf(last.code, area, block) }];
  return [{ ...last, text: last.text === "" ? text : `${last.text}/${textIn([block])}` }];
}

/** The number behind a code: of an area, if the standard gives it one and "ri" names none; otherwise of a zone or user. */
function placeOf(
  code: string,
  area: number | null,
  digits: string,
): Pick<AlarmPanelEvent, "partition" | "number"> {
  const number = numberOf(digits);
  return area === null && hasAreaNumber(code)
    ? { partition: number, number: null }
    : { partition: area, number };
}

const NOWHERE = { partition: null, number: null, text: "" };

function eventOf(
  code: string,
  where: Pick<AlarmPanelEvent, "partition" | "number" | "text">,
): AlarmPanelEvent {
  const known = siaMeaning(code);
  const { bases = [code], change = "new", meaning } = known ?? {};
  return { code, bases, change, meaning, ...where };
}

/** The text of the first group that matched, without the signs around it, and without the `NM` that some write behind it. */
function textIn(groups: readonly (string | undefined)[]): string {
  const text = (groups.find((group) => group !== undefined) ?? "").trim();
  if (text === "NM") return "";
  const isBehind = text.endsWith("NM") && isSign(text.at(-3));
  const end = isBehind ? text.length - 2 : text.length;
  const characters = Array.from(text.slice(0, end));
  const from = characters.findIndex((character) => !isSign(character));
  return from < 0 ? "" : characters.slice(from, characters.findLastIndex((one) => !isSign(one)) + 1).join("");
}

function isSign(character: string | undefined): boolean {
  return character !== undefined && /[*^"'\s]/.test(character);
}

function numberOf(digits: string): number | null {
  return /^\d{1,6}$/.test(digits) ? Number(digits) : null;
}
