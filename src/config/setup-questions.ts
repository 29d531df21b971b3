import { isTimeZone } from "../domain/calendar.ts";
import { folded } from "../domain/search-folding.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { ZONE_KINDS } from "../domain/zone.ts";
import {
  brokerUrl,
  centreUrl,
  gpioLine,
  objectiveId,
  siteName,
  siteRef,
  zoneId,
  zoneName,
  zonePath,
} from "./answer-problems.ts";
import { hasAlarmPanel, ALARM_PANEL_QUESTIONS } from "./alarm-panel-questions.ts";

/** Answers by question name; skipped questions have none. */
export type SetupAnswers = Readonly<Record<string, string>>;

/** One question of `santinela init`; its name is the key in an answers file. */
export interface SetupQuestion {
  readonly name: string;
  readonly text: string;
  /** Allowed answers; undefined for any text. */
  readonly choices?: readonly string[];
  /** Answer for an empty input; undefined if an answer is required. */
  readonly defaultAnswer?: (answers: SetupAnswers) => string;
  /** Whether the question applies, given the earlier answers. */
  readonly when?: (answers: SetupAnswers) => boolean;
  /** Problem of an answer as the end of a sentence; undefined if it is valid. */
  readonly problem?: (answer: string) => string | undefined;
  /** Typed without echo; in an answers file, the path of a file with the value. */
  readonly isSecret?: boolean;
  /** A secret that is set here, so that a mistyped one would lock the user out. */
  readonly isNewSecret?: boolean;
}

/** Not a question: how many zones were made of found sensors, so that no other one is needed. */
export const FOUND_ZONES = "found-zones";

const is =
  (name: string, ...values: string[]) =>
  (answers: SetupAnswers): boolean =>
    values.includes(answers[name] ?? "");
const isGiven =
  (name: string) =>
  (answers: SetupAnswers): boolean =>
    (answers[name] ?? "") !== "";
const always = (text: string) => (): string => text;
const hasZone = (answers: SetupAnswers): boolean => (answers["zone"] ?? "none") !== "none";
const hasAnyZone = (answers: SetupAnswers): boolean => hasZone(answers) || isGiven(FOUND_ZONES)(answers);
const hasObjective = (answers: SetupAnswers): boolean => hasAnyZone(answers) || hasAlarmPanel(answers);

