const BEGIN = "<!-- figures: begin (made by npm run bench:report) -->";
const END = "<!-- figures: end -->";

/**
 * The page with new tables between its markers.
 * @throws Error when the page has lost them
 */
export function withTables(page: string, tables: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from < 0 || to < 0) throw new Error("the page has lost the markers of its figures");
  return `${page.slice(0, from + BEGIN.length)}\n\n${tables}\n\n${page.slice(to)}`;
}
