import {
  GPIO_DEFAULTS,
  HTTP_DEFAULTS,
  LOG_DEFAULTS,
  MQTT_LISTEN_DEFAULTS,
  SITE_DEFAULTS,
  UPSTREAM_DEFAULTS,
} from "../generated/defaults.ts";
import type { Configuration } from "../generated/types.ts";
import { withoutPassword } from "./database-url.ts";
import { environmentOverlay } from "./environment.ts";
import { readConfiguration, type LoadOptions } from "./load.ts";
import { parseText, valueOf, type ConfigurationText } from "./parsed-text.ts";
import { pathText, sourceText } from "./problems.ts";

/** An option in force with its source. */
export interface EffectiveOption {
  /** As in docs/configuration.md, for example `http.port` or `zones[0].input.gpio`. */
  readonly option: string;
  readonly value: unknown;
  /** `file:line:col`, the name of an environment variable, or `default`. */
  readonly source: string;
}

/** Sources of a running daemon's options: the text of the last reload, and the start text for options that need a restart. */
export class RunningOptionSources {
  readonly #startText: ConfigurationText;
  readonly #options: LoadOptions;
  #currentText: ConfigurationText;
  #needsRestart: readonly string[] = [];

  constructor(startText: ConfigurationText, options: LoadOptions) {
    this.#startText = startText;
    this.#currentText = startText;
    this.#options = options;
  }

  /** @param needsRestart options that keep their start value */
  applied(text: ConfigurationText, needsRestart: readonly string[]): void {
    this.#currentText = text;
    this.#needsRestart = needsRestart;
  }

  /** Every option in force. @throws AppError as `effectiveOptions` */
  options(): EffectiveOption[] {
    const current = effectiveOptions(this.#currentText, this.#options);
    if (this.#needsRestart.length === 0) return current;
    const isFromStart = ({ option }: EffectiveOption): boolean =>
      this.#needsRestart.some(
        (name) => option === name || (/^[.[]/.test(option.slice(name.length)) && option.startsWith(name)),
      );
    const atStart = effectiveOptions(this.#startText, this.#options);
    return [...current.filter((option) => !isFromStart(option)), ...atStart.filter(isFromStart)];
  }
}

type Path = readonly (string | number)[];

/**
 * All options in force: first the configured ones in the file's order, then the defaults. Passwords are not included: the
 * configuration only names their files.
 * @throws AppError as `readConfiguration`
 */
export function effectiveOptions(source: ConfigurationText, options: LoadOptions): EffectiveOption[] {
  const { dataDir } = readConfiguration(source, { ...options, allowMissingFiles: true });
  const parsed = parseText(source, environmentOverlay(options.env));
  const value = valueOf(parsed) as Configuration;
  const given = leavesOf(value);
  const names = given.map(({ path }) => pathText(path));
  const isConfigured = (name: string): boolean =>
    names.some((given) => given === name || given.startsWith(`${name}.`) || given.startsWith(`${name}[`));
  const fromSystemd = options.env["STATE_DIRECTORY"] !== undefined;
  const defaults = leavesOf(defaultsFor(value))
    .map((leaf) => ({ option: pathText(leaf.path), value: leaf.value, source: "default" }))
    .filter(({ option }) => !isConfigured(option));
  return [
    ...given.map((leaf) => ({
      option: pathText(leaf.path),
      value: shownValue(leaf),
      source: sourceText(parsed, leaf.path),
    })),
    ...(isConfigured("dataDir")
      ? []
      : [{ option: "dataDir", value: dataDir, source: fromSystemd ? "STATE_DIRECTORY" : "default" }]),
    ...defaults,
  ];
}

/** Defaults of the sections in force. */
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

/** A URL may contain a password. */
function shownValue({ path, value }: { readonly path: Path; readonly value: unknown }): unknown {
  return pathText(path) === "database" && typeof value === "string" ? withoutPassword(value) : value;
}

/** All values that are not sections; a list of scalars is one value. */
function leavesOf(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const isScalarList = Array.isArray(value) && value.every((item) => typeof item !== "object");
  if (isScalarList) return [{ path, value }];
  const entries = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
