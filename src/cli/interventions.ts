import type { Config } from "../config/config.ts";
import { parseDateTime } from "../domain/calendar.ts";
import { AppError } from "../domain/errors.ts";
import type { Intervention } from "../domain/intervention.ts";
import { PHASE_WORDS } from "../domain/outbox-phase-text.ts";
import { needsAttention } from "../domain/shown-phase.ts";
import { plainLine, plainLines } from "../domain/single-line.ts";
import type { SyncRecordStatus } from "../site/sync-view.ts";
import type { HistoryView } from "../site/timeline-view.ts";
import type { TransmissionView } from "../site/transmission-view.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { tableText } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** `interventions`. */
export function addInterventionCommands(root: CommandGroup): void {
  const interventions = root.group("interventions", "the interventions of this site; needs a running daemon");
  interventions
    .add("list", "list the newest interventions", () => listInterventions)
    .option("--limit <number>", "maximum number of interventions", "20")
    .option("--status <status>", "only interventions that are planned, in_progress or done")
    .option("--json", "print JSON");
  interventions
    .add("show", "show one intervention", () => showIntervention)
    .argument("<id>", "intervention id")
    .option("--json", "print JSON");
  interventions
    .add("set", "change the status of an intervention", () => setIntervention)
    .argument("<id>", "intervention id")
    .requiredOption("--status <status>", "planned, in_progress or done");
}

/** The maximum page of the daemon. */
const LIMIT_MAX = 1000;

/** The value of `--limit`. @throws AppError `usage` if it is not a number up to 1000: fewer would be taken for all */
export function limitOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > LIMIT_MAX)
    throw new AppError("usage", `--limit takes a number up to ${LIMIT_MAX}, not ${text}`);
  return Number(text);
}

/** Lists the newest interventions, newest first. */
async function listInterventions(
  config: Config,
  { stdout }: Terminal,
  { limit, status, json }: JsonOption & { readonly limit: string; readonly status?: string },
): Promise<void> {
  const wanted = status === undefined ? "" : `&status=${encodeURIComponent(status)}`;
  const client = new ControlClient(config.dataDir);
  const records = await client.get<Intervention[]>(
    `${pathOf(config)}?_sort=id&_order=DESC&_end=${limitOf(limit)}${wanted}`,
  );
  if (json) return void stdout.write(jsonText(records));
  const { timezone } = config.site;
  // A dispatch centre, and a site without one, send their records nowhere.
  const sync = config.upstream && (await syncOf(records, client));
  const rows = records.map((record) => {
    const [name = "", ...others] = cellsOf(record, timezone).toReversed();
    return [...others.toReversed(), ...(sync ? [centreText(sync.get(record.id), timezone)] : []), name];
  });
  stdout.write(tableText(sync ? HEADINGS.toSpliced(-1, 0, "DISPATCH CENTRE") : HEADINGS, rows));
}

/** The most that the daemon answers at once. */
const SYNC_IDS_MAX = 100;

/** How far these records have come to the dispatch centre, by their ids. */
async function syncOf(
  records: readonly Intervention[],
  client: ControlClient,
): Promise<ReadonlyMap<number, SyncRecordStatus>> {
  const found = new Map<number, SyncRecordStatus>();
  for (let from = 0; from < records.length; from += SYNC_IDS_MAX) {
    const ids = records.slice(from, from + SYNC_IDS_MAX).map(({ id }) => id);
    const states = await client.get<SyncRecordStatus[]>(`/site/sync/records?ids=${ids.join(",")}`);
    for (const state of states) found.set(state.interventionId, state);
  }
  return found;
}

/** Where a record is at the dispatch centre, in the words of the panel. */
function centreText(sync: SyncRecordStatus | undefined, timeZone: string): string {
  if (!sync) return "";
  const { phase, upstreamId, isSynced, attempts, nextAttemptAt } = sync;
  if (upstreamId === null && (isSynced || phase === "closed")) return "not sent";
  const id = upstreamId === null ? [] : [`ID ${upstreamId}`];
  if (phase === "closed" || isSynced) return [isSynced ? "synced" : PHASE_WORDS.closed, ...id].join(", ");
  const next = nextAttemptAt === null ? [] : [`at ${localTime(nextAttemptAt, timeZone)}`];
  const isTriedAgain = attempts > 0 && !needsAttention(phase);
  const attempt = isTriedAgain ? [[`attempt ${attempts + 1}`, ...next].join(" ")] : [];
  return [PHASE_WORDS[phase], ...id, ...attempt].join(", ");
}

