import { effectiveOptions } from "../config/effective.ts";
import { configurationText, type LoadOptions } from "../config/load.ts";
import { plainLine } from "../domain/single-line.ts";
import type { Terminal } from "./terminal.ts";

/** Prints every option in force, with `sources` also its source. */
export function showConfig(
  from: LoadOptions,
  { sources, json }: { sources: boolean; json: boolean },
  { stdout }: Terminal,
): void {
  const options = effectiveOptions(configurationText(from), from);
  if (json) {
    stdout.write(`${JSON.stringify(options, null, 2)}\n`);
    return;
  }
  const lines = options.map(({ option, value }) => `${option}: ${JSON.stringify(value)}`);
  const width = Math.max(...lines.map((line) => line.length));
  const withSource = (line: string, index: number): string =>
    sources ? `${line.padEnd(width)}  # ${options[index]?.source}` : line;
  stdout.write(lines.map((line, index) => `${plainLine(withSource(line, index))}\n`).join(""));
}
