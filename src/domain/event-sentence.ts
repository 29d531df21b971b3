import { CONFLICT_SENTENCES, conflictKind, conflictText } from "./conflict.ts";
import type { EventName } from "./event.ts";
import type { TripType } from "./trip.ts";
import type { ZoneKind } from "./zone.ts";

/** Any name of an entry in the timeline. */
export type TimelineName = EventName | TripType;

/**
 * Each entry of the timeline as an English sentence; the panel has the same in its catalogues. `{who}`: the user, `{about}`:
 * the subject's name, `{zone}`: the zone's name, `{word}`: its state, `{fault}`: its fault.
 */
export const EVENT_SENTENCES: Readonly<Record<TimelineName, string>> = {
  trip: "{zone}: {word}",
  standing: "{zone} was open when it was armed",
  restore: "{zone} is back to normal",
  fault: "{zone}: {fault}",
  "fault-over": "{zone}: fault restored ({fault})",
  signal: "Signal test",
  "signed-in": "{who} signed in",
  "sign-in-failed": "Sign-in failed: {who}",
  "sign-in-blocked": "Sign-in blocked after too many attempts: {who}",
  forbidden: "{who} was denied access: {about}",
  "intervention-created": "{who} created intervention",
  "intervention-changed": "{who} changed intervention",
  "intervention-deleted": "{who} deleted intervention",
  "account-added": "{who} added account {about}",
  "account-password-set": "{who} set the password of {about}",
  "account-role-changed": "{who} changed the role of {about}",
  "account-disabled": "{who} disabled account {about}",
  "account-enabled": "{who} enabled account {about}",
  "signing-key-rotated": "{who} rotated the signing key",
  "signing-key-forgotten": "{who} revoked the previous signing key",
  "record-arrived": "The dispatch centre has received intervention",
  "sync-conflict": "Conflict with the dispatch centre about intervention",
  "objectives-changed": "The objectives of the dispatch centre changed",
  "database-recovered": "The database was damaged and recovered",
  "database-restored": "{who} restored the database from a backup",
  "data-lost": "Data was lost",
  "backup-downloaded": "{who} downloaded a backup",
  "restart-ordered": "{who} requested a restart",
  "reload-applied": "The configuration was reloaded",
  "reload-rejected": "The configuration was rejected",
  "log-detailed": "{who} enabled debug logging",
  "zone-bypassed": "{who} bypassed {about}",
  "zone-restored": "{about} was returned to service by {who}",
  "test-trip": "{who} made a test trip of {about}",
  "walk-test-started": "{who} started a walk test",
  "walk-test-extended": "{who} extended the walk test",
  "walk-test-ended": "{who} ended the walk test",
  "blind-interval": "Zones were not monitored for a time",
  "opening-repeated": "An opening was reported again",
  "configuration-changed": "{who} changed the configuration",
  "configuration-reverted": "The previous configuration was restored",
  "configuration-unproven": "An unverified change of the configuration was kept",
  "zones-edited": "The zones in the configuration file changed before this start",
  "power-off-ordered": "A power-off of the machine was ordered, before its battery is empty",
  "output-switched": "Output {about} was switched",
  "output-tested": "{who} tested output {about}",
  "plan-changed": "{who} changed the floor plan {about}",
  "machine-confirmed": "{who} confirmed this machine",
  "site-removed": "{who} removed site {about}",
  "enrolment-created": "{who} created a one-time code for site {about}",
  "site-enrolled": "Site {about} was enrolled",
  "sign-ins-left-out": "Failed or blocked sign-ins were left out of the audit trail",
  "enrolment-revoked": "{who} revoked the access of site {about}",
  "alarm-panel-reported": "Alarm panel {about} reported an event",
};

/** A zone that is listed because it stayed open, and not because it was armed. */
const AFTER_ALARM_SENTENCE = "{zone} was still open after its alarm";

/** A dispatch centre had nothing to monitor while it did not run. */
const OUTAGE_SENTENCE = "The dispatch centre was not running for a time";

/** The state of an open zone in the word of its kind. */
export const OPEN_STATE_TEXTS: Readonly<Record<ZoneKind, string>> = {
  intrusion: "Open",
  perimeter: "Open",
  motion: "Motion",
  glass: "Glass break!",
  fire: "Fire!",
  panic: "Panic!",
  holdup: "Hold-up!",
  medical: "Medical alarm!",
  flood: "Water!",
  gas: "Gas!",
  tamper: "Tamper!",
  technical: "Technical alarm",
  power: "Power lost",
};

