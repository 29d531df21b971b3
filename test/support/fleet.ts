import type { SiteReport } from "../../src/domain/site-report.ts";
import type { SilenceTimes } from "../../src/domain/site-silence.ts";

/** Sites without a report for ten minutes are silent. */
export const SILENCE: SilenceTimes = { silentS: 600, sites: {} };

/** The report of a site without faults. */
export const REPORT: SiteReport = {
  ref: "hala-nord",
  name: "Hala Nord",
  version: "0.1.0",
  at: Date.UTC(2026, 10, 20, 21, 30),
  upS: 3_600,
  level: "well",
  objective: "obiective/cladiri/1",
  compared: { ageS: 1_800, differing: 0 },
  diskFreeMb: 21_504,
};

/** The same report with the time of this machine, for a daemon with its clock. */
export function reportNow(): SiteReport {
  return { ...REPORT, at: Date.now() };
}
