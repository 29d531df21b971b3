import type { DiscoveredAvailability, DiscoveredSensor } from "./home-assistant-message.ts";

/**
 * The tamper or battery of a contact among those of its device. A device with several contacts, such as an alarm panel, has one for
 * each: the one whose topic, path and name have the most in common with those of the contact.
 * @param contacts number of contacts that the device has
 * @returns undefined if several have as much in common, and if there is none
 */
export function partOfContact(
  contact: DiscoveredSensor,
  parts: readonly DiscoveredSensor[],
  contacts: number,
): DiscoveredSensor | undefined {
  if (contacts <= 1 || parts.length <= 1) return parts[0];
  const rated = parts
    .map((part) => ({ part, common: inCommon(contact, part) }))
    .toSorted((a, b) => b.common - a.common);
  const [best, next] = rated;
  return best && best.common > (next?.common ?? -1) ? best.part : undefined;
}

/** Availabilities with the one whose topic has the most in common with that of the sensor first: the other ones are of its bridges. */
export function byNearness(
  availabilities: readonly DiscoveredAvailability[],
  { topic }: DiscoveredSensor,
): DiscoveredAvailability[] {
  return availabilities.toSorted((a, b) => sharedWords(topic, b.topic) - sharedWords(topic, a.topic));
}

/** Number of words that the places, and the names, begin with alike. */
function inCommon(one: DiscoveredSensor, other: DiscoveredSensor): number {
  const place = ({ topic, path = "" }: DiscoveredSensor): string => `${topic}${path}`;
  return sharedWords(place(one), place(other)) + sharedWords(one.name, other.name);
}

function sharedWords(one: string, other: string): number {
  const words = wordsOf(one);
  const others = wordsOf(other);
  const end = words.findIndex((word, index) => word !== others[index]);
  return end === -1 ? words.length : end;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}
