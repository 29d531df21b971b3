/**
 * Maximum depth, more than any response of the API has. A depth of thousands cannot be serialised again or stored
 * in SQLite.
 */
const LEVELS_MAX = 64;
/**
 * Maximum values, more than a list of ten thousand objectives has. 16 MB of empty objects are five million values,
 * which take twice the memory limit of the service.
 */
const VALUES_MAX = 500_000;

/** Parses a JSON text; undefined if it is invalid or exceeds the limits. */
export function parseJson(text: string): unknown {
  if (!isWithinLimits(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks the limits in the text, because after parsing it would be too late. */
function isWithinLimits(text: string): boolean {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "]" || character === "}") levels -= 1;
    else if (character === ",") values += 1;
    else if (character === "[" || character === "{") {
      levels += 1;
      values += 1;
    }
    if (levels > LEVELS_MAX || values > VALUES_MAX) return false;
  }
  return true;
}

/** @returns the position of the closing quote of a string; the end of the text if there is none */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
