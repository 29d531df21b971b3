import type { DiscoveredDevice, ReceivedMessage } from "../domain/discovery/device.ts";
import { scalarsIn } from "../domain/discovery/message-fields.ts";
import { readableTopics } from "../domain/discovery/readable-topics.ts";
import { plainLine } from "../domain/single-line.ts";
import type { DiscoverySession } from "../inputs/discovery-session.ts";

/** More would not fit on a screen; the web panel has all. */
const TOPICS_MAX = 20;
const VALUES_MAX = 8;
const VALUE_LENGTH_MAX = 40;

/** The devices without a proposed zone and the topics without a device, each with the values that a zone could read. */
export function readableLines(
  devices: readonly DiscoveredDevice[],
  session: DiscoverySession,
  { prefix }: { readonly prefix: string },
): string[] {
  const { messages } = session;
  const { ofDevices, others, hasMore } = readableTopics(
    devices,
    { all: messages.all(), unannounced: messages.others() },
    {
      limit: TOPICS_MAX,
      isOwn: (topic) =>
        [prefix, "santinela"].some((own) => topic.startsWith(`${own}/`)) || session.hasAskedOn(topic),
    },
  );
  const silent = devices.filter(({ proposals }) => proposals.length === 0).slice(0, TOPICS_MAX);
  const lines = [
    ...silent.flatMap((device) => [
      `  ${plainLine([device.name, device.model].filter(Boolean).join(", "))}:${ofDevices.has(device) ? "" : " no message yet"}`,
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

function valuesIn(message: ReceivedMessage): string {
  const fields = scalarsIn(message);
  const values = fields.slice(0, VALUES_MAX).map(({ path, value }) => {
    const text = JSON.stringify(typeof value === "string" ? value.slice(0, VALUE_LENGTH_MAX) : value);
    return path === null ? text : `${path} ${text}`;
  });
  const rest = fields.length > VALUES_MAX ? ", …" : "";
  return plainLine(`${message.topic}: ${values.join(", ") || "no value"}${rest}`);
}
