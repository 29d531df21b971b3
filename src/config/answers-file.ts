import { LineCounter, isMap, isScalar, parseDocument, type Scalar } from "yaml";
import { AppError } from "../domain/errors.ts";
import { depthProblem } from "./yaml-bounds.ts";

/** One answer with its location. */
export interface AnswerEntry {
  readonly name: string;
  readonly answer: string;
  /** `file:line:col`. */
  readonly place: string;
}

/**
 * Reads an answers file: a flat mapping of names to scalar values.
 * @throws AppError `bad-data` for anything else
 */
export function readAnswers(file: string, text: string): AnswerEntry[] {
  const lines = new LineCounter();
  const locationAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const tooDeep = depthProblem(text);
  if (tooDeep) throw new AppError("bad-data", `${file}:${tooDeep.line}:${tooDeep.col}: ${tooDeep.message}`);
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error)
    throw new AppError(
      "bad-data",
      `${locationAt(error.pos[0])}: invalid YAML: ${error.message.split("\n")[0]}`,
    );
  if (!isMap(document.contents))
    throw new AppError("bad-data", `${file}:1:1: must be a mapping of name: answer`);
  return document.contents.items.map(({ key, value }) => {
    const place = locationAt((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
    if (!isScalar(key) || typeof key.value !== "string" || !isScalar(value))
      throw new AppError("bad-data", `${place}: an answer must be a single value`);
    return { name: key.value, answer: sourceTextOf(value), place };
  });
}

/** The text as written: leading zeros are kept and ON is not true. */
function sourceTextOf({ value, source }: Scalar): string {
  if (value === null) return "";
  return source ?? JSON.stringify(value);
}
