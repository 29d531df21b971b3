import { LineCounter, isMap, isScalar, parseDocument, type Scalar } from "yaml";
import { AppError } from "../domain/errors.ts";
import { depthProblem } from "./yaml-bounds.ts";

/** One answer of a file, and where it stands. */
export interface AnswerEntry {
  readonly name: string;
  readonly answer: string;
  /** `file:line:col`. */
  readonly place: string;
}

/**
 * Reads a file of answers: one flat mapping of names to plain values.
 * @throws AppError `bad-data` for anything else
 */
export function readAnswers(file: string, text: string): AnswerEntry[] {
  const lines = new LineCounter();
  const placeOf = (offset: number): string => {
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
      `${placeOf(error.pos[0])}: this is not YAML: ${error.message.split("\n")[0]}`,
    );
  if (!isMap(document.contents))
    throw new AppError("bad-data", `${file}:1:1: must be a list of name: answer`);
  return document.contents.items.map(({ key, value }) => {
    const place = placeOf((isScalar(key) ? key.range?.[0] : undefined) ?? 0);
    if (!isScalar(key) || typeof key.value !== "string" || !isScalar(value))
      throw new AppError("bad-data", `${place}: an answer is one plain value`);
    return { name: key.value, answer: textOf(value), place };
  });
}

/** As it was written: a number with a zero before it stays that, and ON is not true. */
function textOf({ value, source }: Scalar): string {
  if (value === null) return "";
  return source ?? JSON.stringify(value);
}