/** Shows one intervention, one field per line. */
async function showIntervention(
  config: Config,
  { stdout }: Terminal,
  { json }: JsonOption,
  id: string,
): Promise<void> {
  const client = new ControlClient(config.dataDir);
  const record = await client.get<Intervention>(`${pathOf(config)}/${idOf(id)}`);
  if (json) return void stdout.write(jsonText(record));
  const transmissions = await client.get<TransmissionView[]>(`/site/interventions/${id}/transmissions`);
  const { sync } = await client.get<HistoryView>(`/site/interventions/${id}/history`);
  stdout.write(
    fieldLines(record) +
      centreLine(sync) +
      transmissions.map((one) => transmissionLine(one, config.site.timezone)).join(""),
  );
}

/** Changes the status of an intervention; the change is sent to the dispatch centre. */
async function setIntervention(
  config: Config,
  { stdout }: Terminal,
  { status }: { readonly status: string },
  id: string,
): Promise<void> {
  const path = `${pathOf(config)}/${idOf(id)}`;
  const record = await new ControlClient(config.dataDir).put<Intervention>(path, { status });
  stdout.write(`#${record.id} is ${record.status}\n`);
}

const HEADINGS = ["ID", "START", "STATUS", "PRIORITY", "OBJECTIVE", "NAME"];

function cellsOf(record: Intervention, timeZone: string): string[] {
  const { id, dateStart, status, priority, objectiveType, objectiveId, name } = record;
  return [
    String(id),
    startText(dateStart ?? null, timeZone),
    status,
    priority,
    `${objectiveType}/${objectiveId}`,
    name,
  ];
}

/** The start in the site's time; a date-time of the API without an offset is in it already. */
function startText(dateStart: string | null, timeZone: string): string {
  return localTime(dateStart === null ? null : (parseDateTime(dateStart, timeZone) ?? null), timeZone);
}

/** One field per line; further lines of a text are indented, so that none looks like a field. */
function fieldLines(record: Intervention): string {
  return Object.entries(record)
    .filter(([, value]) => value !== null && value !== "")
    .map(([field, value]) => plainLines(`${field}: ${String(value)}`.replaceAll("\r\n", "\n"), "  "))
    .map((line) => `${line}\n`)
    .join("");
}

/** Where the record is at the dispatch centre; empty at a centre and for a record that is sent nowhere. */
function centreLine(sync: SyncRecordStatus | null): string {
  if (sync === null) return "";
  const { isSynced, upstreamId, text, lastResponse } = sync;
  if (isSynced && upstreamId !== null) return `dispatch centre: synced as #${upstreamId}\n`;
  const there = upstreamId === null ? "" : ` (its #${upstreamId})`;
  const last = lastResponse === null ? "" : `; last: ${lastResponse}`;
  return `${plainLine(`dispatch centre: ${text}${there}${last}`)}\n`;
}

/** One event for the monitoring receiver: its data, and who has acknowledged it when. */
function transmissionLine(
  { data, state, acknowledgedAt, acknowledgedBy, lastError }: TransmissionView,
  timeZone: string,
): string {
  const at = localTime(acknowledgedAt, timeZone);
  const outcome = acknowledgedAt === null ? state : `acknowledged by ${acknowledgedBy} at ${at}`;
  return `${plainLine(`monitoring: ${data}: ${outcome}${lastError === null ? "" : ` (${lastError})`}`)}\n`;
}

function pathOf({ http }: Config): string {
  return `${http.basePath}/interventii`;
}

/** @throws AppError `usage` for an invalid id */
function idOf(text: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new AppError("usage", `invalid intervention id ${text}`);
  return text;
}
