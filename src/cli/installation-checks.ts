import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { lastGoodAtMs } from "../config/last-good.ts";
import { hasHadDatabases } from "../ops/databases.ts";
import { FULL_BYTES, freeBytes, NEARLY_FULL_BYTES } from "../ops/reserve-file.ts";
import { addonWarning } from "../ops/host.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { certificateFromFiles, ownCertificateIfThere, type ServerCertificate } from "../ops/certificates.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { fileProblems } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { error, failed, ok, warning, type CheckResult } from "./check-result.ts";
import { converterChecks } from "./converter-checks.ts";
import { gpioChecks } from "./gpio-checks.ts";
import { localTime } from "./local-time.ts";
import { machineChecks } from "./machine-checks.ts";
import { sharedDatabaseChecks } from "./shared-database-checks.ts";
import { counted } from "../domain/headline-text.ts";

/**
 * Checks of the machine and its files; they work whether the daemon runs or not.
 * @param fault errors of the file, one per line, if `config` is the last good configuration; otherwise null
 */
export async function installationChecks(config: Config, fault: string | null): Promise<CheckResult[]> {
  return [
    ...(fault === null ? configurationChecks(config) : faultChecks(config, fault)),
    ...addonChecks(),
    ...(config.database === null ? databaseChecks(config) : await sharedDatabaseChecks(config.database)),
    ...secretChecks(config),
    ...certificateChecks(config, new SystemClock().wallMs()),
    ...(await gpioChecks(config)),
    ...(await converterChecks(config)),
    ...(await machineChecks(config)),
  ];
}

function configurationChecks({ file, warnings, zones, dataDir }: Config): CheckResult[] {
  const check = "Configuration";
  if (file === null && lastGoodAtMs(dataDir) !== undefined)
    return [
      error(
        check,
        `no file was found, so the demonstration of a first try would run on the data of an installation, ${dataDir}`,
        "Restore the file, or name it with --config or SANTINELA_CONFIG. Its last text is last-good.yaml in that directory.",
      ),
    ];
  if (warnings.length > 0) return warnings.map((text) => warning(check, text));
  return [ok(check, `${file ?? "embedded"}, ${counted(zones.length, "zone")}`)];
}

/** The daemon runs on, but not with what the file says. */
function faultChecks({ zones }: Config, fault: string): CheckResult[] {
  const check = "Configuration";
  const remedy = "Correct the file, then santinela check-config and santinela reload.";
  return [
    ...fault.split("\n").map((text) => error(check, text, remedy)),
    warning(check, `until then the last good configuration is used, with ${counted(zones.length, "zone")}`),
  ];
}

function addonChecks(): CheckResult[] {
  const text = addonWarning();
  return text === undefined ? [] : [error("Node.js", text)];
}

function databaseChecks({ dataDir }: Config): CheckResult[] {
  if (!existsSync(join(dataDir, "santinela.db")))
    return [
      warning(
        "Databases",
        `none in ${dataDir} yet`,
        "They are created at the first run. If some should exist, check dataDir.",
      ),
    ];
  return [...fileChecks(dataDir), diskCheck(dataDir)];
}

function fileChecks(dataDir: string): CheckResult[] {
  const check = "Databases";
  // `init` and `restore` create only santinela.db. Once a daemon has started, a missing journal is lost.
  const isBeforeStart = !existsSync(join(dataDir, "journal.db")) && !hasHadDatabases(dataDir);
  const names = isBeforeStart ? (["santinela"] as const) : (["santinela", "journal"] as const);
  try {
    const problems = names.flatMap((name) => {
      const kind = name === "journal" ? JOURNAL_DATABASE : MAIN_DATABASE;
      return fileProblems(join(dataDir, `${name}.db`), kind, "quick").map((text) => `${name}.db: ${text}`);
    });
    const repair = "Restart the daemon: it recovers a damaged database as far as possible. Check the disk.";
    if (problems.length > 0) return [error(check, problems.join("; "), repair)];
    if (!isBeforeStart) return [ok(check, "no damage found")];
    return [
      warning(
        check,
        "no journal.db yet: it is created at the first start",
        "If this installation has run before, check dataDir.",
      ),
    ];
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return [failed(check, cause, warning)];
  }
}

function diskCheck(dataDir: string): CheckResult {
  const free = freeBytes(dataDir);
  const text = `${Math.round(free / 1_048_576)} MB free below ${dataDir}`;
  if (free >= NEARLY_FULL_BYTES) return ok("Disk", text);
  const remedy = "Free space on that disk.";
  if (free >= FULL_BYTES) return warning("Disk", text, remedy);
  return error("Disk", text, `${remedy} Until then new records of low and medium priority are rejected.`);
}

function secretChecks({ dataDir }: Config): CheckResult[] {
  const folder = join(dataDir, "secrets");
  if (!existsSync(folder)) return [];
  const check = "Secrets";
  try {
    const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
    if (open.length === 0) return [ok(check, "not readable by other users")];
    const paths = open.map((name) => join(folder, name)).join(" ");
    return [error(check, `readable by other users: ${paths}`, `chmod 600 ${paths}`)];
  } catch (cause) {
    return [warning(check, messageOf(cause), "Run the command as root or as the service's user.")];
  }
}

/**
 * Checks whether clients can accept the certificate of the local API now; no result without a certificate.
 * @param nowMs milliseconds since 1970
 */
export function certificateChecks({ dataDir, http: { tls }, site }: Config, nowMs: number): CheckResult[] {
  const check = "Certificate";
  if (tls.mode === "off") return [];
  let certificate: ServerCertificate | undefined;
  try {
    certificate =
      tls.mode === "files" ? certificateFromFiles(tls.certFile, tls.keyFile) : ownCertificateIfThere(dataDir);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return [failed(check, cause)];
  }
  if (!certificate) return [];
  const { validFromMs, validUntilMs, authority } = certificate;
  const fromMs = Math.max(validFromMs, authority?.validFromMs ?? 0);
  const timeText = (ms: number) => localTime(ms, site.timezone);
  const isOwn = tls.mode === "own";
  if (fromMs > nowMs)
    return [
      error(
        check,
        `not valid before ${timeText(fromMs)}: it was issued while the clock was wrong`,
        isOwn
          ? "Set the clock (timedatectl timesync-status); the running daemon or santinela cert then issues it again."
          : "Set the clock or renew the files of http.tls.",
      ),
    ];
  if (validUntilMs > nowMs) return [ok(check, `valid until ${timeText(validUntilMs)}`)];
  return [
    error(
      check,
      `expired at ${timeText(validUntilMs)}`,
      isOwn ? "santinela cert" : "Renew the files of http.tls.",
    ),
  ];
}
