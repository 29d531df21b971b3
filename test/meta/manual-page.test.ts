import { expect, test } from "vitest";
import { programTree } from "../../src/cli/program.ts";
// @ts-expect-error: a script without types
import { manualPage } from "../../scripts/packaging/manual.mjs";

const { stdin, stdout, stderr } = process;

test("the manual page has every command, and no line that man would read as its own instruction", () => {
  const tree = programTree({
    stdin,
    stdout,
    stderr,
    env: {},
    cwd: "/",
    main: "",
    untilSignal: () => new Promise<void>(() => {}),
    kill: () => {},
  });
  const page: string = manualPage(tree, { version: "1.2.3", date: "2026-01-02" });
  expect(page).toMatch(/^\.TH SANTINELA 1 2026-01-02 "santinela 1\.2\.3"$/m);
  for (const command of ["gpio list", "machine confirm", "zones bypass", "events", "events verify", "sites"])
    expect(page).toContain(`.SS santinela ${command} [`);
  const requests = page.split("\n").filter((line) => /^['.]/.test(line));
  expect(requests.filter((line) => !/^\.(TH|SH|SS|TP|PP|B|I|nf|fi|br)( |$)/.test(line))).toEqual([]);
  // A plain hyphen would be printed as a typographic one.
  expect(page).not.toMatch(/^\.B -/m);
});
