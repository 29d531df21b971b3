import {
  Chance,
  CLASS_OF,
  LIFE_SAFETY,
  plainWeekOf,
  type Building,
  type Happening,
  type PlayedZone,
  type Reload,
  type TimedHappening,
  type Week,
} from "./building.ts";

/*
 * Adds entry and exit delays, shared topics, cameras, confirmation and configuration changes to the plain week
 * of a seed. They use a separate random sequence, so that earlier regression weeks stay the same.
 */

/** The week of a seed. */
export function weekOf(seed: number): Week {
  const plain = plainWeekOf(seed);
  const chance = new Chance(seed * 104_729 + 5);
  const building = fitted(plain.building, chance);
  const happenings = [...plain.happenings];
  for (let left = chance.between(4, 8); left > 0; left -= 1) {
    const nextTo = chance.of(plain.happenings).atMs + chance.between(2, 40) * 1000;
    happenings.push(...sceneOf(building, nextTo, chance));
  }
  return { building, happenings: happenings.toSorted((a, b) => a.atMs - b.atMs), isPutOff: true };
}

/** Devices of `input` style share this topic. */
export const INPUTS_TOPIC = "shelly/i4/events";
export const REVIEWS_TOPIC = "frigate/reviews";
/** Zone types whose profile requests the police after confirmation by a second device. */
export const CONFIRMABLE: ReadonlySet<string> = new Set(["intrusion", "perimeter", "motion", "glass"]);

function fitted(building: Building, chance: Chance): Building {
  const zones = building.zones.map((zone) => {
    const entryDelayS = chance.is(0.4) ? chance.of([20, 30, 45]) : 0;
    return { ...styled(zone, chance), entryDelayS };
  });
  const withConfirmation = zones.map((zone): PlayedZone => {
    const others = zones.filter((other) => canConfirm(zone, other)).map(({ id }) => id);
    const isAsking = CONFIRMABLE.has(zone.kind) && others.length > 0 && chance.is(0.4);
    const confirmWith = isAsking
      ? { zones: [chance.of(others)], withinS: chance.of([60, 300, 900]) }
      : undefined;
    return { ...zone, confirmWith };
  });
  const exitDelaysS: Partial<Record<"schedule" | "mqtt" | "gpio", number>> = {};
  for (const gate of ["schedule", "mqtt", "gpio"] as const)
    if (chance.is(0.5)) exitDelaysS[gate] = chance.of([20, 45, 90]);
  return { ...building, zones: withConfirmation, exitDelaysS };
}

function styled(zone: PlayedZone, chance: Chance): PlayedZone {
  const [isCamera, isInput] = [chance.is(0.5), chance.is(0.3)];
  if (zone.topic === undefined) return zone;
  if (isCamera && (zone.isPulse || SEEN_BY_CAMERAS.has(zone.kind)))
    return { ...zone, isPulse: false, style: "review", topic: REVIEWS_TOPIC };
  return isInput && !zone.isPulse ? { ...zone, style: "input", topic: INPUTS_TOPIC } : zone;
}

const SEEN_BY_CAMERAS: ReadonlySet<string> = new Set(["fire", "perimeter", "flood"]);

/** Device of a zone: two contacts of one device do not confirm each other. */
export function deviceOf({ id, topic, style }: PlayedZone): string {
  return topic === undefined || style === "review" ? id : topic;
}

function canConfirm(zone: PlayedZone, other: PlayedZone): boolean {
  return (
    other.id !== zone.id &&
    other.objective === zone.objective &&
    CLASS_OF[other.kind] === CLASS_OF[zone.kind] &&
    deviceOf(other) !== deviceOf(zone)
  );
}

