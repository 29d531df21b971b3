// Where the functions of the program are. The formatter and the compiler give each file the same layout, so indentation and
// the first words of a line identify a declaration; no parser is needed.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A class or function at the left margin. */
const TOP = /^(?:export )?(?:default )?(?:async )?(class|function\*?|const|let) ([\w$]+)/;
/** A method of a class, or a field that holds a function. */
const MEMBER =
  /^ {2}(?:(?:static|async|get|set|readonly|override|private|protected) )*\*?(#?[\w$]+)(?:<.*>)?(?:\(|(?:: .*)? = .*=>)/;

/**
 * The functions of a source file in order, as `name` or `Class.member`.
 * @param {string} text
 * @returns {{ name: string, line: number }[]}
 */
export function functionsIn(text) {
  const found = [];
  let around;
  for (const [index, code] of text.split("\n").entries()) {
    const [, kind, name] = TOP.exec(code) ?? [];
    if (kind === "class") around = name;
    else if (name !== undefined) found.push({ name, line: index + 1 });
    if (around !== undefined && code.startsWith("}")) around = undefined;
    const member = around === undefined ? undefined : MEMBER.exec(code)?.[1];
    if (member !== undefined) found.push({ name: `${around}.${member}`, line: index + 1 });
  }
  return found;
}

/**
 * Line of a function in a file below the root of the project; undefined if the file does not have it.
 * @param {string} file
 * @param {string} name
 * @returns {number | undefined}
 */
export function lineOf(file, name) {
  let text;
  try {
    text = readFileSync(`${root}${file}`, "utf8");
  } catch {
    return undefined;
  }
  return functionsIn(text).find((one) => one.name === name)?.line;
}

/**
 * The files of src/ that have a function of this name.
 * @param {string} name
 * @returns {string[]}
 */
export function filesWith(name) {
  return readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith(".ts") && lineOf(path, name) !== undefined);
}

/**
 * The name of a function in compiled code, as `functionsIn` gives it; undefined for one within another function or without
 * a name.
 * @param {string} text compiled file
 * @param {string} name as V8 reports it
 * @param {number} offset of the function in the text
 * @returns {string | undefined}
 */
export function qualifiedName(text, name, offset) {
  if (name === "" || name.startsWith("<")) return undefined;
  const line = text.slice(text.lastIndexOf("\n", offset) + 1, offset);
  const indent = /^ */.exec(`${line}x`)?.[0].length ?? 0;
  if (indent === 0) return name;
  if (indent > 4) return undefined;
  const above = text.slice(0, offset);
  const opened = [...above.matchAll(/^(?:export )?class ([\w$]+)/gm)].at(-1);
  // A class that ends above does not have it: it is within a function at the margin.
  if (opened === undefined || /^}/m.test(above.slice(opened.index))) return undefined;
  const member = name.replace(/^(?:get|set|static) /, "");
  return `${opened[1]}.${member === opened[1] ? "constructor" : member}`;
}
