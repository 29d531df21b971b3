import { LineCounter, parseDocument } from "yaml";
import type { Overlay } from "./environment.ts";
import { ConfigurationError, type ParsedFile } from "./problems.ts";
import { renameFormerOptions } from "./renamed-options.ts";
import { aliasProblem, depthProblem } from "./yaml-bounds.ts";

/** The text of a configuration with its file. */
export interface ConfigurationText {
  /** null for the embedded configuration of a first run. */
  readonly file: string | null;
  readonly text: string;
}

/**
 * Parses the text and applies the options of the environment.
 * @throws AppError `configuration` for invalid YAML, too deep nesting, too many aliases, and a variable that cannot be set
 */
export function parseText({ file, text }: ConfigurationText, overlay: Overlay): ParsedFile {
  const lines = new LineCounter();
  const name = file ?? "the embedded configuration";
  const locationAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const tooDeep = depthProblem(text);
  if (tooDeep) {
    const { line, col, message } = tooDeep;
    throw new ConfigurationError([{ place: `${name}:${line}:${col}`, message }]);
  }
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    const errors = document.errors.map(({ message, pos }) => {
      const reason = message.split("\n")[0]?.replace(/ at line.*$/, "");
      return { place: locationAt(pos[0]), message: `invalid YAML: ${reason}` };
    });
    throw new ConfigurationError(errors);
  }
  const fromEnvironment = new Map<string, string>();
  for (const { path, value, variable } of overlay.settings) {
    try {
      document.setIn(path, value);
    } catch {
      // A parent of the option is a scalar or an alias in the file.
      const message = `cannot set ${path.join(".")}: a parent of it is not a section in ${name}. Write the sections out there`;
      throw new ConfigurationError([{ place: variable, message }]);
    }
    fromEnvironment.set(path.join("."), variable);
  }
  const alias = aliasProblem(document);
  if (alias) throw new ConfigurationError([{ place: locationAt(alias.offset), message: alias.message }]);
  const former = renameFormerOptions(document).map(({ offset, ...option }) => ({
    ...option,
    place: locationAt(offset),
  }));
  const duplicates = former.filter(({ isDuplicate }) => isDuplicate);
  if (duplicates.length > 0) throw new ConfigurationError(duplicates);
  const warnings = former.map(({ place, message }) => `${place}: ${message}`);
  return { name, document, lines, fromEnvironment, warnings };
}

/** The parsed file as plain values. */
export function valueOf({ document }: ParsedFile): unknown {
  // Aliases are already limited by aliasProblem; the library's own limit counts differently and throws.
  return document.toJS({ maxAliasCount: -1 }) ?? {};
}
