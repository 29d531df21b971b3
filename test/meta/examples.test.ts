import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readConfiguration } from "../../src/config/load.ts";
import { AppError } from "../../src/domain/errors.ts";
import { PAGES, ROOT } from "../support/pages.ts";

const { definitions } = JSON.parse(readFileSync(join(ROOT, "schemas", "configuration.json"), "utf8")) as {
  readonly definitions: {
    readonly Configuration: { readonly properties: Readonly<Record<string, unknown>> };
  };
};
const { properties } = definitions.Configuration;

test.each(PAGES)(
  "every YAML example in %s can be read, and one of the configuration has no errors",
  (page) => {
    expect(examplesOf(readFileSync(join(ROOT, page), "utf8")).flatMap(faultsIn)).toEqual([]);
  },
);

test.each(PAGES)("the firmware of a Pi reads every line for its config.txt in %s", (page) => {
  // It ignores what follows the 98th character, and knows comments only at the start of a line.
  const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^```ini\n([^]*?)^```/gm);
  const lines = [...blocks].flatMap(([, block = ""]) => block.split("\n"));
  const own = lines.filter((line) => /^(?:dtoverlay|dtparam|gpio)=/.test(line));
  expect(own.filter((line) => line.length > 98 || line.includes("#"))).toEqual([]);
});

test.each([
  ["dc09:\n  accounts:\n    - account: x\n    objective: 1\n", /^line 2: .*/],
  ["zones:\n  - id: hall\n    nam: Hall\n", /^line 2: .*unknown option/],
  ["zones: []\nzones: []\n", /^line 2: .*unique/],
])("in %j the error is detected", (example, fault) => {
  expect(examplesOf(`\`\`\`yaml\n${example}\`\`\`\n`).flatMap(faultsIn)[0]).toMatch(fault);
});

interface Example {
  readonly line: number;
  readonly text: string;
}

/** The YAML of a page: its code blocks, and the files of Patroni that a shell writes. */
function examplesOf(page: string): Example[] {
  const blocks = page.matchAll(/^```yaml.*\n([^]*?)^```/gm);
  const files = page.matchAll(/^install .*\.yml <<EOF\n([^]*?)^EOF$/gm);
  return [...blocks, ...files].map((match) => ({
    line: page.slice(0, match.index).split("\n").length + 1,
    text: match[1] ?? "",
  }));
}

/** Errors of an example. One whose options are all of the configuration is read as such, without the files that it names. */
function faultsIn({ line, text }: Example): string[] {
  const document = parseDocument(text);
  const faults = [...document.errors, ...document.warnings].map(({ message }) => message);
  const value: unknown = document.errors.length > 0 ? null : document.toJS();
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (names.length > 0 && names.every((name) => name in properties))
    faults.push(...configurationFaults(text));
  return faults.map((fault) => `line ${line}: ${fault}`);
}

/** What the rest of a file would have; `…` stands for options that the page does not repeat. */
const ELSEWHERE =
  /is missing(?:$|\. Write it as)|Add it there|Add upstream|does not exist|\.…: unknown option/;

function configurationFaults(text: string): string[] {
  try {
    readConfiguration({ file: null, text }, { env: {}, cwd: ROOT, allowMissingFiles: true });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message.split("\n").filter((fault) => !ELSEWHERE.test(fault));
  }
}
