/** As many sensors as the product takes zones; each has an objective of its own. */
export const SENSORS = 500;

export const sensorNumbers: readonly number[] = Array.from({ length: SENSORS }, (_, index) => index + 1);

export function topicOf(sensor: number): string {
  return `bench/${sensor}`;
}

/** What a contact on zigbee2mqtt sends. */
export function messageOf(contact: "open" | "closed"): string {
  return JSON.stringify({
    battery: 60,
    battery_low: false,
    contact: contact === "closed",
    linkquality: 23,
    tamper: false,
    voltage: 2900,
  });
}
