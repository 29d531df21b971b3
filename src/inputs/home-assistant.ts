import { topicsOf, type AnnouncedDevice, type AnnouncedDeviceStore } from "../domain/announced-device.ts";
import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Headline } from "../domain/headline.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import { AnnouncedDeviceWrites } from "./announced-device-writes.ts";
import type { RetainedPublisher } from "./retained-publisher.ts";
import { deviceIdOf } from "./home-assistant-device.ts";
import { announcementOf, SITE_TOPICS } from "./home-assistant-site.ts";
import { homeAssistantState, zoneEntities, type ShownZone, type ZoneEntity } from "./home-assistant-zones.ts";

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
  /** The site now: a reload can change its name and its reference. */
  readonly site: () => { readonly name: string; readonly ref: string };
  /** First level of the discovery topics. */
  readonly prefix: string;
  readonly version: string;
  /** Address of the web panel for a browser; undefined if only this machine can open it. */
  readonly panelUrl: () => string | undefined;
  readonly publisher: RetainedPublisher;
  readonly announced: AnnouncedDeviceStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly readState: () => InstallationState;
}

/** Maximum delay until Home Assistant shows a change. */
const UPDATE_INTERVAL_MS = 1_000;
/** Updates that fail one after the other until Home Assistant shows the installation as unavailable: its states may be old. */
const FAILURES_MAX = 5;
/** Removed entities that are kept: Home Assistant may have been off when they were removed. */
const REMOVED_MAX = 500;

/**
 * Shows the installation in Home Assistant as one device: zones, headline, connection to the dispatch centre, queued
 * records and clock. It is read-only: Home Assistant cannot control anything.
 */
export class HomeAssistant {
  readonly #options: HomeAssistantOptions;
  /** The reference of the site in the topics. */
  #ref: string;
  readonly #published = new Map<string, string>();
  #zones: readonly Zone[];
  /** Topics of removed entities by key; they are removed from Home Assistant on the next connection, too. */
  readonly #removed = new Map<string, string>();
  /** Topics of the device under a former reference or prefix, which is removed from Home Assistant. */
  #former: readonly string[] = [];
  /** Whether the device has been announced under this reference. */
  #hasConnected = false;
  #isStopped = false;
  /** Name of the site in the last announcement. */
  #announcedName: string;
  /** Updates that have failed since the last one that succeeded; the first failure is logged. */
  #failures = 0;
  #cancelUpdate: CancelTimer | undefined;
  readonly #writes: AnnouncedDeviceWrites;

  constructor(options: HomeAssistantOptions) {
    this.#options = options;
    this.#writes = new AnnouncedDeviceWrites(options);
    this.#zones = options.zones;
    const { ref, name } = options.site();
    this.#ref = ref;
    this.#announcedName = name;
  }

  async start(): Promise<void> {
    const stored = this.#options.announced.load();
    if (stored?.topic === this.#topic)
      for (const [key, topic] of stored.entities) this.#removed.set(key, topic);
    else if (stored) this.#former = topicsOf(stored);
    for (const { key } of this.#entities()) this.#removed.delete(key);
    await this.#connect();
    this.#update();
  }

  #connect(): Promise<void> {
    const onConnected = (): void => {
      this.#hasConnected = true;
      this.#announce();
    };
    return this.#options.publisher.start(onConnected, this.#availability);
  }

  /** Removes the device, and shows the installation as the one of the new reference. */
  async #move(ref: string): Promise<void> {
    this.#former = [...this.#former, ...topicsOf(this.#announced())];
    this.#removed.clear();
    this.#ref = ref;
    // Until the next connection the former device is not removed: a restart must still know it.
    this.#hasConnected = false;
    const { publisher } = this.#options;
    // The connection has the last will of the former reference.
    await publisher.stop();
    if (!this.#isStopped) await this.#connect();
  }

  /** Shows other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    for (const { key, topic } of this.#entities()) this.#removed.set(key, topic);
    this.#zones = zones;
    for (const { key } of this.#entities()) this.#removed.delete(key);
    this.#announce();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelUpdate?.();
    await this.#options.publisher.stop();
  }

  /** Publishes everything again: a broker may have lost its retained messages. */
  #announce(): void {
    const { site, publisher } = this.#options;
    this.#announcedName = site().name;
    const announced = this.#announced();
    const own = new Set(topicsOf(announced));
    // An empty payload deletes a retained message, and with that of its announcement a device.
    for (const topic of this.#former) if (!own.has(topic)) publisher.publish(topic, "");
    publisher.publish(this.#topic, JSON.stringify(this.#announcement()));
    for (const topic of this.#removed.values()) publisher.publish(topic, "");
    // Before the first connection, what an earlier run has announced is still to be taken back.
    if (this.#hasConnected) this.#writes.save(announced);
    this.#published.clear();
    this.#publishChanges();
  }

  #update(): void {
    const { name, ref } = this.#options.site();
    if (ref !== this.#ref) void this.#move(ref);
    else if (name === this.#announcedName) this.#publishChanges();
    else this.#announce();
    this.#writes.retry();
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
    const { version, panelUrl, site } = this.#options;
    return announcementOf({
      id: deviceIdOf(this.#ref),
      name: site().name,
      version,
      panelUrl: panelUrl(),
      base: this.#base,
      entities: this.#entities(),
      removed: [...this.#removed.keys()],
    });
  }

  #announced(): AnnouncedDevice {
    const current = this.#entities().map(({ key, topic }) => [key, topic] as const);
    const removed = [...this.#removed].slice(-REMOVED_MAX);
    return {
      topic: this.#topic,
      entities: [...removed, ...current],
      others: SITE_TOPICS.map((name) => `${this.#base}/${name}`),
    };
  }

  get #topic(): string {
    return `${this.#options.prefix}/device/${deviceIdOf(this.#ref)}/config`;
  }

  get #base(): string {
    return `santinela/${this.#ref}`;
  }

  get #availability(): string {
    return `${this.#base}/availability`;
  }
}
