import { readFileSync, statSync } from "node:fs";
import { AppError, messageOf } from "../domain/errors.ts";

/** One message of a recording. */
export interface RecordedMessage {
  /** Id in the recording; default: its line number. */
  readonly name: string;
  readonly topic: string;
  readonly payload: string;
  readonly isRetained: boolean;
  /** Milliseconds since 1970; undefined if the recording has no timestamp. */
  readonly atMs: number | undefined;
}

/** Enough for a day of a large site. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads a recording in the format of `mosquitto_sub -F %J`: one JSON object per line with `topic`, `payload` and optional
 * `retain`, `tst` and `id`.
 * @throws AppError `no-input` if the file cannot be read, `bad-data` with the first invalid line
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
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new AppError("bad-data", `${place}: not valid JSON`, { hint: RECORD_HINT, cause });
  }
  const { topic, payload, retain, tst, id } = (value ?? {}) as Record<string, unknown>;
  if (typeof topic !== "string")
    throw new AppError("bad-data", `${place}: topic is missing`, { hint: RECORD_HINT });
  const atMs = typeof tst === "string" ? Date.parse(tst) : NaN;
  return {
    name: typeof id === "string" ? id : place.slice(place.lastIndexOf(":") + 1),
    topic,
    // mosquitto_sub prints a JSON payload as JSON, not as a string.
    payload: typeof payload === "string" ? payload : payload === undefined ? "" : JSON.stringify(payload),
    isRetained: retain === true || retain === 1,
    atMs: Number.isNaN(atMs) ? undefined : atMs,
  };
}

const RECORD_HINT = "Record with: mosquitto_sub -h <broker> -t '#' -F %J > recording.jsonl";
