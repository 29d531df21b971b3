import type { CancelTimer, Clock } from "../domain/clock.ts";
import { HEADLINE_LEVELS, type Headline } from "../domain/headline.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Contact, Zone, ZoneKind } from "../domain/zone.ts";

/** Puts a retained message on a broker; one that is not there is told everything once it is. */
export interface RetainedPublisher {
  /** @param onConnected called each time the broker has been reached. @param availability topic that says `offline` when this end is gone */
  start(onConnected: () => void, availability: string): Promise<void>;
  publish(topic: string, payload: string): void;
  stop(): Promise<void>;
}

/** How the installation stands. */
export interface InstallationState {
  readonly headline: Pick<Headline, "level" | "text">;
  readonly zones: readonly { readonly id: string; readonly contact: Contact }[];
  /** The way to the centre; `none` for a daemon that stands alone. */
  readonly link: { readonly state: "up" | "down" | "unknown" | "none" };
  /** Records that wait for the centre. */
  readonly outbox: { readonly waiting: number };
  readonly isClockTrusted: boolean;
}

export interface HomeAssistantOptions {
  readonly zones: readonly Zone[];
  readonly site: { readonly name: string; readonly ref: string };
  /** First level of the discovery topics. */
  readonly prefix: string;
  readonly version: string;
  readonly publisher: RetainedPublisher;
  readonly clock: Clock;
  readonly log: Log;
  readonly look: () => InstallationState;
}

/** A person who looks at a screen waits no longer than this for a door to be shown as open. */
const LOOK_EVERY_MS = 1_000;

/**
 * Shows the installation in Home Assistant as one device: its zones and headline, the way to the centre, what waits, and the clock.
 * It only shows; nothing can be done from there.
 */
export class HomeAssistant {
  readonly #options: HomeAssistantOptions;
  readonly #base: string;
  readonly #published = new Map<string, string>();
  #zones: readonly Zone[];
  /** Zones that were shown and are gone; a broker that is away removes them when it is back. */
  readonly #gone = new Set<string>();
  /** Whether the last look failed, which is told once. */
  #isBlind = false;
  #cancelLook: CancelTimer | undefined;

  constructor(options: HomeAssistantOptions) {
    this.#options = options;
    this.#zones = options.zones;
    this.#base = `santinela/${options.site.ref}`;
  }

  async start(): Promise<void> {
    await this.#options.publisher.start(() => this.#announce(), this.#availability);
    this.#look();
  }

