import { bitsOf, isOneOf, scalarOf, type Scalar } from "../domain/plain-value.ts";
import type { AvailabilitySource, Contact } from "../domain/zone.ts";
import type { Battery, GateMqtt, MqttInput } from "../generated/types.ts";
import type { MessageView } from "./message-content.ts";

/**
 * The value that a source reads in a message.
 * @returns undefined for a missing value, null, a list or an object, and for a value without bits if the source reads bits
 */
export function valueAt(
  view: MessageView,
  { path, bits }: Pick<MqttInput, "path" | "bits">,
): Scalar | undefined {
  const value = scalarOf(view.at(path));
  return value === undefined || bits === undefined ? value : bitsOf(value, bits);
}

/**
 * Contact state for a value. Comparison is tolerant, because devices write the same value in many ways: text ignores
 * case, numbers and booleans compare by value. A missing value, null, a list or object, or a sentinel is `unknown`: a
 * sign of life without a trip or restore.
 */
export function contactOf(
  { open, normal, path }: Pick<MqttInput, "open" | "normal" | "path">,
  value: Scalar | undefined,
): Contact {
  if (value === undefined) return "unknown";
  if (isOneOf(open, value)) return "open";
  if (normal !== undefined) return isOneOf(normal, value) ? "normal" : "unknown";
  const isPlaceholder = isOneOf(SENTINELS, value) || (path === undefined && isOneOf(NOTHING, value));
  return isPlaceholder ? "unknown" : "normal";
}

/**
 * Whether a value arms (`open`) or disarms a gate. A gate without `normal` is disarmed by every other value, except by one that
 * an alarm panel sends in an entry delay or an alarm, when it is still armed: these do not tell.
 */
export function gateContactOf(
  gate: Pick<GateMqtt, "open" | "normal" | "path">,
  value: Scalar | undefined,
): Contact {
  // Read as a whole payload, of which a placeholder never disarms.
  const { path: _anywhere, ...meaning } = gate;
  const contact = contactOf(meaning, value);
  const isBetween = value !== undefined && gate.normal === undefined && isOneOf(BETWEEN_STATES, value);
  return isBetween && contact === "normal" ? "unknown" : contact;
}

/** Whether a battery is low; undefined when the value does not tell. */
export function batteryOf({ low, below }: Battery, value: Scalar | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  if (low !== undefined && isOneOf(low, value)) return true;
  const percent = percentOf(value);
  if (below !== undefined) return percent === undefined ? undefined : percent < below;
  return isOneOf([...SENTINELS, ...NOTHING], value) ? undefined : false;
}

/** The charge of a battery in percent; undefined if the message does not have it. */
export function chargeOf({ path, below }: Battery, view: MessageView): number | undefined {
  if (below !== undefined) return percentOf(scalarOf(view.at(path)));
  // zigbee2mqtt has the charge beside it.
  const beside = path?.endsWith("/battery_low") ? path.replace(/_low$/, "") : undefined;
  return beside === undefined ? undefined : percentOf(scalarOf(view.at(beside)));
}

function percentOf(value: Scalar | undefined): number | undefined {
  if (value === undefined || typeof value === "boolean") return undefined;
  const text = String(value).trim();
  const percent = Number((text.endsWith("%") ? text.slice(0, -1).trim() : text) || NaN);
  return percent >= 0 && percent <= 100 ? percent : undefined;
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

/** States of an alarm panel in Home Assistant besides armed and disarmed. */
const BETWEEN_STATES: readonly Scalar[] = ["arming", "pending", "disarming", "triggered"];
/** Placeholders of devices and bridges for unknown values; a rule that names one of them takes precedence. */
const SENTINELS: readonly Scalar[] = [999, -1, "unknown", "unavailable", "undefined", "null", "nan", "n/a"];
/** A program may write its missing value so as a whole payload. In an object that is `null`, and this text a state: no alarm. */
const NOTHING: readonly Scalar[] = ["none"];
