import {
  GPIO_DEFAULTS,
  HTTP_DEFAULTS,
  LOG_DEFAULTS,
  MQTT_LISTEN_DEFAULTS,
  SITE_DEFAULTS,
  UPSTREAM_DEFAULTS,
} from "../generated/defaults.ts";
import type { Configuration } from "../generated/types.ts";
import { environmentOverlay } from "./environment.ts";
import { parseText, readConfiguration, type ConfigurationText, type LoadOptions } from "./load.ts";
import { pathText, sourceText } from "./problems.ts";

/** One option as it is in force, and where it was said. */
export interface EffectiveOption {
  /** As in docs/configuration.md, such as `http.port` or `zones[0].input.gpio`. */
  readonly option: string;
  readonly value: unknown;
  /** `file:line:col`, the name of an environment variable, or `default`. */
  readonly source: string;
}

/** The texts that a running daemon's options come from: that of the last reload, and for some that of its start. */
export class TextsInForce {
  readonly #started: ConfigurationText;
  readonly #options: LoadOptions;
  #now: ConfigurationText;
  #needsRestart: readonly string[] = [];

  constructor(started: ConfigurationText, options: LoadOptions) {
    this.#started = started;
    this.#now = started;
    this.#options = options;
  }

  /** @param needsRestart options that are still as they were at the start */
  taken(text: ConfigurationText, needsRestart: readonly string[]): void {
    this.#now = text;
    this.#needsRestart = needsRestart;
  }

  /** Every option in force. @throws AppError as `effectiveOptions` */
  options(): EffectiveOption[] {
    const now = effectiveOptions(this.#now, this.#options);
    if (this.#needsRestart.length === 0) return now;
    const isOld = ({ option }: EffectiveOption): boolean =>
      this.#needsRestart.some(
        (name) => option === name || (/^[.[]/.test(option.slice(name.length)) && option.startsWith(name)),
      );
    const before = effectiveOptions(this.#started, this.#options);
    return [...now.filter((option) => !isOld(option)), ...before.filter(isOld)];
  }
}

type Path = readonly (string | number)[];

/**
 * Every option in force: first what was said, in the file's order, then what was left to its default. Passwords are
 * not among them: the configuration only names their files.
 * @throws AppError as `readConfiguration`
 */
export function effectiveOptions(source: ConfigurationText, options: LoadOptions): EffectiveOption[] {
  const { dataDir } = readConfiguration(source, { ...options, passwordsMayBeMissing: true });
  const parsed = parseText(source, environmentOverlay(options.env));
  const value = (parsed.document.toJS() ?? {}) as Configuration;
  const given = leavesOf(value);
  const names = given.map(({ path }) => pathText(path));
  const isSaid = (name: string): boolean =>
    names.some((said) => said === name || said.startsWith(`${name}.`) || said.startsWith(`${name}[`));
  const fromSystemd = options.env["STATE_DIRECTORY"] !== undefined;
  const defaults = leavesOf(defaultsFor(value))
    .map((leaf) => ({ option: pathText(leaf.path), value: leaf.value, source: "default" }))
    .filter(({ option }) => !isSaid(option));
  return [
    ...given.map((leaf) => ({
      option: pathText(leaf.path),
      value: leaf.value,
      source: sourceText(parsed, leaf.path),
    })),
    ...(isSaid("dataDir")
      ? []
      : [{ option: "dataDir", value: dataDir, source: fromSystemd ? "STATE_DIRECTORY" : "default" }]),
    ...defaults,
  ];
}

/** The defaults of the sections that are in force. */
function defaultsFor({ upstream, mqtt = {} }: Configuration): object {
  return {
    site: SITE_DEFAULTS,
    http: { ...HTTP_DEFAULTS, corsOrigins: [], hosts: [] },
    ...(upstream ? { upstream: UPSTREAM_DEFAULTS } : {}),
    ...(mqtt === "off" || mqtt.url !== undefined ? {} : { mqtt: { listen: MQTT_LISTEN_DEFAULTS } }),
    gpio: GPIO_DEFAULTS,
    log: LOG_DEFAULTS,
  };
}

/** Every value that is no section; a list of plain values is one. */
function leavesOf(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== "object");
  if (isPlainList) return [{ path, value }];
  const entries = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
