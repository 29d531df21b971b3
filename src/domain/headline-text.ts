import type { HeadlineCode, HeadlineItem, HeadlineLevel, HeadlineReason } from "./headline.ts";

/** A record queued longer than this is not delayed by a short link failure, milliseconds. */
export const BACKLOG_LIMIT_MS = 900_000;
/** Names per reason in the text. */
const NAMED_MAX = 2;

/** Level and reasons in one line of English. @param planned interventions that start in the future */
export function headlineText(
  level: HeadlineLevel,
  reasons: readonly HeadlineReason[],
  planned: number,
): string {
  const ahead = planned === 0 ? "" : `; ${counted(planned, "intervention")} planned`;
  if (level === "well") return `all is well${ahead}`;
  const parts = reasons.map(({ code, count, items }) => {
    const names = items.slice(0, NAMED_MAX).map((item) => nameOf(item));
    const more = items.length > NAMED_MAX ? ` and ${count - NAMED_MAX} more` : "";
    return `${PHRASES[code](count)}${names.length > 0 ? ` (${names.join(", ")}${more})` : ""}`;
  });
  return `${level === "alarm" ? "ALARM" : level}: ${parts.join("; ")}`;
}

type Phrase = (count: number) => string;

const PHRASES: Readonly<Record<HeadlineCode, Phrase>> = {
  "alarm-unfinished": (n) => counted(n, "unfinished alarm"),
  "alarm-unrecorded": (n) =>
    `${counted(n, "trip")} not recorded as ${n === 1 ? "an intervention" : "interventions"} yet`,
  "zone-open": (n) => `${counted(n, "zone")} open while armed`,
  "zone-fault": (n) => `${counted(n, "zone")} with a fault`,
  "zone-shut-down": (n) => `${counted(n, "zone")} in swinger shutdown`,
  "condition-error": (n) => counted(n, "error"),
  "entry-delay": (n) => `entry delay of ${counted(n, "zone")}`,
  starting: () => "the zones are being read after the start",
  "no-zones": () => "no zones yet",
  "no-sites": () => "no site is enrolled yet: begin with santinela sites invite",
  "site-fault": (n) => `${counted(n, "site")} with a fault`,
  "sites-unreported": (n) => `${counted(n, "enrolled site")} without a report`,
  "condition-warning": (n) => counted(n, "warning"),
  "walk-test": () => "a walk test is running, nothing is dispatched",
  "zone-bypassed": (n) => `${counted(n, "zone")} bypassed`,
  "work-unfinished": (n) => counted(n, "unfinished service intervention"),
  "zone-not-ready": (n) => `not ready to arm, ${counted(n, "zone")} open`,
  "zone-unknown": (n) => `${counted(n, "zone")} without a reading`,
  "battery-low": (n) => `${counted(n, "zone")} with a low battery`,
  "records-stuck": (n) => `sync of ${counted(n, "record")} needs attention`,
  backlog: (n) => `${counted(n, "record")} queued for more than ${BACKLOG_LIMIT_MS / 60_000} minutes`,
};

function nameOf({ about, id, name }: HeadlineItem): string {
  return about === "intervention" ? `#${id} ${name}` : name;
}

/** A number with its noun: `1 zone`, `3 zones`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
