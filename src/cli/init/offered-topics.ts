import { QUESTIONS, type SetupQuestion } from "../../config/setup-questions.ts";
import { likelyContact, likelyMeaning, type MessageValue } from "../../domain/discovery/contact-guess.ts";
import type { DiscoveredDevice } from "../../domain/discovery/device.ts";
import { scalarsIn } from "../../domain/discovery/message-fields.ts";
import { kindOfName } from "../../domain/discovery/name-hints.ts";
import { configuredName, type ProposedZone } from "../../domain/discovery/proposed-zone.ts";
import { isOneOf, type Scalar } from "../../domain/plain-value.ts";
import { plainLine } from "../../domain/single-line.ts";
import type { DiscoverySession } from "../../inputs/discovery-session.ts";
import type { Prompt } from "../prompt.ts";
import { deviceTitle, readableMessages, shownValue, valuesText } from "../readable-lines.ts";
import { tableText } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { answerTo } from "./answer.ts";

/** Of one message in the table; the question about it lists all. */
const VALUES_MAX = 3;
/** A sensor that never says that it is normal is restored automatically. */
const AUTO_RESTORE_S = 30;

/** A message that no proposal reads: the user says which of its values is the contact. */
export interface OfferedTopic {
  /** Its device; undefined if that is not known. */
  readonly device: DiscoveredDevice | undefined;
  readonly topic: string;
  readonly values: readonly MessageValue[];
}

interface OfferedTopics {
  readonly topics: readonly OfferedTopic[];
  /** What cannot be chosen, and why. */
  readonly notes: readonly string[];
}

/** The messages that a zone could read, though no device is known to send a contact there. */
export function topicsAt(
  devices: readonly DiscoveredDevice[],
  session: DiscoverySession,
  discovery: { readonly prefix: string },
): OfferedTopics {
  const { silent, ofDevices, others, hasMore } = readableMessages(devices, session, discovery);
  const all = [
    ...silent.flatMap((device) => (ofDevices.get(device) ?? []).map((message) => ({ device, message }))),
    ...others.map((message) => ({ device: undefined, message })),
  ].map(({ device, message }) => ({ device, topic: message.topic, values: scalarsIn(message) }));
  const isEmpty = ({ values }: OfferedTopic): boolean => values.length === 0;
  return {
    topics: all.filter((one) => !isEmpty(one)),
    notes: [
      ...silent
        .filter((device) => !ofDevices.has(device))
        .map((device) => `${deviceTitle(device)}: no message yet`),
      ...all.filter(isEmpty).map(({ topic }) => `${plainLine(topic)}: no value`),
      ...(hasMore ? ["and more; the web panel lists the newest 200"] : []),
    ],
  };
}

/** @param firstNumber of the first row */
export function topicTable(topics: readonly OfferedTopic[], firstNumber: number): string {
  const rows = topics.map(({ device, topic, values }, index) => [
    String(firstNumber + index),
    device ? deviceTitle(device) : "",
    topic,
    valuesText(values, VALUES_MAX),
  ]);
  return tableText(["", "DEVICE", "TOPIC", "LAST VALUES"], rows);
}

/** A zone for a topic, with the likeliest name and type; `zoneReadingTopic` asks what its values mean. */
export function zoneAtTopic({ device, topic, values }: OfferedTopic): ProposedZone {
  const name = configuredName(device?.name ?? topic.split("/").pop() ?? topic);
  const path = values[likelyContact(values)]?.path ?? "";
  const kind = kindOfName(`${name} ${topic} ${path}`) ?? "intrusion";
  return { id: "", name, kind, input: { mqtt: topic, open: [] }, doubts: [] };
}

/** Asks which value is the contact, and what it is while the zone is open and normal. */
export async function zoneReadingTopic(
  zone: ProposedZone,
  { topic, values }: OfferedTopic,
  prompt: Prompt,
  terminal: Terminal,
): Promise<ProposedZone> {
  const contact = await contactOf(topic, values, prompt, terminal);
  const meaning = contact && likelyMeaning(contact);
  const ask = (name: string, offered: string | undefined, ...rest: ProblemOf[]): Promise<string> =>
    answerTo(questionWith(name, offered), {}, prompt, terminal, ...rest);
  const [likelyOpen, likelyNormal] = [meaning?.open[0], meaning?.normal[0]].map((value) =>
    value === undefined ? undefined : String(value),
  );
  const open = valueOf(await ask("zone-open", likelyOpen));
  const isAlsoOpen = (text: string): boolean => text !== "" && isOneOf([open], valueOf(text));
  // A value that was entered instead of the proposed one may be the proposed normal one.
  const normalOffered = likelyNormal !== undefined && !isAlsoOpen(likelyNormal) ? likelyNormal : undefined;
  const normal = await ask("zone-normal", normalOffered, (text) =>
    isAlsoOpen(text) ? "zone-normal is the value that means open" : undefined,
  );
  const isReported = normal !== "" && !(normalOffered !== undefined && normal === NO_NORMAL);
  const path = contact?.path ?? null;
  return {
    ...zone,
    input: {
      mqtt: topic,
      ...(path === null ? {} : { path }),
      open: [open],
      ...(isReported ? { normal: [valueOf(normal)] } : {}),
    },
    ...(isReported ? {} : { autoRestoreS: AUTO_RESTORE_S }),
  };
}

type ProblemOf = (answer: string) => string | undefined;

/** Where a value is offered, an empty answer accepts it. */
const NO_NORMAL = "none";

async function contactOf(
  topic: string,
  values: readonly MessageValue[],
  prompt: Prompt,
  { stderr }: Terminal,
): Promise<MessageValue | undefined> {
  if (values.length < 2) return values[0];
  stderr.write(`  ${plainLine(topic)} has several values:\n`);
  const rows = values.map((value, index) => [`    ${index + 1}`, value.path ?? "", shownValue(value.value)]);
  stderr.write(rows.map((row) => `${row.map(plainLine).join("  ")}\n`).join(""));
  const offered = likelyContact(values) + 1;
  for (;;) {
    const typed = (await prompt.line(`Which of them is the contact? [${offered}]: `)).trim();
    const chosen = values[(typed === "" ? offered : Number(typed)) - 1];
    if (chosen) return chosen;
    stderr.write(`  enter a number from 1 to ${values.length}\n`);
  }
}

function questionWith(name: string, offered: string | undefined): SetupQuestion {
  const question = QUESTIONS.find((one) => one.name === name);
  if (!question) throw new Error(`no question ${name}`);
  if (offered === undefined) return question;
  const text =
    name === "zone-normal"
      ? `Value that means normal; ${NO_NORMAL} if the sensor does not report it`
      : question.text;
  return { ...question, text, defaultAnswer: () => offered };
}

/** As a sensor would send it: a number or a truth value if it looks like one. */
function valueOf(text: string): Scalar {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d+(?:\.\d+)?$/.test(text) && String(Number(text)) === text ? Number(text) : text;
}