/** A sequence of user actions. */
function sceneOf(building: Building, atMs: number, chance: Chance): TimedHappening[] {
  let nowMs = atMs;
  const scene: TimedHappening[] = [];
  const then = (afterS: number, happening: Happening): void => {
    nowMs += afterS * 1000;
    scene.push({ atMs: nowMs, happening });
  };
  const { zones } = building;
  const zone = chance.of(zones);
  const gated = zones.filter(({ gate, kind }) => ["mqtt", "gpio"].includes(gate) && !LIFE_SAFETY.has(kind));
  const cameras = zones.filter(({ style }) => style === "review");
  const scenes: (readonly [number, () => void])[] = [
    [2, () => then(0, { what: "noise" })],
    [4, () => reloads(zone, then, chance)],
    [gated.length > 0 ? 5 : 0, () => enterAndDisarm(chance.of(gated), then, chance)],
    [gated.length > 0 ? 4 : 0, () => leaves(chance.of(gated), then, chance)],
    [cameras.length > 0 ? 8 : 0, () => isSeen(chance.of(cameras), then, chance)],
    [4, () => twoTrip(zones, then, chance)],
  ];
  chance.weighted(scenes)();
  return scene;
}

type Then = (afterS: number, happening: Happening) => void;

function gateOf({ gate }: PlayedZone): "mqtt" | "gpio" {
  return gate === "gpio" ? "gpio" : "mqtt";
}

/** A user opens the door and disarms in time, too late, or not at all; or there is a power cut meanwhile. */
function enterAndDisarm(zone: PlayedZone, then: Then, chance: Chance): void {
  const gate = gateOf(zone);
  then(0, { what: "arm", gate });
  then(chance.between(100, 160), { what: "close", zone: zone.id });
  then(10, { what: "open", zone: zone.id });
  const spentS = chance.between(8, 14);
  if (chance.is(0.3)) then(spentS - 4, { what: "power-cut", forS: chance.of([3, 20, 90]), amid: null });
  if (chance.is(0.2)) then(3, { what: "reload", how: "change", zone: zone.id });
  if (chance.is(0.7)) then(chance.of([spentS, spentS, spentS, 60]), { what: "disarm", gate });
  then(chance.between(4, 90), { what: "close", zone: zone.id });
}

/** A user arms, and leaves through the door in time or too late. */
function leaves(zone: PlayedZone, then: Then, chance: Chance): void {
  const gate = gateOf(zone);
  then(0, { what: "close", zone: zone.id });
  then(5, { what: "disarm", gate });
  then(chance.between(20, 200), { what: "arm", gate });
  if (chance.is(0.15)) then(3, { what: "power-cut", forS: chance.of([3, 20, 90]), amid: null });
  then(chance.of([8, 12, 30, 130]), { what: "open", zone: zone.id });
  then(chance.between(6, 200), { what: "close", zone: zone.id });
}

/** A camera reports one event several times, also after its end. */
function isSeen({ id }: PlayedZone, then: Then, chance: Chance): void {
  then(0, { what: "open", zone: id });
  for (let left = chance.between(1, 4); left > 0; left -= 1) {
    then(chance.of([3, 20, 200]), { what: "close", zone: id });
    then(chance.of([4, 30, 500]), { what: chance.of(["repeat", "repeat", "open"] as const), zone: id });
  }
  then(20, { what: "close", zone: id });
}

/** Two zones that can confirm each other trip, at a short or long interval. */
function twoTrip(zones: readonly PlayedZone[], then: Then, chance: Chance): void {
  const asking = zones.filter(({ confirmWith }) => confirmWith !== undefined);
  const zone = asking.length > 0 && chance.is(0.8) ? chance.of(asking) : chance.of(zones);
  const near = zones.filter((other) => canConfirm(zone, other));
  const other = near.length > 0 ? chance.of(near) : zone;
  then(0, { what: "open", zone: zone.id });
  then(chance.of([10, 40, 120, 700]), { what: "open", zone: other.id });
  then(30, { what: "close", zone: zone.id });
  then(8, { what: "close", zone: other.id });
}

function reloads({ id }: PlayedZone, then: Then, chance: Chance): void {
  const how = chance.weighted<Reload>([
    [3, "change"],
    [2, "rename"],
    [2, "break"],
    [3, "remove"],
  ]);
  then(0, { what: "reload", how, zone: id });
  if (how === "remove") then(chance.of([10, 60, 900]), { what: "reload", how: "add", zone: id });
}
