/** More levels than any answer of the interface has. Some thousand cannot be written as JSON again, nor kept in SQLite. */
const LEVELS_MAX = 64;
/**
 * More values than a list of ten thousand objectives has. 16 MB of empty objects are five million of them, which take
 * twice the memory that the service lets the daemon have.
 */
const VALUES_MAX = 500_000;

/** The value of a JSON text, or undefined when it is none or one that nobody means to be read. */
export function parseJson(text: string): unknown {
  if (!isReadable(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Looked for in the text: in what has been made of it, it would be too late. */
function isReadable(text: string): boolean {
  let levels = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (mark === '"') at = endOfString(text, at);
    else if (mark === "]" || mark === "}") levels -= 1;
    else if (mark === ",") values += 1;
    else if (mark === "[" || mark === "{") {
      levels += 1;
      values += 1;
    }
    if (levels > LEVELS_MAX || values > VALUES_MAX) return false;
  }
  return true;
}

/** @returns where the string that begins there has its closing mark; the end of the text when it has none */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
