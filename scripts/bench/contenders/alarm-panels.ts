import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../paths.ts";
import type { Contender } from "./contender.ts";
import { prepare } from "./santinela.ts";
import { SENSORS } from "./sensors.ts";

/** Sensors beside the panels: a configuration has at most 512 zones. The last one is the probe. */
export const SENSORS_BESIDE = 192;
/** The panel whose alarms are timed one by one: each of its zones has an objective, and so a record, of its own. */
export const TIMED_ACCOUNT = "2000";
export const TIMED_ZONES = 48;
/** The panels of the load, every second one encrypted. */
export const LOAD_ACCOUNTS: readonly string[] = Array.from({ length: 135 }, (_, index) =>
  String(1000 + index),
);
/**
 * Zones of each: of one zone at most 20 trips a minute are stored, and five thousand alarms a minute must be below that.
 */
export const LOAD_ZONES = 2;
/** For AES-128; the same for all panels that encrypt. */
export const ALARM_PANEL_KEY = "00112233445566778899AABBCCDDEEFF";

export function isEncrypted(account: string): boolean {
  return Number(account) % 2 === 1;
}

/** The objective of a zone of the timed panel. @param zone from 1 to `TIMED_ZONES` */
export function objectiveOf(zone: number): number {
  return SENSORS_BESIDE + zone;
}

/** The product with alarm panels; the port of its receiver follows once it is prepared. */
export class SantinelaWithAlarmPanels implements Contender {
  readonly name = "santinela";
  receiverPort = 0;

  missing(): undefined {
    return undefined;
  }

  async prepare(setting: Parameters<Contender["prepare"]>[0]) {
    const site = await prepare(setting, []);
    this.receiverPort = await freePort();
    const file = join(setting.folder, "santinela.yaml");
    writeFileSync(join(dirname(file), "panel.key"), ALARM_PANEL_KEY, { mode: 0o600 });
    const lines = readFileSync(file, "utf8").split("\n").filter(isKept);
    writeFileSync(file, `${lines.join("\n")}${zoneLines()}${receiverLines(this.receiverPort)}`);
    return site;
  }
}

/** Whether a line of the configuration stays: not the zones of the sensors that make room for those of the panels. */
function isKept(line: string): boolean {
  const sensor = Number(/^ {2}- \{ id: gate-(\d+),/.exec(line)?.[1] ?? 0);
  return sensor <= SENSORS_BESIDE || sensor === SENSORS;
}

/** Without filters: a zone with eight changes in a second would be a loose contact, and those of the load change as often. */
function zoneLines(): string {
  const zone = (account: string, number: number, objective: number): string =>
    `  - { id: panel-${account}-${number}, name: Panel ${account} ${number}, kind: panic, ` +
    `objective: { type: obiective/cladiri, id: ${objective} }, input: { dc09: "${account}", zone: ${number} }, debounceMs: 0, minOpenMs: 0 }\n`;
  const timed = Array.from({ length: TIMED_ZONES }, (_, index) =>
    zone(TIMED_ACCOUNT, index + 1, objectiveOf(index + 1)),
  );
  const load = LOAD_ACCOUNTS.flatMap((account, index) =>
    Array.from({ length: LOAD_ZONES }, (_, number) => zone(account, number + 1, loadObjective(index))),
  );
  return [...timed, ...load].join("");
}

/** One for each panel of the load, behind those of the timed one. */
function loadObjective(index: number): number {
  return objectiveOf(TIMED_ZONES) + 1 + index;
}

function receiverLines(port: number): string {
  const account = (name: string, objective: number): string =>
    `    - { account: "${name}", ${isEncrypted(name) ? "keyFile: panel.key" : "plain: true, from: [127.0.0.1]"}, ` +
    `objective: { type: obiective/cladiri, id: ${objective} } }\n`;
  const load = LOAD_ACCOUNTS.map((name, index) => account(name, loadObjective(index)));
  return `dc09:\n  port: ${port}\n  accounts:\n${account(TIMED_ACCOUNT, objectiveOf(1))}${load.join("")}`;
}
