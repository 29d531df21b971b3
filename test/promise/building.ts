import { seededRandom } from "../support/seeded-random.ts";

export type Kind =
  | "intrusion"
  | "perimeter"
  | "motion"
  | "glass"
  | "tamper"
  | "fire"
  | "gas"
  | "medical"
  | "holdup"
  | "panic"
  | "flood"
  | "technical";
export type GateKind = "always" | "schedule" | "mqtt" | "gpio";

/** Classes of zone types that share a record. */
export const CLASS_OF: Readonly<Record<Kind, string>> = {
  intrusion: "burglary",
  perimeter: "burglary",
  motion: "burglary",
  glass: "burglary",
  tamper: "burglary",
  fire: "fire",
  gas: "gas",
  medical: "medical",
  holdup: "hold-up",
  panic: "hold-up",
  flood: "flood",
  technical: "technical",
};
/** Zone types that are never suppressed by an arming condition or a swinger shutdown. */
export const LIFE_SAFETY: ReadonlySet<Kind> = new Set(["fire", "gas", "medical", "holdup", "panic"]);

export interface PlayedZone {
  readonly id: string;
  /** No name contains another one, so that a text with the name refers to this zone. */
  readonly name: string;
  readonly kind: Kind;
  /** Number of the building. */
  readonly objective: number;
  readonly source: "gpio" | "mqtt";
  /** Reports openings only, never normal. */
  readonly isPulse: boolean;
  readonly gate: GateKind;
  readonly isSwinger: boolean;
  /** Its topic; undefined for GPIO. */
  readonly topic: string | undefined;
  /** JSON Pointer of its value: zones of one device share a topic. */
  readonly field: string;
  readonly line: number;
  /**
   * Message style of its device: `contact` reports all of its contacts, `input` sends one message per input on
   * a topic, and `review` is a camera with numbered events.
   */
  readonly style: "contact" | "input" | "review";
  readonly entryDelayS: number;
  /** Zones that can confirm it, and the time in seconds. */
  readonly confirmWith: { readonly zones: readonly string[]; readonly withinS: number } | undefined;
}

export interface Building {
  readonly seed: number;
  readonly locale: "ro" | "en";
  readonly zones: readonly PlayedZone[];
  /** Seconds after each power-up until the clock is synchronised. */
  readonly startsIn1970: boolean;
  /** Exit delay in seconds. */
  readonly exitDelaysS: Readonly<Partial<Record<GateKind, number>>>;
}

/** An event in the building, at the dispatch centre or of the machine. */
export type Happening =
  | { readonly what: "open" | "close" | "repeat" | "lost-acknowledgements"; readonly zone: string }
  | { readonly what: "arm" | "disarm"; readonly gate: "mqtt" | "gpio" }
  | { readonly what: "bypass"; readonly zone: string; readonly minutes: number }
  | { readonly what: "restore"; readonly zone: string }
  | { readonly what: "walk-test"; readonly minutes: number }
  | { readonly what: "end-walk-test" }
  | {
      readonly what: "edit";
      readonly side: Side;
      readonly how: "append" | "prepend" | "replace" | "fill";
      readonly nth: number;
    }
  | { readonly what: "done" | "delete" | "re-open"; readonly side: Side; readonly nth: number }
  | { readonly what: "restart" }
  | {
      readonly what: "power-cut";
      readonly forS: number;
      readonly amid: { readonly zone: string; readonly instant: number } | null;
    }
  | { readonly what: "broker-away" | "broker-back" | "sensors-reconnect" }
  | { readonly what: "centre-line"; readonly line: "up" | "cut" | "deaf" | "busy" }
  | { readonly what: "clock"; readonly byS: number }
  /** A message on a shared topic that matches no zone. */
  | { readonly what: "noise" }
  | { readonly what: "reload"; readonly how: Reload; readonly zone: string };
/** A change of the configuration before a reload. */
export type Reload = "remove" | "add" | "rename" | "change" | "break";
export type Side = "site" | "centre";

export interface TimedHappening {
  /** After the start of the week, in milliseconds. */
  readonly atMs: number;
  readonly happening: Happening;
}

export interface Week {
  readonly building: Building;
  readonly happenings: readonly TimedHappening[];
  /** Whether events during a power cut are postponed, with the time between them. */
  readonly isPutOff: boolean;
}

const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  intrusion: ["Ușa principală", "Trapa acoperiș"],
  perimeter: ["Poarta spate", "Gardul estic"],
  motion: ["PIR hol", "Radar atelier"],
  glass: ["Geam vitrină", "Luminator"],
  tamper: ["Capacul centralei", "Doza stradă"],
  fire: ["Fum depozit", "Detector scară"],
  gas: ["Gaz bucătărie", "Metan centrală"],
  medical: ["Brățara 7", "Cordon baie"],
  holdup: ["Pedala casierie", "Buton ghișeu"],
  panic: ["Telecomanda pază", "Buton recepție"],
  flood: ["Apă subsol", "Sonda bazin"],
  technical: ["Pompa nordică", "Congelator"],
};

