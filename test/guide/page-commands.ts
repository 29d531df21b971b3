/** A piece of shell text of a page, with the machines that the words before it name. */
export interface PageCommands {
  readonly machines: readonly string[];
  readonly text: string;
}

/**
 * The `sh` fences of one section of a Markdown page, in order. Words such as "On centre1 and centre2, …" before a fence name the
 * machines of that fence and the following ones, "On all machines" all of them.
 * @param all the machines, by name
 * @throws Error if the section, or the machines of a fence, are missing
 */
export function commandsOf(page: string, heading: string, all: readonly string[]): PageCommands[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading));
  if (section === undefined) throw new Error(`no section ${heading}`);
  const found: PageCommands[] = [];
  let machines: readonly string[] = [];
  // Odd parts are within fences.
  for (const [index, part] of section.split(/^```/m).entries()) {
    if (index % 2 === 0) {
      const words = /(?:^|\. )On ([a-z0-9 ]+)[,:]/m.exec(part)?.[1];
      if (words !== undefined) machines = words === "all machines" ? all : words.split(" and ");
      continue;
    }
    const [language, ...lines] = part.split("\n");
    if (language !== "sh") continue;
    if (machines.length === 0 || machines.some((name) => !all.includes(name)))
      throw new Error(`on which machine? ${lines.join("\n")}`);
    found.push({ machines, text: lines.join("\n") });
  }
  return found;
}
