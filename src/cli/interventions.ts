import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { Intervention } from "../domain/intervention.ts";
import { ControlClient } from "./control-client.ts";
import { plainLine } from "../domain/single-line.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** Lists the newest interventions, newest first. */
export async function listInterventions(
  config: Config,
  { limit, status, json }: { limit: number; status: string | undefined; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const wanted = status === undefined ? "" : `&status=${encodeURIComponent(status)}`;
  const records = await new ControlClient(config.dataDir).get<Intervention[]>(
    `${pathOf(config)}?_sort=id&_order=DESC&_end=${limit}${wanted}`,
  );
  stdout.write(json ? `${JSON.stringify(records, null, 2)}\n` : tableText(HEADINGS, records.map(cellsOf)));
}

/** Shows one intervention, one field per line. */
export async function showIntervention(
  config: Config,
  { id, json }: { id: string; json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const record = await new ControlClient(config.dataDir).get<Intervention>(`${pathOf(config)}/${idOf(id)}`);
  stdout.write(json ? `${JSON.stringify(record, null, 2)}\n` : fieldLines(record));
}

/** Changes the status of an intervention; the change is sent to the dispatch centre. */
export async function setIntervention(
  config: Config,
  { id, status }: { id: string; status: string },
  { stdout }: Terminal,
): Promise<void> {
  const path = `${pathOf(config)}/${idOf(id)}`;
  const record = await new ControlClient(config.dataDir).put<Intervention>(path, { status });
  stdout.write(`#${record.id} is ${record.status}\n`);
}

const HEADINGS = ["ID", "START", "STATUS", "PRIORITY", "OBJECTIVE", "NAME"];

function cellsOf(record: Intervention): string[] {
  const { id, dateStart, status, priority, objectiveType, objectiveId, name } = record;
  return [String(id), dateStart ?? "", status, priority, `${objectiveType}/${objectiveId}`, name];
}

function fieldLines(record: Intervention): string {
  return Object.entries(record)
    .filter(([, value]) => value !== null && value !== "")
    .map(([field, value]) => plainLine(`${field}: ${String(value)}`))
    .map((line) => `${line}\n`)
    .join("");
}

function pathOf({ http }: Config): string {
  return `${http.basePath}/interventii`;
}

/** @throws AppError `usage` for an invalid id */
function idOf(text: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new AppError("usage", `invalid intervention id ${text}`);
  return text;
}
