/** The device of this site in Home Assistant as it was announced, so that a later run removes what no longer applies. */
export interface AnnouncedDevice {
  /** Of its announcement. */
  readonly topic: string;
  /** Keys and topics of the entities of zones, also of those that were removed. */
  readonly entities: readonly (readonly [key: string, topic: string])[];
  /** The topics of its other states. */
  readonly others: readonly string[];
}

/** Keeps the device beyond the end of the daemon. */
export interface AnnouncedDeviceStore {
  load(): AnnouncedDevice | undefined;
  /** @throws Error of the disk */
  save(device: AnnouncedDevice): void;
  /** @throws Error of the disk */
  forget(): void;
}

/** All topics with a retained message of a device. */
export function topicsOf({ topic, entities, others }: AnnouncedDevice): string[] {
  return [topic, ...entities.map(([, state]) => state), ...others];
}
