/** What discovery did not list because a limit was reached, and what to do. */
export interface LeftOut {
  readonly code: LeftOutCode;
  readonly values: Readonly<Record<string, string>>;
}

/** Called each time that a limit leaves something out. */
export type OnLeftOut = (code: LeftOutCode, limit: number) => void;

/** Sentences by code, with values in braces; the panel translates by code. */
const LEFT_OUT = {
  announcements:
    "announcements of devices were not read (number of topics: {limit}): too large, or no room for more. Remove from the broker the announcements of devices that no longer exist, or enter the missing sensors by topic",
  devices:
    "more than {limit} devices or sensors announce themselves; the rest is not listed. Remove from the broker the announcements of devices that no longer exist, or enter the missing sensors by topic",
  "bridge-devices":
    "a zigbee2mqtt bridge lists more than {limit} devices; the rest is not listed. Enter the missing sensors by topic",
  components:
    "a device announces more than {limit} components; the rest is not listed. Enter the missing sensors by topic",
  cameras:
    "a Frigate server has more than {limit} cameras; the rest is not listed. Enter the missing ones by topic",
  queries:
    "after {limit} queries, no further devices were queried, and their sensors are not listed. Enter these by topic",
  topics:
    "only the newest topics without a proposed zone are listed, at most {limit}. Open the sensor, so that its topic is the newest, or enter its topic",
} as const;

export type LeftOutCode = keyof typeof LEFT_OUT;

/** What was left out as an English sentence with its remedy. */
export function leftOutText({ code, values }: LeftOut): string {
  return LEFT_OUT[code].replaceAll(/\{(\w+)\}/g, (braced, name: string) => values[name] ?? braced);
}

/** Collects what is left out, each kind once. */
export class LeftOutList {
  readonly #found = new Map<LeftOutCode, number>();

  readonly add: OnLeftOut = (code, limit) => {
    this.#found.set(code, Math.max(limit, this.#found.get(code) ?? 0));
  };

  list(): LeftOut[] {
    return [...this.#found].map(([code, limit]) => ({ code, values: { limit: String(limit) } }));
  }
}
