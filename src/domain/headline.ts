import type { Condition } from "./condition.ts";
import type { Fault } from "./fault.ts";
import type { Contact, ZoneKind } from "./zone.ts";

/**
 * The state of a site in one word, the most serious thing that is true. `well` only if no intervention is unfinished that
 * should have begun, no zone is open while armed, and there is no fault and no condition.
 */
export type HeadlineLevel = (typeof HEADLINE_LEVELS)[number];
/** Every level, the most serious first. */
export const HEADLINE_LEVELS = ["alarm", "fault", "attention", "well"] as const;

/** Each reason for a level that is not `well`, with that level, the most serious first. */
export const HEADLINE_REASONS = {
  "alarm-unfinished": "alarm",
  "alarm-unrecorded": "alarm",
  "zone-open": "alarm",
  "zone-fault": "fault",
  "zone-shut-down": "fault",
  "condition-error": "fault",
  starting: "attention",
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

/** What the daemon says of the whole site. Computed once, in the daemon: no client needs an opinion of its own. */
export interface Headline {
  readonly level: HeadlineLevel;
  /** Level and reasons in one line of English, for logs and the command line. */
  readonly text: string;
  /** The most serious first; empty if all is well. */
  readonly reasons: readonly HeadlineReason[];
  /** Unfinished interventions whose start lies ahead, such as a maintenance visit: no reason for any level. */
  readonly planned: number;
}

export interface HeadlineReason {
  readonly code: HeadlineCode;
  readonly level: Exclude<HeadlineLevel, "well">;
  /** How many there are: interventions, zones, conditions or records. */
  readonly count: number;
  /** The newest of them by name, at most 20; empty where they have none. */
  readonly items: readonly HeadlineItem[];
}

export type HeadlineItem =
  | { readonly about: "intervention"; readonly id: number; readonly name: string }
  | { readonly about: "zone" | "condition"; readonly id: string; readonly name: string };

/** What the headline is made of. */
export interface HeadlineFacts {
  /** False until every input is read and every wire has settled after the start. */
  readonly isRead: boolean;
  /** Unfinished interventions that are an alarm, see `isAlarm`. */
  readonly alarms: UnfinishedRecords;
  /** Unfinished work of technicians that should have begun. */
  readonly work: UnfinishedRecords;
  readonly planned: number;
  /** Zones with a trip that is not an intervention yet, or that the local API rejected, one entry a trip. */
  readonly unrecorded: readonly string[];
  readonly zones: readonly HeadlineZone[];
  readonly conditions: readonly Pick<Condition, "code" | "subject" | "severity" | "title">[];
  readonly isWalkTest: boolean;
  /** Records that need a person at the sync. */
  readonly stuck: number;
  /** Records that wait for the centre, and for how long the oldest does, milliseconds. */
  readonly backlog: { readonly waiting: number; readonly oldestMs: number };
}

export interface UnfinishedRecords {
  readonly count: number;
  /** The newest first, at most 20. */
  readonly newest: readonly { readonly id: number; readonly name: string }[];
}

export interface HeadlineZone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly contact: Contact;
  /** What becomes of a trip now: `waiting` for dispatch, or what holds it back. */
  readonly disposition: "waiting" | "bypassed" | "test" | "gated" | "swinger";
  readonly faults: readonly { readonly fault: Fault }[];
}

/** A record that has waited for longer does not wait for a short fault of the link, milliseconds. */
export const BACKLOG_LIMIT_MS = 900_000;
/** Items named per reason: more than a screen shows. */
export const HEADLINE_ITEMS_MAX = 20;

/** The headline of these facts. */
export function headlineOf(facts: HeadlineFacts): Headline {
  const reasons = CODES.flatMap((code): HeadlineReason[] => {
    const { count, items } = REASONS[code](facts);
    if (count === 0) return [];
    return [{ code, level: HEADLINE_REASONS[code], count, items: items.slice(0, HEADLINE_ITEMS_MAX) }];
  });
  const level = reasons[0]?.level ?? "well";
  return { level, text: textOf(level, reasons, facts.planned), reasons, planned: facts.planned };
}

const CODES = Object.keys(HEADLINE_REASONS) as HeadlineCode[];

interface Found {
  readonly count: number;
  readonly items: readonly HeadlineItem[];
}

