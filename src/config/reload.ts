import { canonical, zoneChanges, type ZoneChanges } from "../domain/zone-changes.ts";
import type { Config } from "./config.ts";

/** Changes of a new configuration, with the names of docs/configuration.md. */
export interface ConfigurationChanges {
  readonly zones: ZoneChanges;
  /** Changed options, except zones, that take effect immediately. */
  readonly applied: readonly string[];
  /** Changed options that take effect after a restart. */
  readonly needsRestart: readonly string[];
}

/**
 * How each section is applied. `immediate`: components take the new value while they run. `at-restart`: a listening
 * address, a session that must not end, or records that depend on the old value.
 */
const APPLIED: Readonly<Record<keyof Config, "immediate" | "at-restart" | "separate">> = {
  role: "separate",
  dataDir: "at-restart",
  database: "at-restart",
  site: "at-restart",
  http: "at-restart",
  upstream: "immediate",
  upstreams: "immediate",
  mqtt: "at-restart",
  homeAssistant: "at-restart",
  gpio: "at-restart",
  dc09: "at-restart",
  outputs: "immediate",
  onBattery: "immediate",
  objectives: "immediate",
  log: "immediate",
  metricsToken: "immediate",
  fleet: "immediate",
  // Zones are compared one by one.
  zones: "separate",
  file: "separate",
  warnings: "separate",
};

/** A configuration, as far as it tells where records go. */
type Destination = Pick<Config, "upstream" | "upstreams">;

/** Of an alarm panel's account, whose zones are created with it. */
const OF_CREATED_ZONES = " for zones created by alarm panels";

/** Option names for fields of the resolved configuration that differ, such as file contents. */
const OPTION_OF: Readonly<Record<string, readonly string[]>> = {
  "mqtt.mode": ["mqtt.url"],
  "mqtt.host": ["mqtt.listen.host"],
  "mqtt.port": ["mqtt.listen.port"],
  "mqtt.credentials": ["mqtt.username", "mqtt.passwordFile"],
  "upstream.password": ["upstream.passwordFile"],
  "upstream.ca": ["upstream.caFile"],
  "database.url": ["database"],
  "database.password": ["databasePasswordFile"],
  "database.ca": ["databaseCaFile"],
  metricsToken: ["metrics.tokenFile"],
  // Zones of the file take both at once.
  "dc09.profiles": [`profiles${OF_CREATED_ZONES}`],
  "onBattery.powerOffAfterMs": ["onBattery.powerOffAfterS"],
};

/** @param running the configuration in force. @param next the configuration of the file */
export function changesOf(running: Config, next: Config): ConfigurationChanges {
  const changed = (mode: "immediate" | "at-restart"): string[] =>
    (Object.keys(APPLIED) as (keyof Config)[])
      .filter((section) => APPLIED[section] === mode)
      .flatMap((section) => changedOptions(section, running[section], next[section]));
  const isImmediate = (option: string): boolean =>
    option === "site.name" || (option === "site.ref" && isReferenceFree(running, next));
  const ofRestart = changed("at-restart");
  return {
    zones: zoneChanges(running.zones, next.zones),
    applied: [...ofRestart.filter(isImmediate), ...changed("immediate")],
    needsRestart: ofRestart.filter((option) => !isImmediate(option)),
  };
}

/** Whether no record depends on the reference of the site: the daemon has no dispatch centre before the change, or none after it. */
function isReferenceFree(running: Destination, next: Destination): boolean {
  return [running, next].some(({ upstream, upstreams }) => upstream === null && upstreams.length === 0);
}

/**
 * The sections of a configuration that take effect immediately.
 * @param running the configuration in force, whose options stay where a change needs a restart
 */
export function immediateSections(
  running: Pick<Config, "site" | keyof Destination>,
  next: Config,
): Partial<Config> {
  const immediate = Object.entries(next).filter(([name]) => APPLIED[name as keyof Config] === "immediate");
  const { zones, warnings, site } = next;
  const { ref } = isReferenceFree(running, next) ? site : running.site;
  return {
    ...Object.fromEntries(immediate),
    zones,
    warnings,
    site: { ...running.site, name: site.name, ref },
  };
}

function changedOptions(section: string, before: unknown, after: unknown): string[] {
  if (canonical(before) === canonical(after)) return [];
  if (!isSection(before) || !isSection(after)) return [...(OPTION_OF[section] ?? [section])];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const options = keys
    .filter((key) => canonical(before[key]) !== canonical(after[key]))
    .flatMap((key) =>
      isRenamedOnly(section, before[key], after[key])
        ? [`objectives${OF_CREATED_ZONES}`]
        : (OPTION_OF[`${section}.${key}`] ?? [`${section}.${key}`]),
    );
  return [...new Set(options)];
}

/** Whether two values of a section differ in nothing but the names of the objectives that accounts of alarm panels have. */
function isRenamedOnly(section: string, before: unknown, after: unknown): boolean {
  if (section !== "dc09" || !Array.isArray(before) || !Array.isArray(after)) return false;
  const withoutNames = (accounts: unknown[]): string =>
    canonical(accounts.map((account) => (isSection(account) ? { ...account, objectiveName: "" } : account)));
  return withoutNames(before) === withoutNames(after);
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
