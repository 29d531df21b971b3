import type { Battery, MqttInput } from "../generated/types.ts";
import { isOneOf, type Scalar } from "../domain/plain-value.ts";
import type { AvailabilitySource } from "../domain/zone-status-sources.ts";
import type { Contact } from "../domain/zone.ts";

/**
 * Contact state for a value. Comparison is tolerant, because devices write the same value in many ways: text ignores
 * case, numbers and booleans compare by value. A missing value, null, a list or object, or a sentinel is `unknown`: a
 * sign of life without a trip or restore.
 */
export function contactOf(
  { open, normal }: Pick<MqttInput, "open" | "normal">,
  value: Scalar | undefined,
): Contact {
  if (value === undefined) return "unknown";
  if (isOneOf(open, value)) return "open";
  if (normal !== undefined) return isOneOf(normal, value) ? "normal" : "unknown";
  return isOneOf(SENTINELS, value) ? "unknown" : "normal";
}

/** Whether a battery is low; undefined when the value does not tell. */
export function batteryOf({ low, below }: Battery, value: Scalar | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (low !== undefined && isOneOf(low, value)) return true;
  const percent = typeof value === "boolean" ? NaN : Number(String(value).trim().replace(/\s*%$/, "") || NaN);
  if (below !== undefined) return percent >= 0 && percent <= 100 ? percent < below : undefined;
  return isOneOf(SENTINELS, value) ? undefined : false;
}

/** Whether a sensor or bridge is available; undefined when the value does not tell. */
export function availabilityOf(
  { up, down }: Pick<AvailabilitySource, "up" | "down">,
  value: Scalar | undefined,
): boolean | undefined {
  if (value === undefined) return undefined;
  if (isOneOf(down, value)) return false;
  return isOneOf(up, value) ? true : undefined;
}

/** Placeholders of devices and bridges for unknown values; a rule that names one of them takes precedence. */
const SENTINELS: readonly Scalar[] = [
  999,
  -1,
  "unknown",
  "unavailable",
  "undefined",
  "none",
  "null",
  "nan",
  "n/a",
];
