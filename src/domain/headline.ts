import type { Condition } from "./condition.ts";
import type { Fault } from "./fault.ts";
import { BACKLOG_LIMIT_MS, headlineText } from "./headline-text.ts";
import type { Contact, ZoneKind } from "./zone.ts";

/**
 * State of the site: its most serious reason. `well` only if no started intervention is unfinished, no zone is open while
 * armed, there are no faults and no conditions, and there is at least one zone: a site that watches nothing is not well.
 * Nor is a dispatch centre without sites, or with one that has a fault or of which it knows nothing. A fault of a site is attention
 * there: `fault` is what the centre itself has.
 */
export type HeadlineLevel = (typeof HEADLINE_LEVELS)[number];
/** All levels, the most serious first. */
export const HEADLINE_LEVELS = ["alarm", "fault", "attention", "well"] as const;

/** The level of each reason, the most serious first. */
export const HEADLINE_REASONS = {
  "alarm-unfinished": "alarm",
  "alarm-unrecorded": "alarm",
  "zone-open": "alarm",
  "zone-fault": "fault",
  "zone-shut-down": "fault",
  "condition-error": "fault",
  "entry-delay": "attention",
  starting: "attention",
  "no-zones": "attention",
  "no-sites": "attention",
  "site-fault": "attention",
  "sites-unreported": "attention",
  "condition-warning": "attention",
  "walk-test": "attention",
  "zone-bypassed": "attention",
  "work-unfinished": "attention",
  "zone-not-ready": "attention",
  "zone-unknown": "attention",
  "battery-low": "attention",
  "records-stuck": "attention",
  backlog: "attention",
} as const satisfies Record<string, Exclude<HeadlineLevel, "well">>;

export type HeadlineCode = keyof typeof HEADLINE_REASONS;

/** State of the whole site, computed by the daemon so that all clients agree. */
export interface Headline {
  readonly level: HeadlineLevel;
  /** Level and reasons in one line of English, for logs and the command line. */
  readonly text: string;
  /** The most serious first; empty for level `well`. */
  readonly reasons: readonly HeadlineReason[];
  /** Unfinished interventions that start in the future, such as a maintenance visit; they do not affect the level. */
  readonly planned: number;
}

export interface HeadlineReason {
  readonly code: HeadlineCode;
  readonly level: Exclude<HeadlineLevel, "well">;
  /** Number of interventions, zones, sites, conditions or records. */
  readonly count: number;
  /** Names of the most urgent, at most 20, life safety first; empty for reasons without names. */
  readonly items: readonly HeadlineItem[];
}

export type HeadlineItem =
  | { readonly about: "intervention"; readonly id: number; readonly name: string }
  | { readonly about: "zone" | "condition" | "site"; readonly id: string; readonly name: string };

/** Input of the headline. */
export interface HeadlineFacts {
  /** False until every input was read and every power-up delay is over after the start. */
  readonly isRead: boolean;
  /** What a dispatch centre, which has no zones, knows of its sites; null at a site. */
  readonly sites: KnownSites | null;
  /** Unfinished interventions that are an alarm, see `isAlarm`. */
  readonly alarms: UnfinishedRecords;
  /** Unfinished work for technicians that should have started. */
  readonly work: UnfinishedRecords;
  readonly planned: number;
  /** Zones with a trip that has no intervention yet or was rejected by the local API, one entry per trip. */
  readonly unrecorded: readonly string[];
  readonly zones: readonly HeadlineZone[];
  /** Zones with a trip in its entry delay: a person who comes in may disarm them in time. */
  readonly delayed: ReadonlySet<string>;
  readonly conditions: readonly Pick<Condition, "code" | "subject" | "severity" | "title">[];
  readonly isWalkTest: boolean;
  /** Records whose sync needs attention. */
  readonly stuck: number;
  /** Records queued for the dispatch centre, and the age of the oldest in milliseconds. */
  readonly backlog: { readonly waiting: number; readonly oldestMs: number };
}

/** What a dispatch centre knows of its sites. */
export interface KnownSites {
  /** Whether a site is enrolled, or has reported without an enrolment. */
  readonly hasAny: boolean;
  /** Sites with a fault, and silent ones, which have lost more; `sites` has the first 20 by level and duration. */
  readonly faulty: {
    readonly count: number;
    readonly sites: readonly { readonly ref: string; readonly name: string }[];
  };
  /** Enrolled sites of which there is no report; `refs` by reference, at most 20. */
  readonly unreported: { readonly count: number; readonly refs: readonly string[] };
}

/** While that cannot be read: the headline leaves out the sites. */
export const SITES_UNKNOWN: KnownSites = {
  hasAny: true,
  faulty: { count: 0, sites: [] },
  unreported: { count: 0, refs: [] },
};

interface UnfinishedRecords {
  readonly count: number;
  /** The most urgent first, at most 20. */
  readonly worst: readonly { readonly id: number; readonly name: string }[];
}

export interface HeadlineZone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly isLifeSafety: boolean;
  readonly contact: Contact;
  /** Disposition of a trip now: `waiting` for dispatch, or why it is suppressed. */
  readonly disposition: "waiting" | "bypassed" | "test" | "gated" | "swinger";
  readonly faults: readonly { readonly fault: Fault }[];
}

/** Items named per reason: more than a screen shows. */
export const HEADLINE_ITEMS_MAX = 20;

