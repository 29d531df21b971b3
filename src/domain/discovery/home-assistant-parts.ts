import { lowBatteryOf } from "./home-assistant-battery.ts";
import type { DiscoveredAvailability, DiscoveredSensor } from "./home-assistant-message.ts";

/** An alarm panel has a tamper for each of its zones; of more than a configuration has zones, none is looked for. */
const PARTS_MAX = 512;
/** Of the topic and path, and of the name: what tells the zones of a panel apart is among them. */
const WORDS_MAX = 32;

/** A tamper or battery with its words, which are compared with those of each contact of its device. */
interface Part {
  readonly sensor: DiscoveredSensor;
  readonly words: Words;
}

interface Words {
  readonly place: readonly string[];
  readonly name: readonly string[];
}

/** What a device has besides its contacts. */
export class DeviceParts {
  readonly #contacts: number;
  readonly #tampers: readonly Part[];
  /** Tampers whose values a zone cannot read. */
  readonly #unreadTampers: readonly Part[];
  /** States first: a device's own low-battery state is more reliable than a threshold. */
  readonly #batteries: readonly (readonly Part[])[];
  /** Whether it reports a low battery, but not its end. */
  readonly hasTimedBattery: boolean;

  /**
   * @param sensors all of one device
   * @param contacts number of contacts among them
   */
  constructor(sensors: readonly DiscoveredSensor[], contacts: number) {
    this.#contacts = contacts;
    const isTamper = (one: DiscoveredSensor): boolean => one.deviceClass === "tamper" && !one.isMeasurement;
    this.#tampers = partsOf(sensors, (one) => isTamper(one) && isReadable(one) && !isTimed(one));
    this.#unreadTampers = partsOf(sensors, (one) => isTamper(one) && !isReadable(one));
    const isBattery = (one: DiscoveredSensor): boolean =>
      one.deviceClass === "battery" && lowBatteryOf(one) !== undefined && !isTimed(one);
    this.hasTimedBattery = sensors.some((one) => one.deviceClass === "battery" && isTimed(one));
    this.#batteries = [false, true].map((isMeasured) =>
      partsOf(sensors, (one) => one.isMeasurement === isMeasured && isBattery(one)),
    );
  }

  /** The tamper of a contact; undefined if several have as much in common with it, and if there is none. */
  tamperOf(contact: DiscoveredSensor): DiscoveredSensor | undefined {
    return this.#nearest(contact, this.#tampers);
  }

  /** The tamper of a contact that no zone can read, as `tamperOf`. */
  unreadTamperOf(contact: DiscoveredSensor): DiscoveredSensor | undefined {
    return this.#nearest(contact, this.#unreadTampers);
  }

  /** Whether the contacts have tampers or batteries of their own, as the detectors of an alarm panel do. */
  get areOfContacts(): boolean {
    return this.#contacts > 1 && [this.#tampers, ...this.#batteries].some((parts) => parts.length > 1);
  }

  /** The battery of a contact, as `tamperOf`. */
  batteryOf(contact: DiscoveredSensor): DiscoveredSensor | undefined {
    const [states = [], levels = []] = this.#batteries;
    return this.#nearest(contact, states) ?? this.#nearest(contact, levels);
  }

  /**
   * A device with several contacts, such as an alarm panel, has a part for each: the one whose topic, path and name have the most in
   * common with those of the contact.
   */
  #nearest(contact: DiscoveredSensor, parts: readonly Part[]): DiscoveredSensor | undefined {
    if (this.#contacts <= 1 || parts.length <= 1) return parts[0]?.sensor;
    if (parts.length > PARTS_MAX) return undefined;
    const words = wordsOf(contact);
    let best: DiscoveredSensor | undefined;
    let most = -1;
    for (const part of parts) {
      const common = sharedWords(words.place, part.words.place) + sharedWords(words.name, part.words.name);
      if (common < most) continue;
      best = common === most ? undefined : part.sensor;
      most = common;
    }
    return best;
  }
}

/** Availabilities with the one whose topic has the most in common with that of the sensor first: the other ones are of its bridges. */
export function byNearness(
  availabilities: readonly DiscoveredAvailability[],
  { topic }: DiscoveredSensor,
): DiscoveredAvailability[] {
  const words = wordsIn(topic);
  const shared = ({ topic: other }: DiscoveredAvailability): number => sharedWords(words, wordsIn(other));
  return availabilities.toSorted((a, b) => shared(b) - shared(a));
}

/** A value that a template computes in an unknown way would be read as it is: 1 equals ON. */
function isReadable({ template, isGuess }: DiscoveredSensor): boolean {
  return template === undefined || isGuess === true;
}

/** Whether only time ends a state, as that of a transmitter's code. As a part of a zone it would last, or end with another code. */
export function isTimed({ offDelayS }: DiscoveredSensor): boolean {
  return offDelayS !== undefined;
}

function partsOf(
  sensors: readonly DiscoveredSensor[],
  isPart: (sensor: DiscoveredSensor) => boolean,
): readonly Part[] {
  return sensors.filter(isPart).map((sensor) => ({ sensor, words: wordsOf(sensor) }));
}

function wordsOf({ topic, path = "", name }: DiscoveredSensor): Words {
  return { place: wordsIn(`${topic}${path}`), name: wordsIn(name) };
}

function wordsIn(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .slice(0, WORDS_MAX);
}

/** The number of words with which both begin. */
function sharedWords(words: readonly string[], others: readonly string[]): number {
  const end = words.findIndex((word, index) => word !== others[index]);
  return end === -1 ? words.length : end;
}
