import {
  devicePlaceOf,
  isDeviceList,
  listedDevices,
  type DeviceList,
  type DevicePlace,
  type ListedDevice,
} from "../domain/device-list.ts";
import { unlistedOf } from "../domain/fault.ts";
import { plainLine } from "../domain/single-line.ts";
import type { Zone } from "../domain/zone.ts";
import { TransactionalMap } from "../store/transactional-map.ts";
import type { ZoneContext } from "./zone-context.ts";
import type { ZoneEngine } from "./zone-engine.ts";

interface DeviceListsOptions extends Pick<ZoneContext, "zones" | "journal" | "conditions"> {
  readonly monitor: ZoneEngine;
}

const REFUSED = "not-a-device-list";

/** A zone whose sensor may be listed by a zigbee2mqtt. */
interface ListedZone extends DevicePlace {
  readonly zone: Zone;
  readonly topic: string;
}

/**
 * The sensors that a zigbee2mqtt lists. One that gets another name publishes on another topic, and one that is removed publishes no
 * more: nothing arrives for their zones, which looks like a closed door. So a zone whose sensor is missing in a complete list is
 * unavailable, with a condition that says what has happened.
 */
export class DeviceLists {
  readonly #options: DeviceListsOptions;
  #zones: readonly ListedZone[];
  /** The device of each topic when it was last listed. */
  readonly #devices = new Map<string, ListedDevice>();
  /** Whether the sensor of a zone is there; undefined before its first list. */
  readonly #isThere: TransactionalMap<string, boolean>;

  constructor(options: DeviceListsOptions) {
    this.#options = options;
    this.#zones = listedZones(options.zones);
    this.#isThere = new TransactionalMap(options.journal);
  }

  /** The topics of the lists to subscribe to. */
  get topics(): readonly string[] {
    return topicsOf(this.#zones);
  }

  /** The topics of other zones' lists, and those whose retained message such a zone has not read. */
  topicsOf(zones: readonly Zone[]): { readonly all: readonly string[]; readonly news: readonly string[] } {
    const after = listedZones(zones);
    const known = new Set(this.#zones.map(keyOf));
    return { all: topicsOf(after), news: topicsOf(after.filter((listed) => !known.has(keyOf(listed)))) };
  }

  /** Reads the lists of other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    const after = listedZones(zones);
    const kept = new Set(after.map(keyOf));
    for (const listed of this.#zones)
      if (!kept.has(keyOf(listed))) {
        this.#isThere.delete(listed.zone.id);
        this.#clear(listed.zone.id);
      }
    this.#zones = after;
    const topics = new Set(after.map(({ topic }) => topic));
    for (const topic of this.#devices.keys()) if (!topics.has(topic)) this.#devices.delete(topic);
  }

  /**
   * Reads a message, if it is a list of these zones.
   * @returns why it was refused. An empty message is not: it removes a retained list
   * @throws any error of the journal; the list should then be read again
   */
  read(topic: string, payload: Uint8Array): typeof REFUSED | undefined {
    const zones = isDeviceList(topic) ? this.#zones.filter(({ list }) => list === topic) : [];
    if (zones.length === 0 || payload.byteLength === 0) return undefined;
    const devices = listedDevices(payload);
    if (!devices) return REFUSED;
    for (const listed of zones) this.#check(listed, devices);
    return undefined;
  }

  /** To be called with each new message of a zone's sensor: its topic is in use. @throws any error of the journal */
  heard(zoneId: string): void {
    if (this.#isThere.get(zoneId) === true || !this.#zones.some(({ zone }) => zone.id === zoneId)) return;
    this.#setThere(zoneId, true);
  }

  #check(listed: ListedZone, devices: DeviceList): void {
    const { zone, topic, base, name } = listed;
    const former = this.#devices.get(topic);
    const device = devices.named(name);
    // `hall` is not `hall/door`, which was there before; another device with the same name replaces it.
    const isOther = device && former && device.name !== former.name && device.address !== former.address;
    if (device && !isOther) {
      this.#devices.set(topic, device);
      if (this.#isThere.get(zone.id) !== true) this.#setThere(zone.id, true);
      return;
    }
    // Another program may publish a topic that no bridge is known to be behind.
    const wasListed = former !== undefined || this.#options.journal.losses.has(unlistedOf(zone.id));
    if (!listed.isOfBridge && !wasListed) return;
    this.#setThere(zone.id, false);
    const { conditions } = this.#options;
    // Without a name of its own a device has that of its address.
    const renamed = devices.withAddress(former?.address ?? name);
    const values = { zone: zone.name, topic };
    if (renamed) {
      const newName = plainLine(renamed.name);
      const newTopic = `${base}${newName}${name.slice((former?.name ?? name).length)}`;
      conditions.clear("mqtt-device-removed", zone.id);
      conditions.raise("mqtt-device-renamed", { ...values, name: newName, newTopic }, zone.id);
    } else {
      conditions.clear("mqtt-device-renamed", zone.id);
      conditions.raise("mqtt-device-removed", values, zone.id);
    }
  }

  #setThere(zoneId: string, isListed: boolean): void {
    this.#options.monitor.take(zoneId, { kind: "listing", isListed }, { live: false });
    this.#isThere.set(zoneId, isListed);
    if (isListed) this.#clear(zoneId);
  }

  #clear(zoneId: string): void {
    this.#options.conditions.clear("mqtt-device-removed", zoneId);
    this.#options.conditions.clear("mqtt-device-renamed", zoneId);
  }
}

function listedZones(zones: readonly Zone[]): ListedZone[] {
  return zones.flatMap((zone) => {
    const place = devicePlaceOf(zone);
    return place ? [{ ...place, zone, topic: `${place.base}${place.name}` }] : [];
  });
}

function topicsOf(zones: readonly ListedZone[]): readonly string[] {
  return [...new Set(zones.map(({ list }) => list))];
}

function keyOf({ zone, topic, list }: ListedZone): string {
  return JSON.stringify([zone.id, topic, list]);
}