/** Computes the headline. */
export function headlineOf(facts: HeadlineFacts): Headline {
  const reasons = CODES.flatMap((code): HeadlineReason[] => {
    const { count, items } = REASONS[code](facts);
    if (count === 0) return [];
    return [{ code, level: HEADLINE_REASONS[code], count, items: items.slice(0, HEADLINE_ITEMS_MAX) }];
  });
  const level = reasons[0]?.level ?? "well";
  return { level, text: headlineText(level, reasons, facts.planned), reasons, planned: facts.planned };
}

const CODES = Object.keys(HEADLINE_REASONS) as HeadlineCode[];

interface ReasonItems {
  readonly count: number;
  readonly items: readonly HeadlineItem[];
}

/** Complete: a reason without a function does not compile. */
const REASONS: Readonly<Record<HeadlineCode, (facts: HeadlineFacts) => ReasonItems>> = {
  "alarm-unfinished": ({ alarms }) => records(alarms),
  "alarm-unrecorded": ({ unrecorded, zones: all }) => ({
    count: unrecorded.length,
    items: zonesOf(all, new Set(unrecorded)),
  }),
  "zone-open": (facts) => zones(facts, (zone) => isOpenArmed(zone) && !facts.delayed.has(zone.id)),
  "zone-fault": (facts) => zones(facts, ({ faults }) => faults.some(({ fault }) => fault !== "battery")),
  "zone-shut-down": (facts) => zones(facts, ({ disposition }) => disposition === "swinger"),
  "condition-error": (facts) => conditions(facts, "error"),
  "entry-delay": ({ delayed, zones: all }) => ({ count: delayed.size, items: zonesOf(all, delayed) }),
  starting: ({ isRead }) => single(!isRead),
  "no-zones": ({ sites, zones: all }) => single(sites === null && all.length === 0),
  "no-sites": ({ sites }) => single(sites?.hasAny === false),
  "site-fault": ({ sites }) => ({
    count: sites?.faulty.count ?? 0,
    items: (sites?.faulty.sites ?? []).map(({ ref, name }) => ({ about: "site", id: ref, name })),
  }),
  "sites-unreported": ({ sites }) => ({
    count: sites?.unreported.count ?? 0,
    items: (sites?.unreported.refs ?? []).map((ref) => ({ about: "site", id: ref, name: ref })),
  }),
  "condition-warning": (facts) => conditions(facts, "warning"),
  "walk-test": ({ isWalkTest }) => single(isWalkTest),
  // A walk test takes precedence over a bypass in the disposition; it is a separate reason.
  "zone-bypassed": (facts) => zones(facts, ({ disposition }) => disposition === "bypassed"),
  "work-unfinished": ({ work }) => records(work),
  "zone-not-ready": (facts) => zones(facts, preventsArming),
  "zone-unknown": (facts) => zones(facts, ({ contact }) => contact === "unknown"),
  "battery-low": (facts) => zones(facts, ({ faults }) => faults.some(({ fault }) => fault === "battery")),
  "records-stuck": ({ stuck }) => ({ count: stuck, items: [] }),
  backlog: ({ backlog: { waiting, oldestMs } }) => ({
    count: oldestMs > BACKLOG_LIMIT_MS ? waiting : 0,
    items: [],
  }),
};

/** A motion zone is excluded: it returns to normal when people leave. */
function preventsArming({ contact, disposition, kind }: HeadlineZone): boolean {
  return contact === "open" && disposition === "gated" && kind !== "motion";
}

function records({ count, worst }: UnfinishedRecords): ReasonItems {
  return {
    count,
    items: worst.map(({ id, name }) => ({ about: "intervention", id, name })),
  };
}

/** Zones by their ids; one that the configuration no longer has, too. */
function zonesOf(all: readonly HeadlineZone[], ids: ReadonlySet<string>): readonly HeadlineItem[] {
  return lifeSafetyFirst([...ids].map((id) => all.find((zone) => zone.id === id) ?? { id })).map(zoneItem);
}

function zones(facts: HeadlineFacts, matches: (zone: HeadlineZone) => boolean): ReasonItems {
  const items = lifeSafetyFirst(facts.zones.filter(matches)).map(zoneItem);
  return { count: items.length, items };
}

/** Only the first names of a reason are shown. */
function lifeSafetyFirst<Zone extends Partial<HeadlineZone>>(all: readonly Zone[]): readonly Zone[] {
  return [true, false].flatMap((first) => all.filter(({ isLifeSafety = false }) => isLifeSafety === first));
}

function zoneItem({ id, name = id }: Pick<HeadlineZone, "id"> & { readonly name?: string }): HeadlineItem {
  return { about: "zone", id, name };
}

function conditions(facts: HeadlineFacts, wanted: Condition["severity"]): ReasonItems {
  const items = facts.conditions
    .filter(({ severity, ...rest }) => severity === wanted && !isNamedAsZone(facts, rest))
    .map(({ code, title }): HeadlineItem => ({ about: "condition", id: code, name: title }));
  return { count: items.length, items };
}

/** The reason zone-open names the zone already; the condition stays in the list of conditions. */
function isNamedAsZone(
  { zones: all }: HeadlineFacts,
  { code, subject }: Pick<Condition, "code" | "subject">,
): boolean {
  return code === "zone-open" && all.some((zone) => zone.id === subject && isOpenArmed(zone));
}

/** In a swinger shutdown too: it is armed, and its contact is open although its further trips are not dispatched. */
function isOpenArmed({ contact, disposition }: HeadlineZone): boolean {
  return contact === "open" && (disposition === "waiting" || disposition === "swinger");
}

function single(applies: boolean): ReasonItems {
  return { count: Number(applies), items: [] };
}
