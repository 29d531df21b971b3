import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { StatusView } from "../site/status-view.ts";
import type { TimelineEntry } from "../site/timeline-view.ts";
import type { ZoneView } from "../site/zone-view.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { eventSentence, type TimelineName } from "../domain/event-sentence.ts";
import { plainLine } from "../domain/single-line.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { limitOf } from "./interventions.ts";
import { localTime, writtenTimeMs } from "./local-time.ts";
import { pollUntilSignal } from "./poll.ts";
import { jsonText, type Terminal } from "./terminal.ts";

interface EventsOptions extends JsonOption {
  readonly limit: string;
  /** Keeps printing new entries. */
  readonly follow?: boolean;
  /** Only entries since this time: a duration before now or a timestamp. */
  readonly since?: string;
  /** Only entries of this zone. */
  readonly zone?: string;
}

/** `events`: the event log, and its audit trail. */
export function addEventCommands(root: CommandGroup): void {
  const events = root
    .add("events", "show the event log and the trips, newest last; needs a running daemon", () => showEvents)
    .option("--limit <number>", "maximum number of entries", "50")
    .option(
      "--since <time>",
      "only entries since this time: 30m, 2h, 1d or a timestamp; searches the newest 1000",
    )
    .option("--zone <id>", "only trips of this zone; searches the newest 1000")
    .option("--follow", "keep printing new entries, until Ctrl-C")
    .option("--json", "print JSON; with --follow one entry per line");
  const trail = root.below(events);
  trail
    .addUnloaded(
      "verify",
      "verify the hash chain of the audit trail; exit code 1 if it is broken",
      async () => (await import("./audit.ts")).verifyAudit,
    )
    .option("--head <hash>", "a hash that was printed earlier; exit code 1 if no entry has it")
    .option(
      "--file <file>",
      "verify what events export has printed instead of the database; - for standard input; needs no configuration",
    );
  trail.add(
    "export",
    "print the audit trail with its hashes, one JSON object per line, oldest first",
    async () => (await import("./audit.ts")).exportAudit,
  );
}

/** Maximum page of the daemon. */
const PAGE_MAX = 1000;
/** Entries read per poll; enough for half a second except in a storm. */
const FOLLOW_PAGE = 200;

/** Prints the newest entries of the timeline, oldest first. */
async function showEvents(config: Config, terminal: Terminal, options: EventsOptions): Promise<void> {
  const { json, follow } = options;
  const limit = limitOf(options.limit);
  const { stdout } = terminal;
  const client = new ControlClient(config.dataDir);
  // Of the daemon: some zones are not in the file, such as those that an alarm panel has created.
  const zones = await client.get<ZoneView[]>("/site/zones");
  // The daemon knows what it is; the file of a centre is read as that of a site.
  const { role } = await client.get<StatusView>("/site/status");
  const toLine = lineOf(config, zones, role);
  const isSelected = filterOf(options, new SystemClock().wallMs(), config.site.timezone);
  const isFiltered = options.since !== undefined || options.zone !== undefined;
  const newest = await pageOf(client, isFiltered || follow ? PAGE_MAX : limit);
  assertZone(options.zone, zones, newest);
  const shown = newest.filter(isSelected).slice(0, limit).toReversed();
  if (!follow) {
    stdout.write(json ? jsonText(shown) : shown.map(toLine).join(""));
    return;
  }
  const write = (entries: readonly TimelineEntry[]): void => {
    const lines = entries.map((entry) => (json ? `${JSON.stringify(entry)}\n` : toLine(entry)));
    if (lines.length > 0) stdout.write(lines.join(""));
  };
  write(shown);
  let known = new Set(newest.map((entry) => JSON.stringify(entry)));
  await pollUntilSignal(async () => {
    let page = await pageOf(client, FOLLOW_PAGE);
    if (known.size > 0 && page.every((entry) => !known.has(JSON.stringify(entry))))
      page = await pageOf(client, PAGE_MAX);
    // A trip is printed again when it becomes an intervention.
    write(page.filter((entry) => !known.has(JSON.stringify(entry)) && isSelected(entry)).toReversed());
    known = new Set([...page.map((entry) => JSON.stringify(entry)), ...known].slice(0, 2 * PAGE_MAX));
  }, terminal);
}

function pageOf(client: ControlClient, limit: number): Promise<TimelineEntry[]> {
  return client.get<TimelineEntry[]>(`/site/journal?limit=${limit}`);
}

type Filter = (entry: TimelineEntry) => boolean;

function filterOf({ since, zone }: EventsOptions, nowMs: number, timeZone: string): Filter {
  const from = since === undefined ? "" : new Date(timeMsOf(since, nowMs, timeZone)).toISOString();
  return ({ at, who }) => at >= from && (zone === undefined || who === whoOf(zone));
}

function whoOf(zone: string): string {
  return `zone ${zone}`;
}

/** @throws AppError `bad-data` for a zone that is not there and has no entry: an empty list would say that nothing has happened */
function assertZone(
  zone: string | undefined,
  zones: readonly ZoneView[],
  newest: readonly TimelineEntry[],
): void {
  if (zone === undefined || zones.some(({ id }) => id === zone)) return;
  // A zone that has been removed has its trips in the log.
  if (newest.some(({ who }) => who === whoOf(zone))) return;
  const ids = zones.map(({ id }) => id).join(", ");
  throw new AppError("bad-data", `unknown zone ${JSON.stringify(zone)}. Known: ${ids || "none"}`);
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @throws AppError `usage` if the text is neither a duration nor a time */
function timeMsOf(text: string, nowMs: number, timeZone: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const timeMs = writtenTimeMs(text, timeZone);
  if (timeMs === undefined)
    throw new AppError(
      "usage",
      `--since takes 30m, 2h, 1d or a time such as 2026-11-20T21:30Z or "${localTime(nowMs, timeZone)}", not ${text}`,
    );
  return timeMs;
}

/** Says an entry in one line, also if a name contains line breaks. */
function lineOf(
  { site }: Config,
  zones: readonly ZoneView[],
  role: StatusView["role"],
): (entry: TimelineEntry) => string {
  return (entry) => {
    const { at, event, from } = entry;
    const said = eventSentence({ ...entry, event: event as TimelineName }, zones, role);
    return `${plainLine(`${localTime(at, site.timezone)}  ${said} (${from === "itself" ? "daemon" : from})`)}\n`;
  };
}
