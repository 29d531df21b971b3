/** When the machine is powered off on battery. */
export interface OnBatteryConfig {
  /** Zone that is open without mains. */
  readonly mains: string;
  /** Zone that is open when the battery is nearly empty; null without one. */
  readonly batteryLow: string | null;
  /** Time without mains until the machine is powered off; null: only at a low battery. */
  readonly powerOffAfterMs: number | null;
}
