import { readFileSync, statSync } from "node:fs";
import { AppError, messageOf } from "../domain/errors.ts";

/** A message of a recording. */
export interface RecordedMessage {
  /** What the recording calls it; else its line. */
  readonly name: string;
  readonly topic: string;
  readonly payload: string;
  readonly isRetained: boolean;
  /** Milliseconds since 1970; undefined where the recording has no time. */
  readonly atMs: number | undefined;
}

/** A day of a large site; more is a mistake. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads a recording: one JSON object a line with `topic`, `payload`, and perhaps `retain`, `tst` and `id`. This is what
 * `mosquitto_sub -F %J` prints.
 * @throws AppError `no-input` when the file cannot be read, `bad-data` with the line that is no message
 */
export function recordedMessages(file: string): RecordedMessage[] {
  let text: string;
  try {
    if (statSync(file).size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError("no-input", `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
  return text
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [messageIn(line, `${file}:${index + 1}`)]));
}

function messageIn(line: string, place: string): RecordedMessage {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch (cause) {
    throw new AppError("bad-data", `${place}: this is no JSON`, { hint: FORM, cause });
  }
  const { topic, payload, retain, tst, id } = (said ?? {}) as Record<string, unknown>;
  if (typeof topic !== "string") throw new AppError("bad-data", `${place}: topic is missing`, { hint: FORM });
  const atMs = typeof tst === "string" ? Date.parse(tst) : NaN;
  return {
    name: typeof id === "string" ? id : place.slice(place.lastIndexOf(":") + 1),
    topic,
    // mosquitto_sub shows a payload that is JSON as what it is.
    payload: typeof payload === "string" ? payload : payload === undefined ? "" : JSON.stringify(payload),
    isRetained: retain === true || retain === 1,
    atMs: Number.isNaN(atMs) ? undefined : atMs,
  };
}

const FORM = "Record with: mosquitto_sub -h <broker> -t '#' -F %J > recording.jsonl";
