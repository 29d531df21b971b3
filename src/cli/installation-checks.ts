import { accessSync, constants, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { messageOf } from "../domain/errors.ts";
import { addonWarning } from "../ops/addon-headers.ts";
import { freeBytes } from "../ops/reserve-file.ts";
import { hostOf } from "../ops/host.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { fileProblems } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { certificateFindings } from "./certificate-findings.ts";
import type { CheckResult } from "./check-result.ts";

/** As the daemon itself counts: below the first it warns, below the second it keeps the rest for alarms. */
const NEARLY_FULL_BYTES = 64 * 1_048_576;
const FULL_BYTES = 16 * 1_048_576;
/** The Raspberry Pi's firmware tells of its supply here; bit 0 is now, bit 16 since the start. */
const THROTTLED = "/sys/devices/platform/soc/soc:firmware/get_throttled";

/** What can be seen of an installation on its own machine, whether the daemon runs or not. */
export async function installationFindings(config: Config): Promise<CheckResult[]> {
  return [
    ...configurationFindings(config),
    ...addonFindings(),
    ...databaseFindings(config),
    ...secretFindings(config),
    clockFinding(),
    ...certificateFindings(config, new SystemClock().wallMs()),
    ...gpioFindings(config),
    ...supplyFindings(),
    ...(await serviceFindings()),
  ];
}

function configurationFindings({ file, warnings, zones }: Config): CheckResult[] {
  const check = "Configuration";
  if (warnings.length > 0) return warnings.map((text) => ({ check, status: "doubt", text }));
  return [{ check, status: "well", text: `${file ?? "the embedded one"}, ${zones.length} zones` }];
}

function addonFindings(): CheckResult[] {
  const warning = addonWarning();
  return warning === undefined ? [] : [{ check: "Node.js", status: "fault", text: warning }];
}

function databaseFindings({ dataDir }: Config): CheckResult[] {
  if (!existsSync(join(dataDir, "santinela.db")))
    return [
      {
        check: "Databases",
        status: "doubt",
        text: `there are none in ${dataDir} yet`,
        remedy: "They are made at the first start. If there should be some, check dataDir.",
      },
    ];
  const problems = (["santinela", "journal"] as const).flatMap((name) => {
    const kind = name === "journal" ? JOURNAL_DATABASE : MAIN_DATABASE;
    return fileProblems(join(dataDir, `${name}.db`), kind, "quick").map((text) => `${name}.db: ${text}`);
  });
  const free = freeBytes(dataDir);
  const disk = { check: "Disk", text: `${Math.round(free / 1_048_576)} MB free below ${dataDir}` };
  const remedy = "Remove what is not needed on that disk.";
  return [
    problems.length === 0
      ? { check: "Databases", status: "well", text: "every page can be read" }
      : {
          check: "Databases",
          status: "fault",
          text: problems.join("; "),
          remedy:
            "Restart the daemon: it puts a damaged database back as far as possible. Look after the disk.",
        },
    free >= NEARLY_FULL_BYTES
      ? { ...disk, status: "well" }
      : { ...disk, status: free >= FULL_BYTES ? "doubt" : "fault", remedy },
  ];
}

function secretFindings({ dataDir }: Config): CheckResult[] {
  const folder = join(dataDir, "secrets");
  if (!existsSync(folder)) return [];
  const check = "Secrets";
  try {
    const open = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);
    if (open.length === 0) return [{ check, status: "well", text: "closed to everybody else" }];
    const paths = open.map((name) => join(folder, name)).join(" ");
    return [{ check, status: "fault", text: `others may read ${paths}`, remedy: `chmod 600 ${paths}` }];
  } catch (error) {
    return [
      { check, status: "doubt", text: messageOf(error), remedy: "Run this as root or the service's user." },
    ];
  }
}

function clockFinding(): CheckResult {
  const clock = new SystemClock();
  const now = new Date(clock.wallMs()).toISOString();
  return hostOf(clock, () => "").time.isTrusted()
    ? { check: "Clock", status: "well", text: now }
    : {
        check: "Clock",
        status: "doubt",
        text: `${now}, and no time server has answered yet; interventions have no start until one does`,
        remedy: "timedatectl timesync-status",
      };
}

function gpioFindings({ zones, gpio }: Config): CheckResult[] {
  const wires = zones.filter(({ input }) => input.source === "gpio").length;
  if (wires === 0 || gpio.backend === "simulated") return [];
  const check = "GPIO";
  const chips = readdirSync("/dev").filter((name) => name.startsWith("gpiochip"));
  if (chips.length === 0)
    return [
      {
        check,
        status: "fault",
        text: `${wires} zones have a wire, and this machine has no GPIO`,
        remedy: "On a machine without wires set gpio.backend: simulated.",
      },
    ];
  const closed = chips.filter((name) => !mayUse(join("/dev", name)));
  if (closed.length === 0) return [{ check, status: "well", text: `${chips.join(", ")}, ${wires} zones` }];
  return [
    {
      check,
      status: "doubt",
      text: `this user may not use ${closed.join(", ")}`,
      remedy: "The service's user must be in the group gpio: usermod -aG gpio santinela",
    },
  ];
}

function mayUse(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function supplyFindings(): CheckResult[] {
  if (!existsSync(THROTTLED)) return [];
  const bits = Number.parseInt(readFileSync(THROTTLED, "utf8"), 16);
  const check = "Supply";
  if ((bits & 0x1_0001) === 0) return [{ check, status: "well", text: "no under-voltage since the start" }];
  return [
    {
      check,
      status: "fault",
      text: (bits & 1) === 0 ? "there was under-voltage since the start" : "there is under-voltage now",
      remedy: "Use a better power supply and cable: under-voltage damages cards and databases.",
    },
  ];
}

/** Nothing where systemd does not run. */
function serviceFindings(): Promise<CheckResult[]> {
  if (!existsSync("/run/systemd/system")) return Promise.resolve([]);
  return new Promise((resolve) => {
    execFile("systemctl", ["is-enabled", "santinela"], { timeout: 10_000 }, (_error, stdout) => {
      const state = stdout.trim() || "not installed";
      resolve([
        state === "enabled"
          ? { check: "Service", status: "well", text: "starts with the machine" }
          : {
              check: "Service",
              status: "doubt",
              text: `does not start with the machine (${state})`,
              remedy: "systemctl enable --now santinela",
            },
      ]);
    });
  });
}
