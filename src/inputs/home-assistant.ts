import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Headline } from "../domain/headline.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import { deviceIdOf } from "./home-assistant-device.ts";
import { siteComponents } from "./home-assistant-site.ts";
import { homeAssistantState, zoneEntities, type ShownZone, type ZoneEntity } from "./home-assistant-zones.ts";

/** Publishes retained messages at a broker; on each connection all of them are published again. */
export interface RetainedPublisher {
  /** @param onConnected called on each connection. @param availability topic whose last will is `offline` */
  start(onConnected: () => void, availability: string): Promise<void>;
  publish(topic: string, payload: string): void;
  stop(): Promise<void>;
}

/** State of the installation. */
export interface InstallationState {
  readonly headline: Pick<Headline, "level" | "text">;
  readonly zones: readonly ShownZone[];
  /** The connection to the dispatch centre; `none` for a standalone daemon. */
  readonly link: { readonly state: "up" | "down" | "unknown" | "none" };
  /** Records queued for the dispatch centre. */
  readonly outbox: { readonly waiting: number };
  readonly isClockTrusted: boolean;
}

export interface HomeAssistantOptions {
  readonly zones: readonly Zone[];
  /** The site now: its name may change, its reference does not. */
  readonly site: () => { readonly name: string; readonly ref: string };
  /** First level of the discovery topics. */
  readonly prefix: string;
  readonly version: string;
  /** Address of the web panel for a browser; undefined if only this machine can open it. */
  readonly panelUrl: () => string | undefined;
  readonly publisher: RetainedPublisher;
  readonly clock: Clock;
  readonly log: Log;
  readonly readState: () => InstallationState;
}

/** Maximum delay until Home Assistant shows a change. */
const UPDATE_INTERVAL_MS = 1_000;
/** Updates that fail one after the other until Home Assistant shows the installation as unavailable: its states may be old. */
const FAILURES_MAX = 5;

/**
 * Shows the installation in Home Assistant as one device: zones, headline, connection to the dispatch centre, queued
 * records and clock. It is read-only: Home Assistant cannot control anything.
 */
export class HomeAssistant {
  readonly #options: HomeAssistantOptions;
  /** Of the reference at the start: with another id, Home Assistant would show a second device. */
  readonly #deviceId: string;
  readonly #base: string;
  readonly #published = new Map<string, string>();
  #zones: readonly Zone[];
  /** Topics of removed entities by key; they are removed from Home Assistant on the next connection, too. */
  readonly #removed = new Map<string, string>();
  /** Name of the site in the last announcement. */
  #announcedName: string;
  /** Updates that have failed since the last one that succeeded; the first failure is logged. */
  #failures = 0;
  #cancelUpdate: CancelTimer | undefined;

  constructor(options: HomeAssistantOptions) {
    this.#options = options;
    this.#zones = options.zones;
    const { ref, name } = options.site();
    this.#deviceId = deviceIdOf(ref);
    this.#base = `santinela/${ref}`;
    this.#announcedName = name;
  }

  async start(): Promise<void> {
    await this.#options.publisher.start(() => this.#announce(), this.#availability);
    this.#update();
  }

  /** Shows other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    for (const { key, topic } of this.#entities()) this.#removed.set(key, topic);
    this.#zones = zones;
    for (const { key } of this.#entities()) this.#removed.delete(key);
    this.#announce();
  }

  async stop(): Promise<void> {
    this.#cancelUpdate?.();
    await this.#options.publisher.stop();
  }

  /** Publishes everything again: a broker may have lost its retained messages. */
  #announce(): void {
    const { prefix, site, publisher } = this.#options;
    this.#announcedName = site().name;
    publisher.publish(`${prefix}/device/${this.#deviceId}/config`, JSON.stringify(this.#announcement()));
    // An empty payload deletes the retained message of a removed zone.
    for (const topic of this.#removed.values()) publisher.publish(topic, "");
    this.#published.clear();
    this.#publishChanges();
  }

  #update(): void {
    if (this.#options.site().name === this.#announcedName) this.#publishChanges();
    else this.#announce();
    this.#cancelUpdate = this.#options.clock.after(UPDATE_INTERVAL_MS, () => this.#update());
  }

  #publishChanges(): void {
    const { publisher } = this.#options;
    const values = this.#values();
    const availability = this.#failures < FAILURES_MAX ? "online" : "offline";
    for (const [topic, value] of [...values, [this.#availability, availability] as const]) {
      if (this.#published.get(topic) === value) continue;
      this.#published.set(topic, value);
      publisher.publish(topic, value);
    }
  }

  /** The values to show; none if a database cannot be read, because this must not stop the processing of alarms. */
  #values(): [string, string][] {
    try {
      const values = this.#valuesOf(this.#options.readState());
      this.#failures = 0;
      return values;
    } catch (error) {
      if (this.#failures === 0)
        this.#options.log.warn("home-assistant-publish-failed", { reason: messageOf(error) });
      this.#failures += 1;
      return [];
    }
  }

  #valuesOf({ headline, zones, link, outbox, isClockTrusted }: InstallationState): [string, string][] {
    return [
      [`${this.#base}/headline`, headline.level],
      [`${this.#base}/headline/text`, JSON.stringify({ text: headline.text })],
      ...this.#zoneValues(zones),
      [`${this.#base}/link`, homeAssistantState(link.state === "none" ? "unknown" : link.state)],
      [`${this.#base}/queue`, String(outbox.waiting)],
      [`${this.#base}/clock`, isClockTrusted ? "trusted" : "not trusted"],
    ];
  }

  #zoneValues(zones: readonly ShownZone[]): [string, string][] {
    const shown = new Map(zones.map((zone) => [zone.id, zone]));
    return this.#zones.flatMap((zone) => {
      const state = shown.get(zone.id);
      return state
        ? this.#entitiesOf(zone).map(({ topic, valueOf }): [string, string] => [topic, valueOf(state)])
        : [];
    });
  }

  #entities(): ZoneEntity[] {
    return this.#zones.flatMap((zone) => this.#entitiesOf(zone));
  }

  #entitiesOf(zone: Zone): ZoneEntity[] {
    return zoneEntities(zone, `${this.#base}/zones`);
  }

  #announcement(): object {
    const { version, panelUrl, site: siteOf } = this.#options;
    const [site, id, url] = [siteOf(), this.#deviceId, panelUrl()];
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
        ...(url === undefined ? {} : { configuration_url: url }),
      },
      origin: { name: "Santinela", sw_version: version },
      availability: [{ topic: this.#availability }],
      qos: 1,
      components: Object.fromEntries([
        ...this.#entities().map(({ key, topic, component: own }) =>
          component(key, { platform: "binary_sensor", state_topic: topic, ...own }),
        ),
        // A component with only its platform is removed.
        ...[...this.#removed.keys()].map((removed) => [removed, { platform: "binary_sensor" }] as const),
        ...Object.entries(siteComponents(this.#base)).map(([key, more]) => component(key, more)),
      ]),
    };
  }

  get #availability(): string {
    return `${this.#base}/availability`;
  }
}
