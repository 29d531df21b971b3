import type { Config } from "../config/config.ts";
import type { BypassView, ZoneView } from "../site/zone-view.ts";
import { ControlClient } from "./control-client.ts";
import { lifeSafetyNotice } from "./life-safety.ts";
import { tableText } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { pollUntilSignal } from "./poll.ts";

/** Lists all zones with their contacts and the disposition of a trip. */
export async function listZones(
  { dataDir }: Config,
  { json }: { json: boolean },
  { stdout }: Terminal,
): Promise<void> {
  const zones = await zonesOf(new ControlClient(dataDir));
  stdout.write(json ? `${JSON.stringify(zones, null, 2)}\n` : zoneTable(zones));
}

/**
 * Shows changes of the zones until the process is stopped. A terminal gets a table that is redrawn; otherwise, and with
 * `json`, each changed zone is one line, starting with all zones.
 */
export async function watchZones(
  { dataDir }: Config,
  { json }: { json: boolean },
  terminal: Terminal,
): Promise<void> {
  const { stdout } = terminal;
  const client = new ControlClient(dataDir);
  const isDrawn = stdout.isTTY === true && !json;
  let known: ReadonlyMap<string, string> = new Map();
  await pollUntilSignal(async () => {
    const zones = await zonesOf(client);
    const lines = new Map(zones.map((zone) => [zone.id, JSON.stringify(zone)]));
    const changed = zones.filter(({ id }) => lines.get(id) !== known.get(id));
    if (isDrawn && (changed.length > 0 || lines.size !== known.size))
      stdout.write(`${redraw(known.size)}${zoneTable(zones)}`);
    else if (json) stdout.write(changed.map(({ id }) => `${lines.get(id)}\n`).join(""));
    else if (!isDrawn) stdout.write(changed.map((zone) => `${cellsOf(zone).join("  ")}\n`).join(""));
    known = lines;
  }, terminal);
}

/** Bypasses a zone for a limited time; its trips are recorded, not dispatched. */
export async function bypassZone(
  { dataDir }: Config,
  { zone, reason, minutes }: { zone: string; reason: string; minutes: number | undefined },
  { stdout }: Terminal,
): Promise<void> {
  const path = `/site/zones/${encodeURIComponent(zone)}/bypass`;
  const bypassed = await new ControlClient(dataDir).post<BypassView>(path, { reason, minutes });
  stdout.write(`${stateOf(bypassed)}\n${lifeSafetyNotice(bypassed.lifeSafetyHeld)}`);
}

/** Returns a zone to service after a bypass or a swinger shutdown. */
export async function restoreZone(
  { dataDir }: Config,
  { zone }: { zone: string },
  { stdout }: Terminal,
): Promise<void> {
  const path = `/site/zones/${encodeURIComponent(zone)}/restore`;
  stdout.write(`${stateOf(await new ControlClient(dataDir).post<ZoneView>(path))}\n`);
}

function zonesOf(client: ControlClient): Promise<readonly ZoneView[]> {
  return client.get<ZoneView[]>("/site/zones");
}

const HEADINGS = ["ZONE", "NAME", "SOURCE", "CONTACT", "SINCE", "SERVICE", "FAULTS"];

function zoneTable(zones: readonly ZoneView[]): string {
  return tableText(HEADINGS, zones.map(cellsOf));
}

function cellsOf(zone: ZoneView): string[] {
  const { id, name, source, contact, since, faults } = zone;
  return [
    id,
    name,
    source,
    contact,
    since ?? "no reading yet",
    serviceOf(zone),
    faults.map(({ fault }) => fault).join(", "),
  ];
}

function serviceOf({ disposition, reason, bypass }: ZoneView): string {
  if (disposition === "waiting") return "in service";
  if (disposition === "bypassed" && bypass)
    return `bypassed until ${bypass.until} (${bypass.who}: ${bypass.reason})`;
  return reason === null ? disposition : `${disposition} (${reason})`;
}

function stateOf(zone: ZoneView): string {
  return `${zone.id} is ${serviceOf(zone)}`;
}

/** Moves the cursor up over the table with its headings and clears below (ECMA-48 CUU, ED). */
function redraw(zones: number): string {
  return zones === 0 ? "" : `\u001B[${zones + 1}A\u001B[J`;
}
