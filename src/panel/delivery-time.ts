import type { JourneyView } from "../site/journey-view.ts";
import { formatDuration } from "./duration.ts";
import { language } from "./i18n.ts";

/** From the contact to the answer of the dispatch centre; undefined if one of them is not known, or the clock was set between. */
export function deliveryTime({ contactAt, centre }: JourneyView): string | undefined {
  const arrivedAt = centre?.arrivedAt ?? null;
  if (contactAt === null || arrivedAt === null) return undefined;
  const seconds = (Date.parse(arrivedAt) - Date.parse(contactAt)) / 1000;
  return seconds < 0 ? undefined : formatShort(seconds);
}

/** Below a minute with a tenth of a second, such as `2.1 s`. */
function formatShort(seconds: number): string {
  if (seconds >= 60) return formatDuration(seconds);
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${seconds.toLocaleString(language.value, digits)} s`;
}
