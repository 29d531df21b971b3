import type { Battery } from "../../generated/types.ts";
import type { DiscoveredSensor } from "./home-assistant-message.ts";
import { operandIn } from "./home-assistant-template.ts";

/** Low battery threshold for sensors that report a percentage; the usual value of vendors. */
const BELOW_PERCENT = 15;
const PERCENT_MAX = 100;
/** A value of the message times a number, and a sum: rtl_433 announces its 0 to 1 as `float(value) * 99 + 1`. */
const LINEAR =
  /^\{\{-? ?\(*(?:float ?\((.+?)\)|(value.*?)) ?\* ?(\d+(?:\.\d+)?)\)?(?: ?\+ ?(\d+(?:\.\d+)?))?\)*(?: ?\| ?(?:round|int|float)(?: ?\([^()]*\))?)* ?-?\}\}$/;

/** Which values of a battery are low; undefined if its announcement does not say it in a way that a zone can read. */
export function lowBatteryOf({
  isMeasurement,
  template,
  path,
  open,
}: DiscoveredSensor): Pick<Battery, "low" | "below"> | undefined {
  if (!isMeasurement) return template === undefined ? { low: [...open] } : undefined;
  if (template === undefined) return { below: BELOW_PERCENT };
  const [, call, plain, factor, sum = "0"] = LINEAR.exec(template.replaceAll(/\s+/g, " ")) ?? [];
  const operand = operandIn(call ?? plain ?? "");
  if (!operand || operand.path !== path) return undefined;
  const below = Math.round(((BELOW_PERCENT - Number(sum)) / Number(factor)) * 1000) / 1000;
  return below > 0 && below <= PERCENT_MAX ? { below } : undefined;
}
