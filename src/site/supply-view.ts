import type { Contact } from "../domain/zone.ts";

/** The most serious first: `battery-low` and `on-battery` without mains, `charging` a low battery with mains. */
export type SupplyState =
  | "battery-low"
  | "on-battery"
  | "under-voltage"
  | "unknown"
  | "charging"
  | "sufficient";

/** The power supply, as the zones of type power show it. */
export interface SupplyView {
  readonly state: SupplyState;
  /** After this time without mains the machine is powered off; null: not after a time. */
  readonly powerOffAfterS: number | null;
  /** In the order of the configuration. */
  readonly zones: readonly SupplyZoneView[];
}

/** A zone of type power. */
export interface SupplyZoneView {
  readonly id: string;
  readonly name: string;
  /** `battery`: whether the battery of `onBattery` is nearly empty. `voltage`: whether that of a Raspberry Pi is too low. */
  readonly watches: "mains" | "battery" | "voltage";
  /** `open`: lost, nearly empty or too low. */
  readonly contact: Contact;
  /** ISO 8601 UTC; null before the first reading. */
  readonly since: string | null;
}
