import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { TimelineEntry } from "../http/site/journal-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { ControlClient } from "./control-client.ts";
import { plainLine } from "../domain/single-line.ts";
import type { Terminal } from "./terminal.ts";
import { pollUntilSignal } from "./poll.ts";

export interface EventsOptions {
  /** How many entries at most. */
  readonly limit: number;
  readonly json: boolean;
  /** Goes on with what happens from now on. */
  readonly follow: boolean;
  /** Only entries since then: a length of time before now, or a moment; undefined for all. */
  readonly since: string | undefined;
  /** Only entries of this zone; undefined for all. */
  readonly zone: string | undefined;
}

/** The most that the daemon gives at once. */
const PAGE_MAX = 1000;
/** More than happens in half a second, except in a storm. */
const FOLLOWED = 200;

/** Prints the newest entries of the event log and the newest trips, the newest last as in any log. */
export async function showEvents(config: Config, options: EventsOptions, terminal: Terminal): Promise<void> {
  const { limit, json, follow } = options;
  const { stdout } = terminal;
  const client = new ControlClient(config.dataDir);
  const isMeant = filterOf(options, new SystemClock().wallMs());
  const isFiltered = options.since !== undefined || options.zone !== undefined;
  const newest = await pageOf(client, isFiltered || follow ? PAGE_MAX : limit);
  const shown = newest.filter(isMeant).slice(0, limit).toReversed();
  if (!follow) {
    stdout.write(json ? `${JSON.stringify(shown, null, 2)}\n` : shown.map(lineOf).join(""));
    return;
  }
  const write = (entries: readonly TimelineEntry[]): void => {
    const lines = entries.map((entry) => (json ? `${JSON.stringify(entry)}\n` : lineOf(entry)));
    if (lines.length > 0) stdout.write(lines.join(""));
  };
  write(shown);
  let known = new Set(newest.map((entry) => JSON.stringify(entry)));
  await pollUntilSignal(async () => {
    let page = await pageOf(client, FOLLOWED);
    if (known.size > 0 && page.every((entry) => !known.has(JSON.stringify(entry))))
      page = await pageOf(client, PAGE_MAX);
    // A trip comes again when it has become an intervention: that is news of its own.
    write(page.filter((entry) => !known.has(JSON.stringify(entry)) && isMeant(entry)).toReversed());
    known = new Set([...page.map((entry) => JSON.stringify(entry)), ...known].slice(0, 2 * PAGE_MAX));
  }, terminal);
}

function pageOf(client: ControlClient, limit: number): Promise<TimelineEntry[]> {
  return client.get<TimelineEntry[]>(`/site/journal?limit=${limit}`);
}

function filterOf({ since, zone }: EventsOptions, nowMs: number): (entry: TimelineEntry) => boolean {
  const from = since === undefined ? "" : new Date(momentOf(since, nowMs)).toISOString();
  return ({ at, who }) => at >= from && (zone === undefined || who === `zone ${zone}`);
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @throws AppError `usage` for what is neither a length of time nor a moment */
function momentOf(text: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const momentMs =
    count === undefined ? Date.parse(text) : nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (Number.isNaN(momentMs))
    throw new AppError("usage", `--since takes 30m, 2h, 1d or a time such as 2026-11-20T21:30Z, not ${text}`);
  return momentMs;
}

/** One line whatever somebody wrote into a name. */
function lineOf({ at, event, who, from, subject, detail }: TimelineEntry): string {
  const words = [at, event, who, `(${from})`, subject, JSON.stringify(detail)];
  return `${plainLine(words.filter((word) => word !== "" && word !== "{}").join("  "))}\n`;
}
