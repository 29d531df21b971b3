import type { OnBatteryConfig } from "../domain/on-battery.ts";
import type { Configuration } from "../generated/types.ts";
import type { Report } from "./problems.ts";

/** Resolves the section; null without it. */
export function onBatteryOf({ onBattery }: Configuration): OnBatteryConfig | null {
  if (!onBattery) return null;
  const { mains, batteryLow = null, powerOffAfterS } = onBattery;
  return { mains, batteryLow, powerOffAfterMs: powerOffAfterS === undefined ? null : powerOffAfterS * 1000 };
}

/** Zones that are missing or of another kind, and a section that would never do anything. */
export function reportOnBattery({ onBattery, zones = [] }: Configuration, report: Report): void {
  if (!onBattery) return;
  const { mains, batteryLow, powerOffAfterS } = onBattery;
  for (const [option, id] of [
    ["mains", mains],
    ["batteryLow", batteryLow],
  ] as const) {
    const zone = zones.find((one) => one.id === id && one.disabled !== true);
    if (id === undefined || zone?.kind === "power") continue;
    const what = zone ? `zone ${id} is of kind ${zone.kind}` : `zone ${id} does not exist or is disabled`;
    report(["onBattery", option], `${what}. Use a zone of type power`);
  }
  if (batteryLow === mains)
    report(["onBattery", "batteryLow"], "the zones of mains and battery are the same. Use two zones");
  if (batteryLow === undefined && powerOffAfterS === undefined)
    report(["onBattery"], "set powerOffAfterS, batteryLow or both: without them nothing happens");
}
