import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { resolveProfiles, resolveZone } from "../domain/zone-rules.ts";
import { transmittersOf } from "./transmitter.ts";
import { reportSecondsOf, silentSecondsOf, type SilenceTimes } from "../domain/site-silence.ts";
import {
  FLEET_DEFAULTS,
  GPIO_DEFAULTS,
  HOME_ASSISTANT_DEFAULTS,
  HTTP_DEFAULTS,
  LOG_DEFAULTS,
  SITE_DEFAULTS,
  UPSTREAM_DEFAULTS,
} from "../generated/defaults.ts";
import { FIRST_CENTRE_YAML } from "../generated/first-centre.ts";
import { FIRST_RUN_YAML } from "../generated/first-run.ts";
import type { Configuration, ZoneObjective } from "../generated/types.ts";
import { validateConfiguration } from "../generated/configuration-validator.js";
import type { Config, TlsConfig, UpstreamConfig } from "./config.ts";
import {
  directoriesUsedWith,
  directoryWarnings,
  SYSTEM_DATA,
  SYSTEM_FILE,
  SYSTEM_FILE_OF_CENTRE,
} from "./data-directories.ts";
import { environmentOverlay } from "./environment.ts";
import { lineWarnings } from "./line-checks.ts";
import { centreProblems, semanticProblems, semanticWarnings, siteProblems } from "./semantic-checks.ts";
import { writtenNumberProblems, writtenWordWarnings } from "./messages.ts";
import { AppError } from "../domain/errors.ts";
import { CertificateFiles } from "./certificate-files.ts";
import { dc09Of } from "./dc09.ts";
import { mqttOf } from "./mqtt.ts";
import { onBatteryOf } from "./on-battery.ts";
import { oneLine } from "./one-line.ts";
import { outputsOf } from "./outputs.ts";
import { parseText, readText, valueOf, type ConfigurationText } from "./parsed-text.ts";
import { Passwords } from "./passwords.ts";
import { databaseOf } from "./postgres.ts";
import { configurationError, writtenAt } from "./problems.ts";
import { schemaProblems } from "./schema-problems.ts";

export interface LoadOptions {
  /** Path from the command line. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /**
   * What runs with it. A dispatch centre has no inputs and no upstream, a site no shared database. Undefined for commands that serve
   * either: the configuration is then resolved as that of a site.
   */
  readonly role?: Config["role"] | undefined;
  /** Of a command that uses no password: whether a credential of systemd that it does not have is not missing. */
  readonly isElsewhere?: (credential: string) => boolean;
  /** Whether the site with this data directory has the name of an objective that is not in the file. */
  readonly knowsObjective?: (objective: ZoneObjective, dataDir: string) => boolean;
}

/**
 * Loads the configuration: the environment overrides the file, and the file overrides the defaults.
 * @throws AppError `configuration` with one line per error, `no-input` if a specified file cannot be read
 */
export function loadConfiguration(options: LoadOptions): Config {
  return readConfiguration(configurationText(options), options);
}

/** Reads the text of the configuration. @throws AppError `no-input` if a specified file cannot be read */
export function configurationText(options: LoadOptions): ConfigurationText {
  const file = findFile(options);
  const embedded = options.role === "centre" ? FIRST_CENTRE_YAML : FIRST_RUN_YAML;
  return { file, text: file === null ? embedded : readText(file, "the configuration") };
}

/**
 * Parses and validates a configuration text.
 * @param options allowMissingFiles: a password or certificate whose file cannot be used is missing, which causes a warning
 * @throws AppError `configuration` with one line per error
 */
export function readConfiguration(
  source: ConfigurationText,
  options: LoadOptions & { readonly allowMissingFiles?: boolean },
): Config {
  const { file } = source;
  const overlay = environmentOverlay(options.env);
  const parsed = parseText(source, overlay);
  const value: unknown = valueOf(parsed);
  if (!validateConfiguration(value))
    throw configurationError(
      parsed,
      schemaProblems(validateConfiguration.errors ?? [], value, (path) => writtenAt(parsed, path)),
    );
  const folder = file === null ? options.cwd : dirname(file);
  const passwords = new Passwords(value, folder, options.env["CREDENTIALS_DIRECTORY"], options.isElsewhere);
  const certificates = new CertificateFiles(value, folder);
  const ofFiles = [...certificates.problems, ...passwords.problems];
  const problems = [
    ...semanticProblems(value),
    ...writtenNumberProblems(parsed),
    ...(options.role === "centre" ? centreProblems(value) : []),
    ...(options.role === "site" ? siteProblems(value) : []),
    ...(options.allowMissingFiles === true ? [] : ofFiles),
  ];
  if (problems.length > 0) throw configurationError(parsed, problems);
  const dataDir =
    value.dataDir === undefined ? defaultDataDir(file, options) : resolve(folder, value.dataDir);
  const warnings = [
    ...overlay.warnings,
    ...parsed.warnings,
    ...writtenWordWarnings(parsed),
    ...semanticWarnings(value, (objective) => options.knowsObjective?.(objective, dataDir) === true),
    ...directoryWarnings(file, dataDir),
    // A first run without a file is a trial.
    ...(file === null ? [] : lineWarnings(value)),
    ...passwords.warnings,
    ...ofFiles.map(({ message }) => message),
  ];
  const sections = {
    ...resolvedSections(value, folder, passwords, certificates),
    database: databaseOf(value, passwords.database, certificates.database),
  };
  // A centre has no inputs: the built-in broker does not start, and no line is opened.
  const own = options.role === "centre" ? ({ mqtt: { mode: "off" } } as const) : {};
  return { file, role: options.role ?? "site", dataDir, warnings, ...sections, ...own };
}

