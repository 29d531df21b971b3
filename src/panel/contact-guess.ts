import type { UnknownTopicView } from "../site/discovery-view.ts";

type MessageField = UnknownTopicView["fields"][number];

/** Names that makers give to what their sensor detects, beside its battery and its radio; the likeliest first. */
const DETECTED = [
  "contact",
  "occupancy",
  "presence",
  "smoke",
  "water_leak",
  "gas",
  "carbon_monoxide",
  "vibration",
];

/** The value of a message that is most likely the contact of a zone; undefined for a message without values. */
export function likelyContact(fields: readonly MessageField[]): MessageField | undefined {
  const named = DETECTED.flatMap((name) => fields.filter(({ path }) => path?.split("/").pop() === name));
  return named[0] ?? fields[0];
}

/** What the value most likely is while the zone is open. zigbee2mqtt sends `"contact": true` for a closed contact. */
export function likelyOpen(field: MessageField | undefined): readonly boolean[] {
  const isClosedWhenTrue = typeof field?.value === "boolean" && field.path?.endsWith("/contact") === true;
  return [!isClosedWhenTrue];
}
