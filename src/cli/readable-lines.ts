import type { MessageValue } from "../domain/discovery/contact-guess.ts";
import type { DiscoveredDevice, ReceivedMessage } from "../domain/discovery/device.ts";
import { scalarsIn } from "../domain/discovery/message-fields.ts";
import { readableTopics, type ReadableTopics } from "../domain/discovery/readable-topics.ts";
import type { Scalar } from "../domain/plain-value.ts";
import { plainLine } from "../domain/single-line.ts";
import type { DiscoverySession } from "../inputs/discovery-session.ts";

/** More would not fit on a screen; the web panel has all. */
const TOPICS_MAX = 20;
const VALUES_MAX = 8;
const VALUE_LENGTH_MAX = 40;

/** Messages that no proposal reads, with the devices that have no proposal. */
export interface ReadableMessages extends ReadableTopics {
  readonly silent: readonly DiscoveredDevice[];
}

/** The devices without a proposed zone and the topics without a device, as many as fit on a screen. */
export function readableMessages(
  devices: readonly DiscoveredDevice[],
  session: DiscoverySession,
  { prefix }: { readonly prefix: string },
): ReadableMessages {
  const { messages } = session;
  const topics = readableTopics(
    devices,
    { all: messages.all(), unannounced: messages.others() },
    {
      limit: TOPICS_MAX,
      isOwn: (topic) =>
        [prefix, "santinela"].some((own) => topic.startsWith(`${own}/`)) || session.hasAskedOn(topic),
    },
  );
  return {
    ...topics,
    silent: devices.filter(({ proposals }) => proposals.length === 0).slice(0, TOPICS_MAX),
  };
}

/** The devices without a proposed zone and the topics without a device, each with the values that a zone could read. */
export function readableLines(
  devices: readonly DiscoveredDevice[],
  session: DiscoverySession,
  discovery: { readonly prefix: string },
): string[] {
  const { silent, ofDevices, others, hasMore } = readableMessages(devices, session, discovery);
  const lines = [
    ...silent.flatMap((device) => [
      `  ${deviceTitle(device)}:${ofDevices.has(device) ? "" : " no message yet"}`,
      ...(ofDevices.get(device) ?? []).map((message) => `    ${valuesIn(message)}`),
    ]),
    ...others.map((message) => `  ${valuesIn(message)}`),
  ];
  if (lines.length === 0) return [];
  return [
    "without a proposed zone; input: { mqtt: <topic>, path: <path>, open: [<value>] } reads one of these values:",
    ...lines,
    ...(hasMore ? ["  and more; the web panel lists the newest 200"] : []),
  ];
}

/** Name and model of a device. */
export function deviceTitle({ name, model }: DiscoveredDevice): string {
  return plainLine([name, model].filter(Boolean).join(", "));
}

/** The first values of a message, each with its path. */
export function valuesText(fields: readonly MessageValue[], valuesMax: number): string {
  const values = fields
    .slice(0, valuesMax)
    .map(({ path, value }) => (path === null ? shownValue(value) : `${path} ${shownValue(value)}`));
  return `${values.join(", ") || "no value"}${fields.length > valuesMax ? ", …" : ""}`;
}

/** A value as JSON; long text is cut. */
export function shownValue(value: Scalar): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, VALUE_LENGTH_MAX) : value);
}

function valuesIn(message: ReceivedMessage): string {
  return plainLine(`${message.topic}: ${valuesText(scalarsIn(message), VALUES_MAX)}`);
}