/** Commands and the daily backup find the data of the system's site and centre where their units keep them. */
function defaultDataDir(file: string | null, { env, cwd }: LoadOptions): string {
  const folder = file === null ? cwd : dirname(file);
  const ofUnit = file === null ? undefined : SYSTEM_DATA.get(file);
  return env["STATE_DIRECTORY"]?.split(":")[0] ?? ofUnit ?? join(folder, "var");
}

/**
 * The specified file, otherwise the first existing default, otherwise the first default with which a daemon has run here: a lost
 * file must not make the demonstration of a first run out of a site. Null if there is none.
 * @throws AppError `no-permission` if this user may not see whether a default exists: the next one would be another installation
 */
export function findFile({ file, env, cwd, role }: LoadOptions): string | null {
  const named = file ?? env["SANTINELA_CONFIG"];
  if (named !== undefined) return resolve(cwd, named);
  // A site and a centre may run on one machine.
  const defaults =
    role === "centre"
      ? [SYSTEM_FILE_OF_CENTRE, personalFile(env, "centre.yaml")]
      : [SYSTEM_FILE, personalFile(env)];
  const hasRun = (path: string): boolean => directoriesUsedWith(path, { env }).length > 0;
  return defaults.find((path) => isThere(path, env)) ?? defaults.find(hasRun) ?? null;
}

function isThere(path: string, env: LoadOptions["env"]): boolean {
  try {
    statSync(path);
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    // Its reading reports any other fault. A service has only the file of the system, and a last good configuration to run without it.
    if (code !== "EACCES" || env["STATE_DIRECTORY"] !== undefined) return true;
    throw new AppError("no-permission", `permission denied for ${path}`, {
      hint: isOfSystem(path)
        ? "Run the command with sudo, or join the group santinela."
        : "Check the permissions of its folder, or specify another file with --config.",
      cause,
    });
  }
}

/** Whether it is a file that the package has installed, or its dispatch centre uses. */
function isOfSystem(path: string): boolean {
  return path === SYSTEM_FILE || path === SYSTEM_FILE_OF_CENTRE;
}

/** Default path of a new configuration: system-wide for root, otherwise the user's. */
export function newConfigFile({ env }: Pick<LoadOptions, "env">): string {
  return process.getuid?.() === 0 ? SYSTEM_FILE : personalFile(env);
}

function personalFile(env: LoadOptions["env"], name = "santinela.yaml"): string {
  return join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "santinela", name);
}

function resolvedSections(
  value: Configuration,
  folder: string,
  passwords: Passwords,
  certificates: CertificateFiles,
): Omit<Config, "file" | "role" | "dataDir" | "warnings" | "database"> {
  const profiles = resolveProfiles(value.profiles ?? {});
  return {
    site: { ...SITE_DEFAULTS, ...value.site, name: oneLine(value.site?.name ?? SITE_DEFAULTS.name) },
    http: { ...HTTP_DEFAULTS, corsOrigins: [], hosts: [], ...value.http, tls: tlsOf(value.http, folder) },
    upstream: value.upstream ? upstreamOf(value.upstream, passwords, certificates.upstream) : null,
    upstreams: transmittersOf(value, passwords),
    mqtt: mqttOf(value.mqtt ?? {}, certificates.mqtt, passwords),
    homeAssistant: { ...HOME_ASSISTANT_DEFAULTS, ...value.homeAssistant },
    gpio: { ...GPIO_DEFAULTS, ...value.gpio },
    dc09: value.dc09 ? dc09Of(value, value.dc09, passwords, profiles) : null,
    outputs: outputsOf(value),
    onBattery: onBatteryOf(value),
    objectives: value.objectives ?? {},
    zones: (value.zones ?? []).flatMap((zone) =>
      zone.disabled === true
        ? []
        : (resolveZone(
            { ...zone, name: oneLine(zone.name) },
            profiles,
            objectiveNameOf(value, zone.objective),
          ) ?? []),
    ),
    log: { ...LOG_DEFAULTS, ...value.log },
    metricsToken: passwords.metricsToken ?? null,
    fleet: fleetOf(value),
  };
}

function fleetOf({
  fleet: { silentS = FLEET_DEFAULTS.silentS, sites = {} } = {},
}: Configuration): SilenceTimes {
  const own = Object.entries(sites).map(([ref, site]) => [ref, silentSecondsOf(site.silentS)] as const);
  return { silentS: silentSecondsOf(silentS), sites: Object.fromEntries(own) };
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
  passwords: Passwords,
  ca: string | undefined,
): UpstreamConfig {
  const {
    passwordFile: _passwordFile,
    caFile: _caFile,
    reportS = UPSTREAM_DEFAULTS.reportS,
    ...options
  } = upstream;
  const resolved = { reportS: reportSecondsOf(reportS), password: passwords.upstream ?? "", ca };
  return { ...UPSTREAM_DEFAULTS, ...options, ...resolved };
}
