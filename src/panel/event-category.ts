import type { Intervention } from "../generated/types.ts";
import type { TimelineEntry } from "../site/timeline-view.ts";

/** The filters of the event log; the first one is all entries. */
export const CATEGORIES = ["", "alarms", "suppressed", "faults", "users", "records", "system"] as const;
type Category = Exclude<(typeof CATEGORIES)[number], "">;

/** From where the daemon opens and closes the intervention of a silent site. */
const SILENT_SITES = "silent sites";
/** The accounts of sites sign in each hour, which would hide those of people. */
const SITE_ACCOUNT = /@sites\.santinela\.local$/;

/** The filters of a dispatch centre: it has no zones, so it suppresses nothing. */
export const CATEGORIES_OF_CENTRE = CATEGORIES.filter((one) => one !== "suppressed");

/**
 * Whether an entry is of a category, by its name and what became of it. At a dispatch centre the record of an alarm and that of a
 * silent site are all that it has of them: these are of two categories.
 */
export function isOf(entry: TimelineEntry, category: string, isCentre: boolean): boolean {
  if (isCentre && category === "alarms" && isAlarmRecord(entry)) return true;
  if (isCentre && category === "faults" && isOfSilence(entry)) return true;
  return categoryOf(entry) === category;
}

/** Whether the record of an alarm was created: as for the headline, also with another type if it requests help. */
export function isAlarmRecord({ event, detail }: TimelineEntry): boolean {
  if (event !== "intervention-created") return false;
  const { type, police, ambulance, firetruck } = { ...(detail["after"] as Partial<Intervention>) };
  return type === "other" || [police, ambulance, firetruck].includes(true);
}

/** Whether a site has become silent or reports again. */
export function isOfSilence({ event, from }: TimelineEntry): boolean {
  return event.startsWith("intervention") && from === SILENT_SITES;
}

function categoryOf({ event, who, detail }: TimelineEntry): Category {
  if (event === "trip" || event === "standing") {
    const isDispatched = ["posted", "merged", "waiting", "refused"].includes(String(detail["state"]));
    return isDispatched ? "alarms" : "suppressed";
  }
  if (event.startsWith("fault")) return "faults";
  if (/^(restore|signal|zone|walk)/.test(event)) return "alarms";
  if (/^(sign-?ed|sign-in|forbidden|account)/.test(event))
    return event.startsWith("sign") && SITE_ACCOUNT.test(who) ? "system" : "users";
  if (/^(intervention|record)/.test(event)) return "records";
  return "system";
}