/** The questions in order: site, network, dispatch centre, broker, alarm panel, first zone, administrator. */
export const QUESTIONS: readonly SetupQuestion[] = [
  { name: "site-name", text: "Name of the site", problem: siteName },
  {
    name: "site-ref",
    text: "Unique short reference",
    defaultAnswer: ({ "site-name": name = "" }) => slugOf(name, "site-1"),
    problem: siteRef,
  },
  {
    name: "timezone",
    text: "Time zone",
    defaultAnswer: () => ownTimeZone(),
    problem: (zone) => (isTimeZone(zone) ? undefined : "is not an IANA time zone such as Europe/Bucharest"),
  },
  {
    name: "language",
    text: "Language of the texts in interventions",
    choices: ["ro", "en"],
    defaultAnswer: always("ro"),
  },
  {
    name: "network",
    text: "Access to the local API: this machine only, or the network (encrypted)",
    choices: ["this-machine", "network"],
    defaultAnswer: always("this-machine"),
  },
  {
    name: "centre",
    text: "Send interventions to a dispatch centre",
    choices: ["yes", "no"],
    defaultAnswer: always("no"),
  },
  {
    name: "centre-url",
    text: "URL of the dispatch centre, such as https://dispecerat.example.ro",
    when: is("centre", "yes"),
    problem: centreUrl,
  },
  {
    name: "centre-email",
    text: "E-mail address of the site's account at the dispatch centre",
    when: is("centre", "yes"),
    problem: email,
  },
  {
    name: "centre-password",
    text: "Password of that account",
    when: is("centre", "yes"),
    isSecret: true,
    problem: notEmpty,
  },
  {
    name: "broker",
    text: "MQTT broker: built-in, external, or none",
    choices: ["built-in", "external", "off"],
    defaultAnswer: always("built-in"),
  },
  {
    name: "broker-url",
    text: "URL of the broker",
    when: is("broker", "external"),
    defaultAnswer: always("mqtt://127.0.0.1:1883"),
    problem: brokerUrl,
  },
  {
    name: "broker-username",
    text: "User name at the broker, empty for none",
    when: is("broker", "external"),
    defaultAnswer: always(""),
  },
  {
    name: "broker-password",
    text: "Password at the broker",
    when: isGiven("broker-username"),
    isSecret: true,
    problem: notEmpty,
  },
  ...ALARM_PANEL_QUESTIONS,
  {
    name: "zone",
    text: "Input of the first zone",
    choices: ["gpio", "mqtt", "simulated", "none"],
    defaultAnswer: (answers) =>
      isGiven(FOUND_ZONES)(answers) || hasAlarmPanel(answers) ? "none" : "simulated",
  },
  { name: "zone-name", text: "Name of the zone, such as Ușa principală", when: hasZone, problem: zoneName },
  {
    name: "zone-id",
    text: "Short id of the zone, for commands",
    when: hasZone,
    defaultAnswer: ({ "zone-name": name = "" }) => slugOf(name, "zone-1"),
    problem: zoneId,
  },
  {
    name: "zone-kind",
    text: "Zone type",
    choices: ZONE_KINDS,
    when: hasZone,
    defaultAnswer: always("intrusion"),
  },
  { name: "zone-gpio", text: "GPIO line, BCM number", when: is("zone", "gpio"), problem: gpioLine },
  {
    name: "zone-contact",
    text: "Normal state of the contact: closed (nc) or open (no)",
    choices: ["nc", "no"],
    when: is("zone", "gpio"),
    defaultAnswer: always("nc"),
  },
  { name: "zone-topic", text: "MQTT topic", when: is("zone", "mqtt"), problem: notEmpty },
  {
    name: "zone-path",
    text: "Path of the value in a JSON message, such as /contact; empty if the message is the value",
    when: is("zone", "mqtt"),
    defaultAnswer: always(""),
    problem: zonePath,
  },
  {
    name: "zone-open",
    text: "Value that means open, such as ON or false",
    when: is("zone", "mqtt"),
    problem: notEmpty,
  },
  {
    name: "zone-normal",
    text: "Value that means normal; empty if the sensor does not report it",
    when: is("zone", "mqtt"),
    defaultAnswer: always(""),
  },
  {
    name: "objective-type",
    text: "Objective type at the dispatch centre",
    choices: OBJECTIVE_TYPES,
    when: hasObjective,
    defaultAnswer: always("obiective/cladiri"),
  },
  {
    name: "objective-id",
    text: "Id of the objective at the dispatch centre",
    when: hasObjective,
    defaultAnswer: always("1"),
    problem: objectiveId,
  },
  {
    name: "objective-name",
    text: "Name of the objective",
    when: hasObjective,
    defaultAnswer: ({ "site-name": name = "" }) => name,
  },
  {
    name: "administrator",
    text: "E-mail address of the initial administrator; leave empty to create one at the first run",
    defaultAnswer: always(""),
    problem: (text) => (text === "" ? undefined : email(text)),
  },
  {
    name: "administrator-password",
    text: "Password of the administrator",
    when: isGiven("administrator"),
    isSecret: true,
    isNewSecret: true,
    problem: notEmpty,
  },
];

/** Problem of an answer as a sentence; undefined if it is valid. */
export function problemWith({ name, choices, problem }: SetupQuestion, answer: string): string | undefined {
  if (choices && !choices.includes(answer))
    return `${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(answer)}`;
  const what = problem?.(answer);
  return what === undefined ? undefined : `${name} ${what}`;
}

/** Converts a name to the characters allowed in a reference. */
function slugOf(text: string, fallback: string): string {
  const slug = folded(text)
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? fallback : slug;
}

function ownTimeZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone.includes("/") ? zone : "Europe/Bucharest";
}

function notEmpty(text: string): string | undefined {
  return text.trim() === "" ? "must not be empty" : undefined;
}

function email(text: string): string | undefined {
  return /^[^@\s]+@[^@\s]+$/.test(text) ? undefined : "is not an e-mail address";
}