/** Total: a reason without its finding does not compile. */
const REASONS: Readonly<Record<HeadlineCode, (facts: HeadlineFacts) => Found>> = {
  "alarm-unfinished": ({ alarms }) => records(alarms),
  "alarm-unrecorded": ({ unrecorded, zones }) => ({
    count: unrecorded.length,
    items: [...new Set(unrecorded)].map((id) => zoneItem(zones.find((zone) => zone.id === id) ?? { id })),
  }),
  "zone-open": (facts) =>
    zones(facts, ({ contact, disposition }) => contact === "open" && disposition === "waiting"),
  "zone-fault": (facts) => zones(facts, ({ faults }) => faults.some(({ fault }) => fault !== "battery")),
  "zone-shut-down": (facts) => zones(facts, ({ disposition }) => disposition === "swinger"),
  "condition-error": (facts) => conditions(facts, "error"),
  starting: ({ isRead }) => alone(!isRead),
  "condition-warning": (facts) => conditions(facts, "warning"),
  "walk-test": ({ isWalkTest }) => alone(isWalkTest),
  // A walk test comes before a bypass in what becomes of a trip; it is a reason of its own.
  "zone-bypassed": (facts) => zones(facts, ({ disposition }) => disposition === "bypassed"),
  "work-unfinished": ({ work }) => records(work),
  "zone-not-ready": (facts) => zones(facts, isInTheWayOfArming),
  "zone-unknown": (facts) => zones(facts, ({ contact }) => contact === "unknown"),
  "battery-low": (facts) => zones(facts, ({ faults }) => faults.some(({ fault }) => fault === "battery")),
  "records-stuck": ({ stuck }) => ({ count: stuck, items: [] }),
  backlog: ({ backlog: { waiting, oldestMs } }) => ({
    count: oldestMs > BACKLOG_LIMIT_MS ? waiting : 0,
    items: [],
  }),
};

/** A movement ends when people leave; it keeps no site from being armed. */
function isInTheWayOfArming({ contact, disposition, kind }: HeadlineZone): boolean {
  return contact === "open" && disposition === "gated" && kind !== "motion";
}

function records({ count, newest }: UnfinishedRecords): Found {
  return { count, items: newest.map(({ id, name }) => ({ about: "intervention", id, name })) };
}

function zones(facts: HeadlineFacts, isOne: (zone: HeadlineZone) => boolean): Found {
  const items = facts.zones.filter(isOne).map(zoneItem);
  return { count: items.length, items };
}

function zoneItem({ id, name = id }: Pick<HeadlineZone, "id"> & { readonly name?: string }): HeadlineItem {
  return { about: "zone", id, name };
}

function conditions(facts: HeadlineFacts, wanted: Condition["severity"]): Found {
  const items = facts.conditions
    .filter(({ severity }) => severity === wanted)
    .map(({ code, title }): HeadlineItem => ({ about: "condition", id: code, name: title }));
  return { count: items.length, items };
}

function alone(isSo: boolean): Found {
  return { count: Number(isSo), items: [] };
}

type Phrase = (count: number) => string;

const PHRASES: Readonly<Record<HeadlineCode, Phrase>> = {
  "alarm-unfinished": (n) => `${counted(n, "alarm")} not done`,
  "alarm-unrecorded": (n) => `${counted(n, "trip")} not recorded as an intervention`,
  "zone-open": (n) => `${counted(n, "zone")} open while armed`,
  "zone-fault": (n) => `${counted(n, "zone")} with a fault`,
  "zone-shut-down": (n) => `${counted(n, "zone")} shut down`,
  "condition-error": (n) => counted(n, "error"),
  starting: () => "the zones are being read after the start",
  "condition-warning": (n) => counted(n, "warning"),
  "walk-test": () => "a walk test is running, nothing is dispatched",
  "zone-bypassed": (n) => `${counted(n, "zone")} bypassed`,
  "work-unfinished": (n) => `${counted(n, "job")} not done`,
  "zone-not-ready": (n) => `not ready to arm, ${counted(n, "zone")} open`,
  "zone-unknown": (n) => `${counted(n, "zone")} without a reading`,
  "battery-low": (n) => `${counted(n, "zone")} with a low battery`,
  "records-stuck": (n) => `${counted(n, "record")} stuck on the way to the centre`,
  backlog: (n) =>
    `${counted(n, "record")} waiting for the centre for more than ${BACKLOG_LIMIT_MS / 60_000} minutes`,
};

/** Names per reason in the line of text. */
const NAMED_MAX = 3;

function textOf(level: HeadlineLevel, reasons: readonly HeadlineReason[], planned: number): string {
  const ahead = planned === 0 ? "" : `; ${counted(planned, "visit")} planned`;
  if (level === "well") return `all is well${ahead}`;
  const said = reasons.map(({ code, count, items }) => {
    const names = items.slice(0, NAMED_MAX).map((item) => nameOf(item));
    const more = items.length > NAMED_MAX ? [...names, "…"] : names;
    return `${PHRASES[code](count)}${more.length > 0 ? ` (${more.join(", ")})` : ""}`;
  });
  return `${level === "alarm" ? "ALARM" : level}: ${said.join("; ")}`;
}

function nameOf({ about, id, name }: HeadlineItem): string {
  return about === "intervention" ? `#${id} ${name}` : name;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