/** What becomes of a trip, by its state. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  waiting: "not recorded as an intervention yet",
  posted: "recorded as an intervention",
  merged: "added to an open intervention",
  refused: "rejected by the local API",
  bypassed: "suppressed: bypassed",
  test: "suppressed: walk test",
  gated: "suppressed: not armed",
  swinger: "suppressed: swinger shutdown",
  cancelled: "suppressed: disarmed within the entry delay",
  recorded: "recorded only",
};

/** An entry of the timeline. */
interface SaidEntry {
  readonly event: TimelineName;
  readonly who: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Says an entry of the timeline in English, with what became of it after a dash.
 * @param zones the configured zones; others are named by their id
 * @param role of the daemon whose entry it is
 */
export function eventSentence(
  entry: SaidEntry,
  zones: readonly { readonly id: string; readonly name: string; readonly kind: ZoneKind }[],
  role: "site" | "centre" = "site",
): string {
  const { event, who, subject, detail } = entry;
  const zoneId = /^zone (\S+)$/.exec(event in ABOUT_ZONES ? subject : who)?.[1];
  const zone = zones.find(({ id }) => id === zoneId);
  const { cause, state, reason, isTest, isDated } = detail;
  const [, about = subject] = /^\S+ (.*)$/.exec(subject) ?? [];
  const values: Readonly<Record<string, string>> = {
    who,
    about: zone?.name ?? about,
    zone: zone?.name ?? zoneId ?? "",
    word: zone ? OPEN_STATE_TEXTS[zone.kind] : "trip",
    fault: typeof cause === "string" ? cause : "fault",
  };
  const isConflict = event === "sync-conflict";
  const said = sentenceOf(entry, role).replace(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? "");
  const record = /^intervention (\d+)$/.exec(subject)?.[1];
  const parts = [
    isTest === true ? "test trip" : "",
    isDated === false ? "clock not set" : "",
    isConflict ? conflictText(detail) : "",
    event === "intervention-changed" ? changesOf(detail) : "",
    event === "record-arrived" ? `ID ${String(detail["upstreamId"])} there` : "",
    event === "alarm-panel-reported" ? reportOf(detail) : "",
  ];
  const outcome = event === "restore" ? [] : outcomeOf(state, reason);
  const note = [...outcome, ...parts].filter((part) => part !== "").join(", ");
  return `${said}${record === undefined ? "" : ` #${record}`}${note === "" ? "" : ` - ${note}`}`;
}

/** The sentence of an entry. A dispatch centre has no zones to monitor. */
function sentenceOf({ event, detail }: SaidEntry, role: "site" | "centre"): string {
  if (event === "sync-conflict") return CONFLICT_SENTENCES[conflictKind(detail)];
  if (event === "standing" && detail["isAfterAlarm"] === true) return AFTER_ALARM_SENTENCE;
  return event === "blind-interval" && role === "centre" ? OUTAGE_SENTENCE : EVENT_SENTENCES[event];
}

/** What has changed of a record, such as `status: planned → done`; of a longer text only its name. */
function changesOf({ before, after }: SaidEntry["detail"]): string {
  if (!isFields(before) || !isFields(after)) return "";
  const changes = Object.entries(after).map(([name, value]) => {
    const [from, to] = [before[name], value].map(shortText);
    return isLong(from) || isLong(to) ? name : `${name}: ${from} → ${to}`;
  });
  return changes.join(", ");
}

function shortText(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const CHANGED_TEXT_MAX = 40;

function isLong(text = ""): boolean {
  return text.length > CHANGED_TEXT_MAX || text.includes("\n");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What became of a trip, and why; once, if the reason has it too. */
function outcomeOf(state: unknown, reason: unknown): readonly string[] {
  const why = typeof reason === "string" ? reason : "";
  if (/^(?:disarmed|exit delay|walk test|swinger shutdown)\b/.test(why)) return [`suppressed: ${why}`];
  return [typeof state === "string" ? (OUTCOMES[state] ?? state) : "", why];
}

/** What an alarm panel reported, such as `401 restored (arming), partition 1, number 3, Ana`. */
function reportOf({ code, change, what, partition, number, text }: SaidEntry["detail"]): string {
  const named = (name: string, value: unknown): string =>
    typeof value === "number" ? `${name} ${value}` : "";
  const parts = [
    `${String(code)} ${String(change)} (${String(what)})`,
    named("partition", partition),
    named("number", number),
    typeof text === "string" ? text : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

const ABOUT_ZONES = { "zone-bypassed": true, "zone-restored": true, "test-trip": true };
