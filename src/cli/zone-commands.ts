import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import type { BypassView, SimulationView, ZoneView } from "../site/zone-view.ts";
import type { CommandGroup, JsonOption } from "./command-group.ts";
import { ControlClient } from "./control-client.ts";
import { localTime } from "./local-time.ts";
import { pollUntilSignal } from "./poll.ts";
import { lifeSafetyNotice, tableText, widthOf } from "./table.ts";
import { jsonText, type Terminal } from "./terminal.ts";

/** `zones`. */
export function addZoneCommands(zones: CommandGroup): void {
  zones
    .add("list", "list all zones and the states of their contacts", () => listZones)
    .option("--json", "print JSON");
  zones
    .add("watch", "show changes of the zones live, until Ctrl-C", () => watchZones)
    .option("--json", "print JSON, one changed zone per line");
  zones
    .add("bypass", "take a zone out of service for a limited time", () => bypassZone)
    .requiredOption("--zone <id>", "the zone")
    .requiredOption("--reason <text>", "reason, kept in the event log")
    .option("--minutes <number>", "duration in minutes (default 8 hours, maximum 7 days)");
  zones
    .add("restore", "return a zone to service after a bypass or swinger shutdown", () => restoreZone)
    .requiredOption("--zone <id>", "the zone");
  zones
    .add(
      "discover",
      "print proposed zones for the sensors found at the broker",
      async () => (await import("./zones-discover.ts")).discoverZones,
    )
    .option("--prefix <levels>", "topic prefix of the announcements", "homeassistant")
    .option("--wait <seconds>", "how long to listen, in seconds", "3")
    .option("--json", "print JSON");
  zones
    .add(
      "replay",
      "run recorded messages through the zones and print the effect of each",
      async () => (await import("./replay.ts")).replay,
    )
    .argument("<file>", "one JSON object per line: topic, payload, optional retain and tst")
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nRecord with: mosquitto_sub -h <broker> -t '#' -F %j > recording.jsonl");
}

/** `trip`. */
export function addTripCommand(root: CommandGroup): void {
  root
    .add("trip", "open a zone's contact as its sensor would; needs a running daemon", () => trip)
    .requiredOption("--zone <id>", "the zone")
    .option("--restore", "restore the contact instead");
}

/** @throws AppError `usage` if the text is not a whole number */
export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new AppError("usage", `${option} takes a whole number, not ${text}`);
  return Number(text);
}

/** Lists all zones with their contacts and the disposition of a trip. */
async function listZones(
  { dataDir, site }: Config,
  { stdout }: Terminal,
  { json }: JsonOption,
): Promise<void> {
  const zones = await zonesOf(new ControlClient(dataDir));
  stdout.write(json ? jsonText(zones) : zoneTable(zones, site.timezone));
}

/**
 * Shows changes of the zones until the process is stopped. A terminal gets a table that is redrawn; otherwise, and with
 * `json`, each changed zone is one line, starting with all zones.
 */
async function watchZones(
  { dataDir, site }: Config,
  terminal: Terminal,
  { json }: JsonOption,
): Promise<void> {
  const { stdout } = terminal;
  const client = new ControlClient(dataDir);
  const isDrawn = stdout.isTTY === true && !json;
  let known: ReadonlyMap<string, string> = new Map();
  let drawn = "";
  await pollUntilSignal(async () => {
    const zones = await zonesOf(client);
    const lines = new Map(zones.map((zone) => [zone.id, JSON.stringify(zone)]));
    const changed = zones.filter(({ id }) => lines.get(id) !== known.get(id));
    if (isDrawn && (changed.length > 0 || lines.size !== known.size)) {
      const table = zoneTable(zones, site.timezone);
      stdout.write(`${redraw(rowsOf(drawn, stdout.columns))}${table}`);
      drawn = table;
    } else if (json) stdout.write(changed.map(({ id }) => `${lines.get(id)}\n`).join(""));
    else if (!isDrawn)
      stdout.write(changed.map((zone) => `${cellsOf(zone, site.timezone).join("  ")}\n`).join(""));
    known = lines;
  }, terminal);
}

/** Bypasses a zone for a limited time; its trips are recorded, not dispatched. */
async function bypassZone(
  { dataDir, site }: Config,
  { stdout }: Terminal,
  { zone, reason, minutes }: { zone: string; reason: string; minutes?: string },
): Promise<void> {
  const path = `/site/zones/${encodeURIComponent(zone)}/bypass`;
  const request = { reason, minutes: wholeNumber("--minutes", minutes) };
  const bypassed = await new ControlClient(dataDir).post<BypassView>(path, request);
  stdout.write(`${stateOf(bypassed, site.timezone)}\n${lifeSafetyNotice(bypassed.lifeSafetySuppressed)}`);
}

