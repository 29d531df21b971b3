// Keeps the links of docs/tour.md at the lines of their functions, also after a function has moved to another file of src/.
// Run by `npm run generate`; test/e2e/tour.test.ts checks the result.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { filesWith, lineOf } from "./source-functions.mjs";

const PAGE = new URL("../docs/tour.md", import.meta.url);
/** A stop: `function` with the link to its line. */
const LINK = /^\[`([^`]+)`\]\(\.\.\/(src\/[^)#]+)#L(\d+)\)$/gm;
/** A function that the text names. */
const MENTION = /(?<!\[)`([A-Z]\w+\.#?\w+)`/g;

/**
 * The stops of the tour in order.
 * @param {string} text
 * @returns {{ name: string, file: string, line: number }[]}
 */
export function stopsOf(text) {
  return [...text.matchAll(LINK)].map(([, name, file, line]) => ({ name, file, line: Number(line) }));
}

/**
 * The page with the present files and lines, and a problem for each function that cannot be found.
 * @param {string} text
 * @returns {{ text: string, problems: string[] }}
 */
export function withCurrentLinks(text) {
  const problems = [];
  const corrected = text.replaceAll(LINK, (link, name, file) => {
    const files = lineOf(file, name) === undefined ? filesWith(name) : [file];
    if (files.length === 1) return `[\`${name}\`](../${files[0]}#L${lineOf(files[0], name)})`;
    const found =
      files.length === 0 ? "no file of src/ has it" : `several files have it: ${files.join(", ")}`;
    problems.push(`docs/tour.md: ${name} is not in ${file}, and ${found}. Name the function of this stop`);
    return link;
  });
  for (const [, name] of text.matchAll(MENTION))
    if (filesWith(name).length === 0) problems.push(`docs/tour.md: no file of src/ has ${name}`);
  return { text: corrected, problems };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(PAGE, "utf8");
  const { text, problems } = withCurrentLinks(before);
  if (text !== before) writeFileSync(PAGE, text);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
}