/** The plain week of a seed; `additions.ts` has the rest. */
export function plainWeekOf(seed: number): Week {
  const chance = new Chance(seed);
  const building = buildingOf(seed, chance);
  return { building, happenings: happeningsOf(building, chance), isPutOff: false };
}

export class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed * 7919 + 17);
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  is(probability: number): boolean {
    return this.#random() < probability;
  }

  of<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }

  weighted<T>(all: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.#random() * all.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of all) if ((left -= weight) < 0) return value;
    return (all[0] as readonly [number, T])[1];
  }
}

function buildingOf(seed: number, chance: Chance): Building {
  const burglary: Kind[] = ["intrusion", "perimeter", "motion", "glass", "tamper"];
  const others: Kind[] = ["fire", "gas", "medical", "holdup", "panic", "flood", "technical"];
  const kinds: Kind[] = ["intrusion", "fire", chance.of(burglary), chance.of(burglary), chance.of(others)];
  while (chance.is(0.6) && kinds.length < 8) kinds.push(chance.of([...burglary, ...others]));
  const used = new Set<string>();
  const zones = kinds.flatMap((kind, index): PlayedZone[] => {
    const name = NAMES[kind].find((each) => !used.has(each));
    if (name === undefined) return [];
    used.add(name);
    const source = chance.is(0.6) ? "mqtt" : "gpio";
    const isPulse = source === "mqtt" && kind === "motion";
    const id = `z${index}`;
    // Every third device has two contacts in one message.
    const device = index % 3 === 2 && !isPulse ? index - 1 : index;
    return [
      {
        id,
        name,
        kind,
        source,
        isPulse,
        objective: chance.is(0.8) ? 1 : 2,
        gate: chance.of<GateKind>(["always", "always", "schedule", "mqtt", "gpio"]),
        isSwinger: chance.is(0.3),
        topic: source === "mqtt" ? `zigbee2mqtt/device${device}` : undefined,
        field: `contact${index}`,
        line: 5 + index,
        style: "contact",
        entryDelayS: 0,
        confirmWith: undefined,
      },
    ];
  });
  return {
    seed,
    locale: chance.is(0.5) ? "ro" : "en",
    zones,
    startsIn1970: chance.is(0.15),
    exitDelaysS: {},
  };
}

function happeningsOf(building: Building, chance: Chance): TimedHappening[] {
  const happenings: TimedHappening[] = [];
  const open = new Set<string>();
  let atMs = 600_000;
  const evenings = chance.between(1, 2);
  for (let evening = 0; evening < evenings; evening += 1) {
    atMs += chance.between(20, 1400) * 60_000;
    for (let left = chance.between(5, 13); left > 0; left -= 1) {
      const next = happeningOf(building, open, chance);
      happenings.push({ atMs, happening: next });
      atMs +=
        chance.weighted([
          [5, () => chance.between(6, 50)],
          [4, () => chance.between(60, 900)],
          [2, () => chance.between(1000, 4000)],
        ])() * 1000;
    }
  }
  return happenings;
}

function happeningOf({ zones }: Building, open: Set<string>, chance: Chance): Happening {
  const zone = chance.of(zones).id;
  const side = chance.of<Side>(["site", "site", "centre"]);
  const nth = chance.is(0.7) ? 0 : chance.below(4);
  return chance.weighted<() => Happening>([
    [30, () => toggled(zone, open, chance)],
    [3, () => ({ what: "repeat", zone })],
    [2, () => ({ what: "lost-acknowledgements", zone })],
    [6, () => ({ what: chance.of(["arm", "disarm"] as const), gate: chance.of(["mqtt", "gpio"] as const) })],
    [4, () => ({ what: "bypass", zone, minutes: chance.between(2, 90) })],
    [2, () => ({ what: "restore", zone })],
    [3, () => ({ what: "walk-test", minutes: chance.between(2, 40) })],
    [1, () => ({ what: "end-walk-test" })],
    [
      6,
      () => ({
        what: "edit",
        side,
        how: chance.of(["append", "append", "prepend", "replace", "fill"] as const),
        nth,
      }),
    ],
    [
      5,
      () => ({
        what: chance.weighted([
          [5, "done"],
          [2, "delete"],
          [1, "re-open"],
        ] as const),
        side,
        nth,
      }),
    ],
    [2, () => ({ what: "restart" })],
    [
      3,
      () => ({
        what: "power-cut",
        forS: chance.of([20, 90, 600, 7200]),
        amid: chance.is(0.6) ? { zone, instant: chance.between(1, 14) } : null,
      }),
    ],
    [3, () => ({ what: chance.of(["broker-away", "broker-back", "sensors-reconnect"] as const) })],
    [4, () => ({ what: "centre-line", line: chance.of(["up", "up", "cut", "deaf", "busy"] as const) })],
    [2, () => ({ what: "clock", byS: chance.of([-3600, -30, 45, 3600, 0]) })],
  ])();
}

/** Most contacts close again after an opening. */
function toggled(zone: string, open: Set<string>, chance: Chance): Happening {
  const waiting = [...open];
  if (waiting.length > 0 && chance.is(0.45)) {
    const closing = chance.of(waiting);
    open.delete(closing);
    return { what: "close", zone: closing };
  }
  open.add(zone);
  return { what: "open", zone };
}
