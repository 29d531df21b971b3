import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { resolveProfiles, resolveZone } from "../domain/zone-rules.ts";
import {
  GPIO_DEFAULTS,
  HOME_ASSISTANT_DEFAULTS,
  HTTP_DEFAULTS,
  LOG_DEFAULTS,
  SITE_DEFAULTS,
  UPSTREAM_DEFAULTS,
} from "../generated/defaults.ts";
import { FIRST_RUN_YAML } from "../generated/first-run.ts";
import type { Configuration, ZoneObjective } from "../generated/types.ts";
import { validateConfiguration } from "../generated/validators.js";
import type { Config, TlsConfig, UpstreamConfig } from "./config.ts";
import { environmentOverlay } from "./environment.ts";
import { semanticProblems, semanticWarnings } from "./semantic-checks.ts";
import { writtenNumberProblems } from "./messages.ts";
import { mqttOf } from "./mqtt.ts";
import { parseText, valueOf, type ConfigurationText } from "./parsed-text.ts";
import { Passwords } from "./passwords.ts";
import { configurationError } from "./problems.ts";
import { schemaProblems } from "./schema-problems.ts";
import { readText } from "./text-file.ts";

export interface LoadOptions {
  /** Path given on the command line. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Reads the configuration: the file, the environment over it, the defaults under it.
 * @throws AppError `configuration` with one line for each mistake, `no-input` when the named file cannot be read
 */
export function loadConfiguration(options: LoadOptions): Config {
  return readConfiguration(configurationText(options), options);
}

/** The text that would be loaded. @throws AppError `no-input` when the named file cannot be read */
export function configurationText(options: LoadOptions): ConfigurationText {
  const file = findFile(options);
  return { file, text: file === null ? FIRST_RUN_YAML : readText(file, "the configuration") };
}

/**
 * Makes the configuration out of its text.
 * @param options passwordsMayBeMissing: a password that cannot be read is a warning, and empty
 * @throws AppError `configuration` with one line for each mistake
 */
export function readConfiguration(
  source: ConfigurationText,
  options: LoadOptions & { readonly passwordsMayBeMissing?: boolean },
): Config {
  const { file } = source;
  const overlay = environmentOverlay(options.env);
  const parsed = parseText(source, overlay);
  const value: unknown = valueOf(parsed);
  if (!validateConfiguration(value))
    throw configurationError(parsed, schemaProblems(validateConfiguration.errors ?? [], value));
  const folder = file === null ? options.cwd : dirname(file);
  const passwords = new Passwords(folder, options.env["CREDENTIALS_DIRECTORY"]);
  const missing = passwords.check(value);
  const problems = [
    ...semanticProblems(value),
    ...writtenNumberProblems(parsed),
    ...(options.passwordsMayBeMissing === true ? [] : missing),
  ];
  if (problems.length > 0) throw configurationError(parsed, problems);
  const warnings = [
    ...overlay.warnings,
    ...parsed.warnings,
    ...semanticWarnings(value),
    ...passwords.warnings,
    ...missing.map(({ message }) => message),
  ];
  return resolved(value, { file, folder, env: options.env, passwords, warnings });
}

/** Which file is used: the named one, else the first that is there; null when there is none. */
export function findFile({ file, env, cwd }: LoadOptions): string | null {
  const named = file ?? env["SANTINELA_CONFIG"];
  if (named !== undefined) return resolve(cwd, named);
  return [SYSTEM_FILE, personalFile(env)].find((path) => existsSync(path)) ?? null;
}

/** Where a configuration is looked for that is not there yet: the system's for root, else the user's own. */
export function fileToMake({ env }: Pick<LoadOptions, "env">): string {
  return process.getuid?.() === 0 ? SYSTEM_FILE : personalFile(env);
}

const SYSTEM_FILE = "/etc/santinela/santinela.yaml";

function personalFile(env: LoadOptions["env"]): string {
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "santinela", "santinela.yaml");
}

interface Surroundings {
  readonly file: string | null;
  readonly folder: string;
  readonly env: LoadOptions["env"];
  readonly passwords: Passwords;
  readonly warnings: readonly string[];
}

function resolved(value: Configuration, { file, folder, env, passwords, warnings }: Surroundings): Config {
  const profiles = resolveProfiles(value.profiles ?? {});
  const stateDirectory = env["STATE_DIRECTORY"]?.split(":")[0];
  return {
    file,
    dataDir:
      value.dataDir === undefined ? (stateDirectory ?? join(folder, "var")) : resolve(folder, value.dataDir),
    site: { ...SITE_DEFAULTS, ...value.site },
    http: { ...HTTP_DEFAULTS, corsOrigins: [], hosts: [], ...value.http, tls: tlsOf(value.http, folder) },
    upstream: value.upstream ? upstreamOf(value.upstream, folder, passwords) : null,
    mqtt: mqttOf(value.mqtt ?? {}, folder, passwords),
    homeAssistant: { ...HOME_ASSISTANT_DEFAULTS, ...value.homeAssistant },
    gpio: { ...GPIO_DEFAULTS, ...value.gpio },
    objectives: value.objectives ?? {},
    zones: (value.zones ?? []).flatMap(
      (zone) => resolveZone(zone, profiles, objectiveNameOf(value, zone.objective)) ?? [],
    ),
    log: { ...LOG_DEFAULTS, ...value.log },
    metricsToken: passwords.metricsToken ?? null,
    warnings,
  };
}

function objectiveNameOf({ objectives }: Configuration, { type, id }: ZoneObjective): string | undefined {
  return objectives?.[type]?.find((objective) => objective.id === id)?.name;
}

function tlsOf(http: Configuration["http"], folder: string): TlsConfig {
  const tls = http?.tls ?? HTTP_DEFAULTS.tls;
  if (typeof tls === "string") return { mode: tls };
  return { mode: "files", certFile: resolve(folder, tls.certFile), keyFile: resolve(folder, tls.keyFile) };
}

function upstreamOf(
  upstream: NonNullable<Configuration["upstream"]>,
  folder: string,
  passwords: Passwords,
): UpstreamConfig {
  const { passwordFile: _read, caFile, ...options } = upstream;
  const ca = caFile === undefined ? undefined : readText(resolve(folder, caFile), "the authority");
  return { ...UPSTREAM_DEFAULTS, ...options, password: passwords.upstream ?? "", ca };
}
