import type { TimelineEntry } from "../site/timeline-view.ts";
import type { Tone } from "./badge.tsx";
import { detailText } from "./event-detail.ts";
import { isAlarmRecord, isOfSilence } from "./event-category.ts";
import { EVENT_DETAIL_TEXTS, originText } from "./event-detail-texts.ts";
import { translateDaemonText, t, translateCode } from "./i18n.ts";
import type { IconName } from "./icons.ts";
import { status, zones } from "./live-updates.ts";
import { kindIcon } from "./zone-appearance.ts";

/** An entry of the timeline as a sentence, with its consequence. */
export interface EventSentence {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly text: string;
  /** What became of it, or details; empty if there are none. */
  readonly note: string;
  /** The intervention that it is about. */
  readonly interventionId: number | undefined;
}

/** Says an entry in the user's language. */
export function eventSentence(entry: TimelineEntry): EventSentence {
  const [, id] = /^intervention (\d+)$/.exec(entry.subject) ?? [];
  const interventionId = id === undefined ? undefined : Number(id);
  const [, zoneId] = /^zone (\S+)$/.exec(entry.who) ?? [];
  const base = zoneId === undefined ? ofUser(entry) : ofZone(entry, zoneId);
  return { ...base, interventionId };
}

type Said = Omit<EventSentence, "interventionId">;

/** A trip, restore or fault of a zone. */
function ofZone({ event, detail }: TimelineEntry, zoneId: string): Said {
  const zone = zones.value.find(({ id }) => id === zoneId);
  const kind = zone?.kind ?? null;
  const name = zone?.name ?? zoneId;
  const { cause, state, reason, lastError, isTest, isAfterAlarm } = detail;
  const isDispatched = state === "posted" || state === "merged" || state === "waiting";
  const word = kind === null ? t("event.trip") : t(`zoneWord.${kind}.open`);
  const fault = typeof cause === "string" ? translateCode("fault", cause) : "";
  const values = { zone: name, word, fault };
  const note = [
    isTest === true ? t("event.test-trip") : "",
    ...outcomeOf(state, reason),
    typeof lastError === "string" ? (translateDaemonText(lastError) ?? lastError) : "",
  ];
  return {
    icon: event.startsWith("fault") ? "wrench" : event === "signal" ? "radio-tower" : kindIcon(kind, true),
    tone: toneOf(event, isDispatched),
    text: translateCode("says", isAfterAlarm === true ? "still-open" : event, event, values),
    note: event === "restore" ? "" : note.filter((part) => part !== "").join(" · "),
  };
}

/** Reasons that say by themselves what became of a trip, as on the command line. */
const WITH_OUTCOME = /^(?:disarmed|exit delay|walk test|swinger shutdown)\b/;

/** What became of a trip, and why; once, if the reason has it too. */
function outcomeOf(state: unknown, reason: unknown): readonly string[] {
  const why = typeof reason === "string" ? (translateDaemonText(reason) ?? reason) : "";
  if (typeof reason === "string" && WITH_OUTCOME.test(reason))
    return [t("zoneTrips.suppressed", { reason: why })];
  return [typeof state === "string" ? translateCode("outcome", state) : "", why];
}

function toneOf(event: string, isDispatched: boolean): Tone {
  if (event === "trip" || event === "standing") return isDispatched ? "alarm" : "off";
  if (event === "fault") return "fault";
  return event === "signal" ? "test" : "off";
}

/** What a user, the command line or the dispatch centre has done. */
function ofUser(entry: TimelineEntry): Said {
  const { event, who, from, subject, detail } = entry;
  const [, about = subject] = /^\S+ (.*)$/.exec(subject) ?? [];
  const zone = zones.value.find(({ id }) => subject === `zone ${id}`);
  const { icon, tone } = lookAtCentre(entry) ?? LOOKS.find(([name]) => event.startsWith(name))?.[1] ?? OTHER;
  return {
    icon,
    tone,
    text: translateCode("says", saidAs(event, detail), translateCode("event", event), {
      who: originText(who),
      about: zone?.name ?? about,
    }),
    note: [
      isInSentence(event) ? "" : detailText(notSaid(event, detail), EVENT_DETAIL_TEXTS),
      originText(from),
    ]
      .filter((part) => part !== "")
      .join(" · "),
  };
}

/** Whether the sentence has all: the role of who signs in is a word of the API, and what was done to a floor plan is its verb. */
function isInSentence(event: string): boolean {
  return event.startsWith("sign") || event === "plan-changed";
}

/** The details without what the sentence of a conflict says. */
function notSaid(event: string, detail: TimelineEntry["detail"]): TimelineEntry["detail"] {
  const { conflict: _conflict, phase: _phase, ...rest } = detail;
  return event === "sync-conflict" ? rest : detail;
}

/**
 * The sentence of an event: there is one for each change of a floor plan and each kind of conflict, and a dispatch centre has
 * no zones to monitor.
 */
function saidAs(event: string, { change, conflict }: TimelineEntry["detail"]): string {
  if (event === "plan-changed") return `plan-${String(change)}`;
  if (event === "sync-conflict" && typeof conflict === "string") return `conflict-${conflict}`;
  return event === "blind-interval" && status.value?.role === "centre" ? "outage" : event;
}

type Look = Pick<Said, "icon" | "tone">;
const OTHER: Look = { icon: "settings", tone: "off" };
const USER: Look = { icon: "users", tone: "off" };

/** A dispatch centre has of an alarm, and of a silent site, only its record. */
function lookAtCentre(entry: TimelineEntry): Look | undefined {
  if (status.value?.role !== "centre") return undefined;
  if (isOfSilence(entry)) return { icon: "wrench", tone: "fault" };
  return isAlarmRecord(entry) ? { icon: "siren", tone: "alarm" } : undefined;
}

/** By the beginning of the event's name. */
const LOOKS: readonly (readonly [string, Look])[] = [
  ["sign-in", { icon: "users", tone: "attention" }],
  ["signed-in", USER],
  ["forbidden", { icon: "users", tone: "attention" }],
  ["account", USER],
  ["intervention", { icon: "file-text", tone: "link" }],
  ["zone-bypassed", { icon: "pause", tone: "off" }],
  ["zone-restored", { icon: "play", tone: "fine" }],
  ["test-trip", { icon: "flask-conical", tone: "test" }],
  ["walk-test", { icon: "clipboard-check", tone: "test" }],
  ["sync-conflict", { icon: "radio-tower", tone: "attention" }],
  ["objectives", { icon: "building-2", tone: "off" }],
  ["data-lost", { icon: "triangle-alert", tone: "fault" }],
  ["database", { icon: "history", tone: "attention" }],
  ["record-arrived", { icon: "check", tone: "fine" }],
  ["journaled", { icon: "check", tone: "off" }],
  ["blind", { icon: "clock", tone: "attention" }],
];
