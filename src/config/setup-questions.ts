import { isTimeZone } from "../domain/calendar.ts";
import { folded } from "../domain/search-folding.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";

/** Answers by the name of their question. A question that was not asked has none. */
export type SetupAnswers = Readonly<Record<string, string>>;

/** One question of `santinela init`; its name is the key in a file of answers. */
export interface SetupQuestion {
  readonly name: string;
  readonly text: string;
  /** The answers that there are; undefined when any text may be one. */
  readonly choices?: readonly string[];
  /** What Enter alone means; undefined when something must be said. */
  readonly defaultAnswer?: (answers: SetupAnswers) => string;
  /** Whether it is asked at all, after the answers before it. */
  readonly when?: (answers: SetupAnswers) => boolean;
  /** What is wrong with an answer, as the end of a sentence; undefined when nothing is. */
  readonly problem?: (answer: string) => string | undefined;
  /** Typed unseen; in a file of answers the name of a file that holds it. */
  readonly isSecret?: boolean;
}

const ZONE_KINDS = [
  "intrusion",
  "perimeter",
  "motion",
  "glass",
  "fire",
  "panic",
  "holdup",
  "medical",
  "flood",
  "gas",
  "tamper",
  "technical",
] as const;

const is =
  (name: string, ...values: string[]) =>
  (answers: SetupAnswers): boolean =>
    values.includes(answers[name] ?? "");
const said =
  (name: string) =>
  (answers: SetupAnswers): boolean =>
    (answers[name] ?? "") !== "";
const always = (text: string) => (): string => text;
const hasZone = (answers: SetupAnswers): boolean => (answers["zone"] ?? "none") !== "none";

/** What an installer is asked, in this order: the site, who may reach it, the centre, the sensors, a first zone. */
export const QUESTIONS: readonly SetupQuestion[] = [
  { name: "site-name", text: "Name of the site", problem: notEmpty },
  {
    name: "site-ref",
    text: "Its short reference, unlike any other site's",
    defaultAnswer: ({ "site-name": name = "" }) => slugOf(name),
  },
  {
    name: "timezone",
    text: "Time zone",
    defaultAnswer: () => ownTimeZone(),
    problem: (zone) => (isTimeZone(zone) ? undefined : "is no IANA time zone such as Europe/Bucharest"),
  },
  {
    name: "language",
    text: "Language of the texts in interventions",
    choices: ["ro", "en"],
    defaultAnswer: always("ro"),
  },
  {
    name: "network",
    text: "Who reaches the local API: this machine alone, or the network (encrypted)",
    choices: ["this-machine", "network"],
    defaultAnswer: always("this-machine"),
  },
  {
    name: "centre",
    text: "Is there a dispatch centre to push to",
    choices: ["yes", "no"],
    defaultAnswer: always("no"),
  },
  {
    name: "centre-url",
    text: "Address of the centre, such as https://dispecerat.example.ro",
    when: is("centre", "yes"),
    problem: address,
  },
  {
    name: "centre-email",
    text: "E-mail address of this site's account there",
    when: is("centre", "yes"),
    problem: email,
  },
  {
    name: "centre-password",
    text: "Its password",
    when: is("centre", "yes"),
    isSecret: true,
    problem: notEmpty,
  },
  {
    name: "broker",
    text: "MQTT broker: built-in, one of your own, or none",
    choices: ["built-in", "external", "off"],
    defaultAnswer: always("built-in"),
  },
  {
    name: "broker-url",
    text: "Its address",
    when: is("broker", "external"),
    defaultAnswer: always("mqtt://127.0.0.1:1883"),
    problem: address,
  },
  {
    name: "broker-username",
    text: "User name at the broker, empty for none",
    when: is("broker", "external"),
    defaultAnswer: always(""),
  },
  {
    name: "broker-password",
    text: "Its password",
    when: said("broker-username"),
    isSecret: true,
    problem: notEmpty,
  },
  {
    name: "zone",
    text: "First zone: where does its sensor report",
    choices: ["gpio", "mqtt", "simulated", "none"],
    defaultAnswer: always("simulated"),
  },
  { name: "zone-name", text: "Name of the zone, such as Ușa principală", when: hasZone, problem: notEmpty },
  {
    name: "zone-id",
    text: "Its short name for commands",
    when: hasZone,
    defaultAnswer: ({ "zone-name": name = "" }) => slugOf(name),
  },
  {
    name: "zone-kind",
    text: "What it watches for",
    choices: ZONE_KINDS,
    when: hasZone,
    defaultAnswer: always("intrusion"),
  },
  { name: "zone-gpio", text: "GPIO line, BCM number", when: is("zone", "gpio"), problem: number },
  {
    name: "zone-contact",
    text: "Contact at rest: closed (nc) or open (no)",
    choices: ["nc", "no"],
    when: is("zone", "gpio"),
    defaultAnswer: always("nc"),
  },
  { name: "zone-topic", text: "MQTT topic", when: is("zone", "mqtt"), problem: notEmpty },
  {
    name: "zone-path",
    text: "Place of the value in a JSON message, such as /contact; empty when the message is the value",
    when: is("zone", "mqtt"),
    defaultAnswer: always(""),
  },
  {
    name: "zone-open",
    text: "Value that means open, such as ON or false",
    when: is("zone", "mqtt"),
    problem: notEmpty,
  },
  {
    name: "zone-normal",
    text: "Value that means closed; empty when the sensor never says so",
    when: is("zone", "mqtt"),
    defaultAnswer: always(""),
  },
  {
    name: "objective-type",
    text: "What is watched: kind of objective at the centre",
    choices: OBJECTIVE_TYPES,
    when: hasZone,
    defaultAnswer: always("obiective/cladiri"),
  },
  {
    name: "objective-id",
    text: "Its number at the centre",
    when: hasZone,
    defaultAnswer: always("1"),
    problem: number,
  },
  {
    name: "objective-name",
    text: "Its name",
    when: hasZone,
    defaultAnswer: ({ "site-name": name = "" }) => name,
  },
  {
    name: "administrator",
    text: "E-mail address of the first administrator; empty to have one made at the first start",
    defaultAnswer: always(""),
    problem: (text) => (text === "" ? undefined : email(text)),
  },
  {
    name: "administrator-password",
    text: "A password for it",
    when: said("administrator"),
    isSecret: true,
    problem: notEmpty,
  },
];

/** What is wrong with an answer to a question, as a sentence; undefined when nothing is. */
export function problemWith({ name, choices, problem }: SetupQuestion, answer: string): string | undefined {
  if (choices && !choices.includes(answer))
    return `${name} is one of ${choices.join(", ")}, not ${JSON.stringify(answer)}`;
  const what = problem?.(answer);
  return what === undefined ? undefined : `${name} ${what}`;
}

/** A name as people write it, in the letters that a reference may have. */
function slugOf(text: string): string {
  const slug = folded(text)
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 32)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "site-1" : slug;
}

function ownTimeZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone.includes("/") ? zone : "Europe/Bucharest";
}

function notEmpty(text: string): string | undefined {
  return text.trim() === "" ? "must not be empty" : undefined;
}

function number(text: string): string | undefined {
  return /^\d{1,9}$/.test(text) ? undefined : "must be a number";
}

function email(text: string): string | undefined {
  return /^[^@\s]+@[^@\s]+$/.test(text) ? undefined : "is no e-mail address";
}

function address(text: string): string | undefined {
  return URL.canParse(text) ? undefined : "is no address such as https://host:port";
}
