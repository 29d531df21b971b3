import type { OnBatteryConfig } from "../domain/on-battery.ts";
import type { SupplyState, SupplyView, SupplyZoneView } from "./supply-view.ts";
import type { ZoneView } from "./zone-view.ts";

/**
 * The power supply, from the zones that watch it.
 * @param onBattery when the machine is powered off; null if it is not
 * @returns null without such a zone
 */
export function supplyOf(zones: readonly ZoneView[], onBattery: OnBatteryConfig | null): SupplyView | null {
  const shown = zones
    .filter(({ kind }) => kind === "power")
    .map(({ id, name, source, contact, since }): SupplyZoneView => {
      if (id === onBattery?.batteryLow) return { id, name, watches: "battery", contact, since };
      return { id, name, watches: source === "supply" ? "voltage" : "mains", contact, since };
    });
  if (shown.length === 0) return null;
  return { state: stateOf(shown), powerOffAfterS: powerOffAfterS(onBattery), zones: shown };
}

/** The most serious state. A battery that is low with mains present is being charged. */
function stateOf(zones: readonly SupplyZoneView[]): SupplyState {
  const isOpen = (watched: SupplyZoneView["watches"]): boolean =>
    zones.some(({ watches, contact }) => watches === watched && contact === "open");
  if (isOpen("mains")) return isOpen("battery") ? "battery-low" : "on-battery";
  if (isOpen("voltage")) return "under-voltage";
  if (zones.some(({ contact }) => contact === "unknown")) return "unknown";
  return isOpen("battery") ? "charging" : "sufficient";
}

function powerOffAfterS(onBattery: OnBatteryConfig | null): number | null {
  const afterMs = onBattery?.powerOffAfterMs ?? null;
  return afterMs === null ? null : Math.round(afterMs / 1000);
}
