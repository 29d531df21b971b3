import { canonical } from "../domain/canonical.ts";
import { zoneChanges, type ZoneChanges } from "../domain/zone-changes.ts";
import type { Config } from "./config.ts";

/** What a new configuration changes while the daemon runs, by the names of docs/configuration.md. */
export interface ConfigurationChanges {
  readonly zones: ZoneChanges;
  /** Options, beside the zones, that have changed and are in force at once. */
  readonly applied: readonly string[];
  /** Options that have changed and are in force after a restart; until then the old value is. */
  readonly needsRestart: readonly string[];
}

/**
 * What becomes of each section. `at-once`: its parts take the new value while they run. `at-restart`: an address that is
 * listened to, a session that must not end, or records that depend on the old value.
 */
const TAKEN: Readonly<Record<keyof Config, "at-once" | "at-restart" | "elsewhere">> = {
  dataDir: "at-restart",
  site: "at-restart",
  http: "at-restart",
  upstream: "at-once",
  mqtt: "at-restart",
  homeAssistant: "at-restart",
  gpio: "at-restart",
  objectives: "at-once",
  log: "at-once",
  metricsToken: "at-once",
  // Told zone by zone.
  zones: "elsewhere",
  file: "elsewhere",
  warnings: "elsewhere",
};

/** Names of options where the resolved configuration has others: it holds what a file holds, not the file's name. */
const OPTION_OF: Readonly<Record<string, readonly string[]>> = {
  "mqtt.mode": ["mqtt.url"],
  "mqtt.host": ["mqtt.listen.host"],
  "mqtt.port": ["mqtt.listen.port"],
  "mqtt.credentials": ["mqtt.username", "mqtt.passwordFile"],
  "upstream.password": ["upstream.passwordFile"],
  "upstream.ca": ["upstream.caFile"],
  metricsToken: ["metrics.tokenFile"],
};

/** @param running what is in force. @param next what the file says now */
export function changesOf(running: Config, next: Config): ConfigurationChanges {
  const changed = (how: "at-once" | "at-restart"): string[] =>
    (Object.keys(TAKEN) as (keyof Config)[])
      .filter((section) => TAKEN[section] === how)
      .flatMap((section) => changedOptions(section, running[section], next[section]));
  return {
    zones: zoneChanges(running.zones, next.zones),
    applied: changed("at-once"),
    needsRestart: changed("at-restart"),
  };
}

/** The sections of a configuration that are in force at once. */
export function atOnceOf(next: Config): Partial<Config> {
  const { zones, upstream, objectives, log, metricsToken, warnings } = next;
  return { zones, upstream, objectives, log, metricsToken, warnings };
}

function changedOptions(section: string, before: unknown, after: unknown): string[] {
  if (canonical(before) === canonical(after)) return [];
  if (!isSection(before) || !isSection(after)) return [...(OPTION_OF[section] ?? [section])];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const options = keys
    .filter((key) => canonical(before[key]) !== canonical(after[key]))
    .flatMap((key) => OPTION_OF[`${section}.${key}`] ?? [`${section}.${key}`]);
  return [...new Set(options)];
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