/** Returns a zone to service after a bypass or a swinger shutdown. */
async function restoreZone(
  { dataDir, site }: Config,
  { stdout }: Terminal,
  { zone }: { zone: string },
): Promise<void> {
  const path = `/site/zones/${encodeURIComponent(zone)}/restore`;
  const restored = await new ControlClient(dataDir).post<ZoneView>(path);
  stdout.write(`${stateOf(restored, site.timezone)}\n`);
}

/** Opens or restores a zone's contact in the running daemon and prints the result. */
async function trip(
  { dataDir }: Config,
  { stdout }: Terminal,
  { zone, restore }: { zone: string; restore?: boolean },
): Promise<void> {
  const contact = restore ? "normal" : "open";
  const outcome = await new ControlClient(dataDir).post<SimulationView>("/site/simulate", { zone, contact });
  stdout.write(`${outcomeText(outcome, contact)}\n`);
}

function outcomeText(
  { zone, contact, changed, unchangedBy, trips, suppressed }: SimulationView,
  wanted: "open" | "normal",
): string {
  const disposition = suppressed === null ? "" : `, suppressed (${suppressed})`;
  if (trips.length > 0 && contact !== "open")
    return `${zone} tripped; its sensor still reports ${contact}: trip ${trips.join(", ")}${disposition}`;
  if (trips.length > 0) return `${zone} is open: trip ${trips.join(", ")}${disposition}`;
  if (changed) return `${zone} is ${contact}`;
  if (contact === wanted)
    return `${zone} was already ${contact}${wanted === "open" ? "; restore it with --restore before it can trip again" : ""}`;
  if (unchangedBy === "sensor")
    return `${zone} is still ${contact}: only its own sensor can ${wanted === "open" ? "open" : "restore"} it`;
  return `${zone} is ${contact}: the reading did not stay stable`;
}

function zonesOf(client: ControlClient): Promise<readonly ZoneView[]> {
  return client.get<ZoneView[]>("/site/zones");
}

const HEADINGS = ["ZONE", "NAME", "SOURCE", "CONTACT", "SINCE", "SERVICE", "BATTERY", "FAULTS"];

function zoneTable(zones: readonly ZoneView[], timeZone: string): string {
  const table = tableText(
    HEADINGS,
    zones.map((zone) => cellsOf(zone, timeZone)),
  );
  const unnamed = zones.filter(({ unnamedValue }) => unnamedValue !== null);
  return [table, ...unnamed.map(unnamedText)].join("");
}

function unnamedText({ id, unnamedValue }: ZoneView): string {
  return `${id}: the value ${unnamedValue} of the last message is in neither open nor normal. Add it to one of them, or correct path.\n`;
}

function cellsOf(zone: ZoneView, timeZone: string): string[] {
  const { id, name, source, contact, loop, battery, faults } = zone;
  return [
    id,
    name,
    source,
    loop ? `${contact} (${loop.state}${loop.ohms === null ? "" : `, ${loop.ohms} Ω`})` : contact,
    sinceOf(zone, timeZone),
    serviceOf(zone, timeZone),
    battery ? `${Math.round(battery.percent)} % (${localTime(battery.at, timeZone)})` : "",
    faults.map(({ fault }) => fault).join(", "),
  ];
}

function sinceOf({ since, unnamedValue }: ZoneView, timeZone: string): string {
  if (since !== null) return localTime(since, timeZone);
  return unnamedValue === null ? "no reading yet" : "unknown value";
}

function serviceOf({ disposition, reason, bypass }: ZoneView, timeZone: string): string {
  if (disposition === "waiting") return "in service";
  if (disposition === "bypassed" && bypass)
    return `bypassed until ${localTime(bypass.until, timeZone)} (${bypass.who}: ${bypass.reason})`;
  return reason === null ? disposition : `${disposition} (${reason})`;
}

function stateOf(zone: ZoneView, timeZone: string): string {
  return `${zone.id} is ${serviceOf(zone, timeZone)}`;
}

/** Moves the cursor up over what was drawn and clears below (ECMA-48 CUU, ED). */
function redraw(rows: number): string {
  return rows === 0 ? "" : `\u001B[${rows}A\u001B[J`;
}

/** The rows that a text takes in the terminal, which wraps lines longer than its width. */
export function rowsOf(text: string, columns = Number.MAX_SAFE_INTEGER): number {
  const lines = text.split("\n").slice(0, -1);
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}
