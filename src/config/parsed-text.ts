import { LineCounter, parseDocument } from "yaml";
import type { Overlay } from "./environment.ts";
import { ConfigurationError, type ParsedFile } from "./problems.ts";
import { renameFormerOptions } from "./renamed-options.ts";
import { aliasProblem, depthProblem } from "./yaml-bounds.ts";

/** The text of a configuration and where it stands. */
export interface ConfigurationText {
  /** null for the embedded defaults of a first run. */
  readonly file: string | null;
  readonly text: string;
}

/**
 * The text with the environment over it.
 * @throws AppError `configuration` for a text that is not YAML, one that nests or repeats without end, and an
 * environment that cannot be laid over it
 */
export function parseText({ file, text }: ConfigurationText, overlay: Overlay): ParsedFile {
  const lines = new LineCounter();
  const name = file ?? "the embedded configuration";
  const placeAt = (offset: number): string => {
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
    const mistakes = document.errors.map(({ message, pos }) => {
      const reason = message.split("\n")[0]?.replace(/ at line.*$/, "");
      return { place: placeAt(pos[0]), message: `this is not YAML: ${reason}` };
    });
    throw new ConfigurationError(mistakes);
  }
  const fromEnvironment = new Map<string, string>();
  for (const { path, value, variable } of overlay.settings) {
    try {
      document.setIn(path, value);
    } catch {
      // Above the option the file has a plain value or an alias.
      const message = `cannot set ${path.join(".")}, because ${name} has something else than sections above it; write them out there`;
      throw new ConfigurationError([{ place: variable, message }]);
    }
    fromEnvironment.set(path.join("."), variable);
  }
  const alias = aliasProblem(document);
  if (alias) throw new ConfigurationError([{ place: placeAt(alias.offset), message: alias.message }]);
  const former = renameFormerOptions(document).map(({ offset, ...option }) => ({
    ...option,
    place: placeAt(offset),
  }));
  const duplicates = former.filter(({ isDuplicate }) => isDuplicate);
  if (duplicates.length > 0) throw new ConfigurationError(duplicates);
  const warnings = former.map(({ place, message }) => `${place}: ${message}`);
  return { name, document, lines, fromEnvironment, warnings };
}

/** What a parsed file says, as plain values. */
export function valueOf({ document }: ParsedFile): unknown {
  // How much aliases repeat has been looked at; the library's own limit counts otherwise and throws.
  return document.toJS({ maxAliasCount: -1 }) ?? {};
}
