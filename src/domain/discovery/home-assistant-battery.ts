import type { Battery } from "../../generated/types.ts";
import type { DiscoveredSensor } from "./home-assistant-message.ts";
import { valueIn } from "./home-assistant-condition.ts";

/** Low battery threshold for sensors that report a percentage; the usual value of vendors. */
const BELOW_PERCENT = 15;
const PERCENT_MAX = 100;
/** Filters that change no more than the last digit. */
const ROUNDING = / ?\| ?(?:round|int|float)\b(?: ?\([^()]*\))?/g;
/** A value of the message times a number, and a sum: rtl_433 announces its 0 to 1 as `float(value) * 99 + 1`. */
const LINEAR =
  /^\(*(?:float ?\((.+?)\)|(value.*?)) ?([*/]) ?(\d+(?:\.\d+)?)\)*(?: ?\+ ?(\d+(?:\.\d+)?))?\)*$/;

/** Which values of a battery are low; undefined if its announcement does not say it in a way that a zone can read. */
export function lowBatteryOf({
  isMeasurement,
  template,
  path,
  open,
}: DiscoveredSensor): Pick<Battery, "low" | "below"> | undefined {
  if (!isMeasurement) return template === undefined ? { low: [...open] } : undefined;
  if (template === undefined) return { below: BELOW_PERCENT };
  const expression = /^\{\{-?([^{}]+?)-?\}\}$/.exec(template.trim())?.[1] ?? "";
  const text = expression.replaceAll(/\s+/g, " ").replaceAll(ROUNDING, "").trim();
  const [, call, plain, operator, number, sum = "0"] = LINEAR.exec(text) ?? [];
  const value = valueIn(call ?? plain ?? "");
  if (!value || value.path !== path || value.bits !== undefined) return undefined;
  const factor = operator === "/" ? 1 / Number(number) : Number(number);
  const below = Math.round(((BELOW_PERCENT - Number(sum)) / factor) * 1000) / 1000;
  return below > 0 && below <= PERCENT_MAX ? { below } : undefined;
}
