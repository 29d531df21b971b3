import { plainLine } from "../domain/single-line.ts";
import { localTime } from "./local-time.ts";

/** A line of the log as `JsonLog` writes it. */
interface LoggedLine {
  readonly time?: unknown;
  readonly level?: unknown;
  readonly event?: unknown;
}

/**
 * A line of the log for a person at a terminal: the local time, the event, and its fields; the level only if it is not `info`.
 * @param line JSON with a newline; another text stays as it is
 * @param timeZone IANA name of the site's time zone
 */
export function logText(line: string, timeZone: string): string {
  const entry = entryOf(line);
  if (entry === undefined) return line;
  const { time, level, event, ...fields } = entry;
  const parts = [
    typeof time === "string" ? localTime(time, timeZone) : "",
    level === "info" ? "" : String(level),
    String(event),
    ...Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`),
  ];
  return `${plainLine(parts.filter((part) => part !== "").join("  "))}\n`;
}

function entryOf(line: string): LoggedLine | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null && "event" in entry ? entry : undefined;
  } catch {
    return undefined;
  }
}

function valueText(value: unknown): string {
  return typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value);
}