  /** Shows other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    const ids = new Set(zones.map(({ id }) => id));
    for (const { id } of this.#zones) if (!ids.has(id)) this.#gone.add(id);
    for (const id of ids) this.#gone.delete(id);
    this.#zones = zones;
    this.#announce();
  }

  async stop(): Promise<void> {
    this.#cancelLook?.();
    await this.#options.publisher.stop();
  }

  /** Everything anew: a broker may have lost what it had kept. */
  #announce(): void {
    const { prefix, site, publisher } = this.#options;
    publisher.publish(`${prefix}/device/${idOf(site.ref)}/config`, JSON.stringify(this.#announcement()));
    publisher.publish(this.#availability, "online");
    // Nothing is kept of a zone that is not there.
    for (const id of this.#gone) publisher.publish(this.#zoneTopic(id), "");
    this.#published.clear();
    this.#publishChanges();
  }

  #look(): void {
    this.#publishChanges();
    this.#cancelLook = this.#options.clock.after(LOOK_EVERY_MS, () => this.#look());
  }

  #publishChanges(): void {
    const { publisher } = this.#options;
    for (const [topic, value] of this.#values()) {
      if (this.#published.get(topic) === value) continue;
      this.#published.set(topic, value);
      publisher.publish(topic, value);
    }
  }

  /** What there is to be shown now; nothing where a database cannot be read, which is no reason to miss an alarm. */
  #values(): [string, string][] {
    try {
      const values = this.#valuesOf(this.#options.look());
      this.#isBlind = false;
      return values;
    } catch (error) {
      if (!this.#isBlind)
        this.#options.log.warn("home-assistant-publish-failed", { reason: messageOf(error) });
      this.#isBlind = true;
      return [];
    }
  }

  #valuesOf({ headline, zones, link, outbox, isClockTrusted }: InstallationState): [string, string][] {
    return [
      [`${this.#base}/headline`, headline.level],
      [`${this.#base}/headline/text`, JSON.stringify({ text: headline.text })],
      ...zones.map(({ id, contact }): [string, string] => [this.#zoneTopic(id), knownOr(contact)]),
      [`${this.#base}/link`, link.state === "none" ? UNKNOWN : knownOr(link.state)],
      [`${this.#base}/queue`, String(outbox.waiting)],
      [`${this.#base}/clock`, isClockTrusted ? "trusted" : "not trusted"],
    ];
  }

  #announcement(): object {
    const { site, version } = this.#options;
    const zones = this.#zones;
    const id = idOf(site.ref);
    const component = (key: string, more: object): [string, object] => [
      key,
      { unique_id: `${id}_${key}`, ...more },
    ];
    return {
      device: {
        identifiers: [id],
        name: `Santinela ${site.name}`,
        manufacturer: "Santinela",
        sw_version: version,
      },
      origin: { name: "Santinela", sw_version: version },
      availability: [{ topic: this.#availability }],
      qos: 1,
      components: Object.fromEntries([
        ...zones.map((zone) =>
          component(`zone_${zone.id}`, {
            platform: "binary_sensor",
            name: zone.name,
            device_class: CLASS_OF_KIND[zone.kind],
            state_topic: this.#zoneTopic(zone.id),
            payload_on: "open",
            payload_off: "normal",
          }),
        ),
        // A component with nothing but its platform is removed.
        ...[...this.#gone].map((gone) => [`zone_${gone}`, { platform: "binary_sensor" }] as const),
        ...Object.entries(this.#siteComponents()).map(([key, more]) => component(key, more)),
      ]),
    };
  }

  /** What is shown of the site as a whole. */
  #siteComponents(): Readonly<Record<string, object>> {
    return {
      headline: {
        platform: "sensor",
        name: "Headline",
        device_class: "enum",
        options: HEADLINE_LEVELS,
        state_topic: `${this.#base}/headline`,
        json_attributes_topic: `${this.#base}/headline/text`,
      },
      // Unsafe while an alarm is not done or a zone is open while armed.
      alarm: {
        platform: "binary_sensor",
        name: "Alarm",
        device_class: "safety",
        state_topic: `${this.#base}/headline`,
        value_template: "{{ 'ON' if value == 'alarm' else 'OFF' }}",
      },
      link: {
        platform: "binary_sensor",
        name: "Link",
        device_class: "connectivity",
        state_topic: `${this.#base}/link`,
        payload_on: "up",
        payload_off: "down",
      },
      queue: {
        platform: "sensor",
        name: "Queue",
        state_class: "measurement",
        state_topic: `${this.#base}/queue`,
      },
      clock: {
        platform: "binary_sensor",
        name: "Clock",
        device_class: "problem",
        state_topic: `${this.#base}/clock`,
        payload_on: "not trusted",
        payload_off: "trusted",
      },
    };
  }

  get #availability(): string {
    return `${this.#base}/availability`;
  }

  #zoneTopic(zoneId: string): string {
    return `${this.#base}/zones/${zoneId}`;
  }
}

/** What Home Assistant takes for "nobody knows". */
const UNKNOWN = "None";

function knownOr(value: string): string {
  return value === "unknown" ? UNKNOWN : value;
}

/** A discovery topic takes letters, digits, `_` and `-` alone. */
function idOf(ref: string): string {
  return `santinela_${ref.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
}

/** Home Assistant's device class of a zone of each kind. */
const CLASS_OF_KIND: Readonly<Record<ZoneKind, string>> = {
  intrusion: "opening",
  perimeter: "opening",
  motion: "motion",
  glass: "vibration",
  fire: "smoke",
  panic: "safety",
  holdup: "safety",
  medical: "safety",
  flood: "moisture",
  gas: "gas",
  tamper: "tamper",
  technical: "problem",
};
