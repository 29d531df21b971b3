import { isMap, isScalar, LineCounter, type Document, type Scalar } from "yaml";
import { AppError, messageOf } from "../domain/errors.ts";
import { FILE_BYTES_MAX, readBoundedBytes } from "./bounded-file.ts";
import type { Overlay } from "./environment.ts";
import { ConfigurationError, type ConfigError, type ParsedFile } from "./problems.ts";
import { renameFormerOptions } from "./renamed-options.ts";
import { utf8Text } from "./utf8-text.ts";
import { aliasProblem, parseBounded } from "./yaml-bounds.ts";
import { syntaxFaults, syntaxWarnings } from "./yaml-errors.ts";

/** The text of a configuration with its file. */
export interface ConfigurationText {
  /** null for the embedded configuration of a first run. */
  readonly file: string | null;
  readonly text: string;
}

/** Stands for the file of the embedded configuration. */
const EMBEDDED = "the embedded configuration";

/**
 * Reads a small text file.
 * @param what description of the file for the message
 * @throws AppError `no-input` if it cannot be read, `configuration` with the line if it is not UTF-8
 */
export function readText(file: string, what: string): string {
  const text = utf8Text(bytesOf(file, what));
  if (typeof text === "string") return text;
  throw new ConfigurationError([{ place: `${file}:${text.line}:1`, message: text.message }]);
}

function bytesOf(file: string, what: string): Buffer {
  try {
    return readBoundedBytes(file, FILE_BYTES_MAX);
  } catch (cause) {
    // Without a code it is not an error of the file system.
    const isOfSystem = (cause as NodeJS.ErrnoException).code !== undefined;
    throw new AppError("no-input", `cannot read ${what} ${file}: ${messageOf(cause)}`, {
      hint: isOfSystem
        ? "Check the path and its permissions."
        : "It is probably another file; check the path.",
      cause,
    });
  }
}

const EMPTY =
  "the file is empty, or has only comments. Write the configuration again, or {} for a site without options";

/** The error of a text without options. */
export function emptyConfiguration({ file }: ConfigurationText): ConfigurationError {
  return new ConfigurationError([{ place: `${file ?? EMBEDDED}:1:1`, message: EMPTY }]);
}

/**
 * Whether a text has no option, but perhaps comments: what a power cut or an editor may leave of a file that is being written. It
 * never replaces a configuration that has some.
 */
export function isWithoutOptions({ text }: ConfigurationText): boolean {
  const { document, errors } = parsedYaml(text, inFile(""));
  return errors.length === 0 && isNothing(document);
}

/**
 * Parses the text and applies the options of the environment.
 * @throws AppError `configuration` for an empty text, invalid YAML, too deep nesting, too many aliases, and a variable that cannot be set
 */
export function parseText({ file, text }: ConfigurationText, overlay: Overlay): ParsedFile {
  const name = file ?? EMBEDDED;
  const { document, lines, placeOf, errors, warnings } = parsedYaml(text, inFile(name));
  if (errors.length > 0) throw new ConfigurationError(errors);
  if (isNothing(document)) {
    // Read as "no options" it would be a site without zones. Beside an example in comments, the environment may have all options.
    if (text.trim() === "" || overlay.settings.length === 0) throw emptyConfiguration({ file, text });
    document.contents = null;
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
  if (alias) throw new ConfigurationError([{ place: placeOf(alias.offset), message: alias.message }]);
  const former = renameFormerOptions(document).map((option) => ({
    ...option,
    place: placeOf(option.offset),
  }));
  const duplicates = former.filter(({ isDuplicate }) => isDuplicate);
  if (duplicates.length > 0)
    throw new ConfigurationError(duplicates.map(({ place, message }) => ({ place, message })));
  const written = [...warnings, ...former].map(({ place, message }) => `${place}: ${message}`);
  return { name, document, lines, fromEnvironment, warnings: written };
}

/** Whether a text has no value: it is blank, has only comments, or is `null`, `~` or `---`. */
function isNothing({ contents }: Document): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** The parsed file as plain values. */
export function valueOf({ document }: ParsedFile): unknown {
  // Aliases are already limited by aliasProblem; the library's own limit counts differently and throws.
  return document.toJS({ maxAliasCount: -1 }) ?? {};
}

/** One answer with its location. */
interface AnswerEntry {
  readonly name: string;
  readonly answer: string;
  /** `file:line:col`. */
  readonly place: string;
}

/**
 * Parses an answers file of `santinela init`: a flat mapping of names to scalar values.
 * @throws AppError `bad-data` for anything else
 */
export function parseAnswers(file: string, text: string): AnswerEntry[] {
  const { document, placeOf, errors } = parsedYaml(text, inFile(file));
  const invalid = (place: string, message: string): AppError =>
    new AppError("bad-data", `${place}: ${message}`);
  const [error] = errors;
  if (error) throw invalid(error.place, error.message);
  if (!isMap(document.contents)) throw invalid(`${file}:1:1`, "must be a mapping of name: answer");
  return document.contents.items.map(({ key, value }) => {
    const place = placeOf((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
    if (!isScalar(key) || typeof key.value !== "string" || !isScalar(value))
      throw invalid(place, "an answer must be a single value");
    return { name: key.value, answer: sourceTextOf(value), place };
  });
}

/** The text as written: leading zeros are kept and ON is not true. */
function sourceTextOf({ value, source }: Scalar): string {
  if (value === null) return "";
  return source ?? JSON.stringify(value);
}

interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** The place of an offset in the text. */
  readonly placeOf: (offset: number) => string;
  readonly errors: readonly ConfigError[];
  readonly warnings: readonly ConfigError[];
}

/** Line and column, counted from 1. */
interface LinePlace {
  readonly line: number;
  readonly col: number;
}

/** `file:line:col`. */
function inFile(name: string): (place: LinePlace) => string {
  return ({ line, col }) => `${name}:${line}:${col}`;
}

/** Parses a text, whatever it contains. @param written the words for a place in it */
export function parsedYaml(text: string, written: (place: LinePlace) => string): ParsedYaml {
  const lines = new LineCounter();
  const { document, tooDeep } = parseBounded(text, lines);
  const placeOf = (offset: number): string => written(lines.linePos(offset));
  const located = ({ offset, message }: { offset: number; message: string }): ConfigError => ({
    place: placeOf(offset),
    message,
  });
  const errors = tooDeep
    ? [{ place: written(tooDeep), message: tooDeep.message }]
    : syntaxFaults({ document, text, lines })
        .map(located)
        .map(({ place, message }) => ({ place, message: `invalid YAML: ${message}` }));
  const warnings = syntaxWarnings({ document, text, lines }).map(located);
  return { document, lines, placeOf, errors, warnings };
}
