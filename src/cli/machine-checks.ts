import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { formatConditionMessage } from "../domain/condition.ts";
import { quarantineBytes } from "../ops/database-files.ts";
import { isClockTrusted } from "../ops/host.ts";
import { returnedRelease } from "../ops/returned-release.ts";
import { supplyState, type SupplyState } from "../ops/supply.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { volatileStorage } from "../ops/volatile-storage.ts";
import { error, ok, warning, type CheckResult } from "./check-result.ts";
import { localTime } from "./local-time.ts";
import { documentationPage } from "./shipped-files.ts";
import { unitOf } from "./service-unit.ts";

/** Checks of the machine itself: clock, storage, power supply, start of the service. */
export async function machineChecks(config: Config): Promise<CheckResult[]> {
  const { dataDir, file, site } = config;
  return [
    await clockCheck(site.timezone),
    ...storageChecks(dataDir, file),
    ...quarantineChecks(dataDir),
    ...releaseChecks(),
    ...supplyChecks(supplyState()),
    ...(await serviceChecks(unitOf(config))),
  ];
}

async function clockCheck(timeZone: string): Promise<CheckResult> {
  const clock = new SystemClock();
  const now = localTime(clock.wallMs(), timeZone);
  if (await isClockTrusted(clock)) return ok("Clock", now);
  return warning(
    "Clock",
    `${now}, not synchronised with a time server yet; interventions have no start time until then`,
    "timedatectl (System clock synchronized), or chronyc tracking",
  );
}

function storageChecks(dataDir: string, file: string | null): CheckResult[] {
  const [code, values] = volatileStorage(dataDir, file) ?? [];
  if (code === undefined || values === undefined) return [];
  return [
    error(
      "Storage",
      formatConditionMessage(code, values),
      `See ${code} in ${documentationPage("operating.md")}.`,
    ),
  ];
}

/** No result without replaced databases. */
function quarantineChecks(dataDir: string): CheckResult[] {
  const megabytes = Math.ceil(quarantineBytes(dataDir) / 1_048_576);
  if (megabytes === 0) return [];
  const remedy = `Each directory in ${join(dataDir, "quarantine")} is from one recovery or restore: move those that are not needed.`;
  return [(megabytes < QUARANTINE_MB_MAX ? ok : warning)("Quarantine", `${megabytes} MB`, remedy)];
}

/** From here on replaced databases are a visible part of a small card. */
const QUARANTINE_MB_MAX = 500;

function releaseChecks(): CheckResult[] {
  const version = returnedRelease();
  if (version === undefined) return [];
  const text = formatConditionMessage("release-returned", { version });
  return [error("Release", text, `See release-returned in ${documentationPage("operating.md")}.`)];
}

/**
 * The power supply.
 * @param state undefined on a machine other than a Raspberry Pi, which has no result
 */
export function supplyChecks(state: SupplyState | undefined): CheckResult[] {
  if (state === undefined) return [];
  const check = "Supply";
  if (state === "sufficient") return [ok(check, "no under-voltage since boot")];
  if (state === "sufficient-now") return [ok(check, "no under-voltage now")];
  if (state === "unknown")
    return [warning(check, "this kernel does not report under-voltage", "vcgencmd get_throttled")];
  return [
    error(
      check,
      state === "under-voltage-now" ? "under-voltage now" : "under-voltage since boot",
      "Use a better power supply and cable: under-voltage damages cards and databases.",
    ),
  ];
}

/** No result without systemd. */
async function serviceChecks(unit: string): Promise<CheckResult[]> {
  if (!existsSync("/run/systemd/system")) return [];
  const state = await new Promise<string>((resolve) => {
    execFile("systemctl", ["is-enabled", unit], { timeout: 10_000 }, (_error, stdout) =>
      resolve(stdout.trim() || "not installed"),
    );
  });
  if (state === "enabled") return [ok("Service", "starts with the machine")];
  const remedy = `systemctl enable --now ${unit}`;
  return [warning("Service", `does not start with the machine (${state})`, remedy)];
}
