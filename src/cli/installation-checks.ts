import { accessSync, constants, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { messageOf } from "../domain/errors.ts";
import { FULL_BYTES, freeBytes, NEARLY_FULL_BYTES } from "../ops/reserve-file.ts";
import { addonWarning, hostOf } from "../ops/host.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { fileProblems } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { certificateChecks } from "./certificate-checks.ts";
import type { CheckResult } from "./check-result.ts";

/** Power supply state of the Raspberry Pi firmware; bit 0 is now, bit 16 is since boot. */
const THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled";

/** Checks of the machine and its files; they work whether the daemon runs or not. */
export async function installationChecks(config: Config): Promise<CheckResult[]> {
  return [
    ...configurationChecks(config),
    ...addonChecks(),
    ...databaseChecks(config),
    ...secretChecks(config),
    clockCheck(),
    ...certificateChecks(config, new SystemClock().wallMs()),
    ...gpioChecks(config),
    ...supplyChecks(),
    ...(await serviceChecks()),
  ];
}

function configurationChecks({ file, warnings, zones }: Config): CheckResult[] {
  const check = "Configuration";
  if (warnings.length > 0) return warnings.map((text) => ({ check, status: "warning", text }));
  return [{ check, status: "ok", text: `${file ?? "embedded"}, ${zones.length} zones` }];
}

function addonChecks(): CheckResult[] {
  const warning = addonWarning();
  return warning === undefined ? [] : [{ check: "Node.js", status: "error", text: warning }];
}

function databaseChecks({ dataDir }: Config): CheckResult[] {
  if (!existsSync(join(dataDir, "santinela.db")))
    return [
      {
        check: "Databases",
        status: "warning",
        text: `none in ${dataDir} yet`,
        remedy: "They are created at the first start. If some should exist, check dataDir.",
      },
    ];
  const problems = (["santinela", "journal"] as const).flatMap((name) => {
    const kind = name === "journal" ? JOURNAL_DATABASE : MAIN_DATABASE;
    return fileProblems(join(dataDir, `${name}.db`), kind, "quick").map((text) => `${name}.db: ${text}`);
  });
  const free = freeBytes(dataDir);
  const disk = { check: "Disk", text: `${Math.round(free / 1_048_576)} MB free below ${dataDir}` };
  const remedy =
    free >= FULL_BYTES
      ? "Free space on that disk."
      : "Free space on that disk. Until then new records of low and medium priority are rejected.";
  return [
    problems.length === 0
      ? { check: "Databases", status: "ok", text: "no damage found" }
      : {
          check: "Databases",
          status: "error",
          text: problems.join("; "),
          remedy: "Restart the daemon: it recovers a damaged database as far as possible. Check the disk.",
        },
    free >= NEARLY_FULL_BYTES
      ? { ...disk, status: "ok" }
      : { ...disk, status: free >= FULL_BYTES ? "warning" : "error", remedy },
  ];
}

function secretChecks({ dataDir }: Config): CheckResult[] {
  const folder = join(dataDir, "secrets");
  if (!existsSync(folder)) return [];
  const check = "Secrets";
  try {
    const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
    if (open.length === 0) return [{ check, status: "ok", text: "not readable by other users" }];
    const paths = open.map((name) => join(folder, name)).join(" ");
    return [
      { check, status: "error", text: `readable by other users: ${paths}`, remedy: `chmod 600 ${paths}` },
    ];
  } catch (error) {
    return [
      {
        check,
        status: "warning",
        text: messageOf(error),
        remedy: "Run the command as root or as the service's user.",
      },
    ];
  }
}

function clockCheck(): CheckResult {
  const clock = new SystemClock();
  const now = new Date(clock.wallMs()).toISOString();
  return hostOf(clock, () => "").time.isTrusted()
    ? { check: "Clock", status: "ok", text: now }
    : {
        check: "Clock",
        status: "warning",
        text: `${now}, not synchronised with a time server yet; interventions have no start time until then`,
        remedy: "timedatectl timesync-status",
      };
}

function gpioChecks({ zones, gpio }: Config): CheckResult[] {
  const gpioZones = zones.filter(({ input }) => input.source === "gpio").length;
  if (gpioZones === 0 || gpio.backend === "simulated") return [];
  const check = "GPIO";
  const chips = readdirSync("/dev").filter((name) => name.startsWith("gpiochip"));
  if (chips.length === 0)
    return [
      {
        check,
        status: "error",
        text: `${gpioZones} zones use GPIO, but this machine has no GPIO chip`,
        remedy: "On a machine without GPIO, set gpio.backend: simulated.",
      },
    ];
  const closed = chips.filter((name) => !canUse(join("/dev", name)));
  if (closed.length === 0) return [{ check, status: "ok", text: `${chips.join(", ")}, ${gpioZones} zones` }];
  return [
    {
      check,
      status: "warning",
      text: `permission denied for ${closed.join(", ")}`,
      remedy: "Add the service's user to the group gpio: usermod -aG gpio santinela",
    },
  ];
}

function canUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function supplyChecks(): CheckResult[] {
  if (!existsSync(THROTTLED)) return [];
  const bits = Number.parseInt(readFileSync(THROTTLED, "utf8"), 16);
  const check = "Supply";
  if ((bits & 0x1_0001) === 0) return [{ check, status: "ok", text: "no under-voltage since boot" }];
  return [
    {
      check,
      status: "error",
      text: (bits & 1) === 0 ? "under-voltage since boot" : "under-voltage now",
      remedy: "Use a better power supply and cable: under-voltage damages cards and databases.",
    },
  ];
}

/** No result without systemd. */
function serviceChecks(): Promise<CheckResult[]> {
  if (!existsSync("/run/systemd/system")) return Promise.resolve([]);
  return new Promise((resolve) => {
    execFile("systemctl", ["is-enabled", "santinela"], { timeout: 10_000 }, (_error, stdout) => {
      const state = stdout.trim() || "not installed";
      resolve([
        state === "enabled"
          ? { check: "Service", status: "ok", text: "starts with the machine" }
          : {
              check: "Service",
              status: "warning",
              text: `does not start with the machine (${state})`,
              remedy: "systemctl enable --now santinela",
            },
      ]);
    });
  });
}
